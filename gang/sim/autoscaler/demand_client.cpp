#include "gang/sim/autoscaler/demand_client.hpp"

#include "gang/host/requests.hpp"
#include "gang/sim/world.hpp"

#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t demand_call_ms = 4'000;  // as in k8s/demand/demand_client.hpp

k8s::DemandResult result_of(const Answer& answer, Operation operation, DemandPart part) {
    k8s::DemandResult result;
    result.message = answer.message;
    const int status = answer.status;
    const bool is_gone = operation == Operation::delete_demand && status == 404;
    if ((status >= 200 && status < 300) || is_gone) {
        result.outcome = k8s::DemandOutcome::done;
    } else if (status == 404 && part != DemandPart::pod_template) {
        result.outcome = k8s::DemandOutcome::no_kind;
    } else if (status == 401 || status == 403) {
        result.outcome = k8s::DemandOutcome::forbidden;
    } else if (status >= 400 && status < 500 && status != 409 && status != 429) {
        result.outcome = k8s::DemandOutcome::refused;
    }
    return result;
}

}  // namespace

void DemandClient::want(const WantCapacity& decision) {
    Job job{decision, {}};
    for (std::size_t shape = 0; shape < decision.shapes.size(); ++shape) {
        const bool is_wanted = decision.shapes[shape].count > 0;
        if (is_wanted) {
            job.steps.push_back({Operation::write_demand, DemandPart::pod_template, shape});
        }
        if (!world_.plan.asks_once) {
            const auto operation = is_wanted ? Operation::write_demand : Operation::delete_demand;
            job.steps.push_back({operation, DemandPart::buffer, shape});
        }
        if (!is_wanted) {
            job.steps.push_back({Operation::delete_demand, DemandPart::pod_template, shape});
        }
    }
    if (world_.plan.asks_once) {
        job.steps.push_back({Operation::write_demand, DemandPart::request});
    }
    add(std::move(job));
}

void DemandClient::drop(const DropCapacity& decision) {
    Job job{decision, {}};
    job.result.outcome = k8s::DemandOutcome::done;
    if (world_.plan.asks_once) {
        job.steps.push_back({Operation::delete_demand, DemandPart::request});
    }
    for (std::size_t shape = 0; shape < static_cast<std::size_t>(decision.shapes); ++shape) {
        if (!world_.plan.asks_once) {
            job.steps.push_back({Operation::delete_demand, DemandPart::buffer, shape});
        }
        job.steps.push_back({Operation::delete_demand, DemandPart::pod_template, shape});
    }
    add(std::move(job));
}

void DemandClient::add(Job job) {
    jobs_.push_back(std::move(job));
    if (jobs_.size() == 1) {
        process_.wakeups.demand_client();
    }
}

void DemandClient::wakes() {
    send();
}

void DemandClient::send() {
    const Job& job = jobs_.front();
    Call call;
    if (std::holds_alternative<ListCapacity>(job.what)) {
        call.operation = Operation::list_demand;
        process_.send(std::move(call), first_ticket + sent_++, demand_call_ms);
        return;
    }
    const Step& step = job.steps[job.at];
    if (!process_.may_write()) {
        k8s::DemandResult result;
        result.message = "not the leader";
        take(step, result);
        return;
    }
    world_.checker_suite.lease.sent(process_.replica(), process_.elector.identity());
    call.operation = step.operation;
    call.demand_part = static_cast<std::uint8_t>(step.part);
    call.demand_shape = step.shape;
    call.author = process_.author();
    if (const auto* want = std::get_if<WantCapacity>(&job.what)) {
        call.pod = want->driver;
        const bool is_of_all = step.part == DemandPart::request;
        call.demand = is_of_all ? want->shapes : std::vector{want->shapes[step.shape]};
    } else {
        call.pod = std::get<DropCapacity>(job.what).driver;
    }
    process_.send(std::move(call), first_ticket + sent_++, demand_call_ms);
}

void DemandClient::answered(const Call& call) {
    Job& job = jobs_.front();
    if (!std::holds_alternative<ListCapacity>(job.what)) {
        const Step step = job.steps[job.at];
        return take(step, result_of(call.answer, step.operation, step.part));
    }
    k8s::DemandList list;
    list.is_complete = call.answer.status == 200;
    list.message = call.answer.message;
    for (const FoundCapacity& found : call.answer.capacity) {
        list.found.push_back(
            {found.namespace_name, found.driver_uid, found.shapes, found.created_ms});
    }
    jobs_.pop_front();
    process_.push_answer(to_event(list));
    if (!jobs_.empty()) {
        process_.wakeups.demand_client();
    }
}

void DemandClient::take(const Step& step, const k8s::DemandResult& result) {
    if (std::holds_alternative<WantCapacity>(jobs_.front().what)) {
        take_written(step, result);
    } else {
        take_dropped(step, result);
    }
}

/// The first that fails ends it, but for a request of another number: that is deleted and made
/// anew.
void DemandClient::take_written(const Step& step, const k8s::DemandResult& result) {
    Job& job = jobs_.front();
    const bool is_write = step.operation == Operation::write_demand;
    const bool is_done = result.outcome == k8s::DemandOutcome::done;
    job.may_exist = job.may_exist ||
                    (is_write ? is_done || result.outcome == k8s::DemandOutcome::failed : !is_done);
    const bool is_other = step.part == DemandPart::request && is_write &&
                          result.outcome == k8s::DemandOutcome::refused &&
                          !std::exchange(job.is_made_anew, true);
    if (is_other) {
        job.steps.push_back({Operation::delete_demand, DemandPart::request});
        job.steps.push_back({Operation::write_demand, DemandPart::request});
    } else if (!is_done) {
        return finish(result);
    }
    go_on(job.at + 1, result);
}

/// All is tried, but for the templates of what is still there: without them it would not be found
/// again. What is said is the first that went wrong.
void DemandClient::take_dropped(const Step& step, const k8s::DemandResult& result) {
    Job& job = jobs_.front();
    const bool is_done = result.outcome == k8s::DemandOutcome::done;
    if (job.result.outcome == k8s::DemandOutcome::done) {
        job.result = result;
    }
    if (!is_done && step.part == DemandPart::request) {
        return finish(job.result);
    }
    go_on(job.at + (!is_done && step.part == DemandPart::buffer ? 2 : 1), job.result);
}

void DemandClient::go_on(std::size_t at, k8s::DemandResult result) {
    Job& job = jobs_.front();
    job.at = at;
    if (at < job.steps.size()) {
        process_.wakeups.demand_client();
    } else {
        finish(std::move(result));
    }
}

void DemandClient::finish(k8s::DemandResult result) {
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    if (const auto* want = std::get_if<WantCapacity>(&job.what)) {
        result.may_exist = job.may_exist;
        process_.push_answer(to_event(*want, result));
    } else {
        result.may_exist = result.outcome != k8s::DemandOutcome::done;
        process_.push_answer(to_event(std::get<DropCapacity>(job.what), result));
    }
    if (!jobs_.empty()) {
        process_.wakeups.demand_client();
    }
}

}  // namespace gang::sim
