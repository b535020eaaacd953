#include "gang/sim/replica/writer.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace protocol = k8s::protocol;
namespace {

constexpr std::int64_t call_limit_ms = 4'000;  // as in k8s::WriterOptions

protocol::BackoffOptions breaker_options() {
    protocol::BackoffOptions made;
    made.ms_min = 250;
    made.ms_max = 2'000;
    return made;
}

BindOutcome to_outcome(protocol::BindOutcome outcome) {
    switch (outcome) {
        case protocol::BindOutcome::bound:
            return BindOutcome::bound;
        case protocol::BindOutcome::taken:
            return BindOutcome::taken;
        case protocol::BindOutcome::gone:
            return BindOutcome::gone;
        case protocol::BindOutcome::changed:
            return BindOutcome::changed;
        case protocol::BindOutcome::not_bindable:
            return BindOutcome::not_bindable;
        case protocol::BindOutcome::refused:
            return BindOutcome::refused;
        case protocol::BindOutcome::not_sent:
            return BindOutcome::not_sent;
    }
    ENSURE(false);
    return BindOutcome::not_sent;
}

protocol::HttpAnswer http(const Answer& answer) {
    return {answer.status, answer.message, answer.retry_after_ms};
}

}  // namespace

Writer::Writer(World& world, Process& process)
    : world_(world), process_(process), breaker_(breaker_options()) {}

std::uint32_t Writer::make(JobKind kind, const PodRef& pod) {
    std::uint32_t id = 0;
    if (free_jobs_.empty()) {
        id = static_cast<std::uint32_t>(jobs_.size());
        jobs_.emplace_back();
    } else {
        id = free_jobs_.back();
        free_jobs_.pop_back();
        jobs_[id] = Job{};
    }
    Job& job = jobs_[id];
    job.kind = kind;
    job.pod = pod;
    job.order_key = kind == JobKind::fetch ? nobody : number_of(pod.uid);
    job.sequence = ++sequence_;
    job.author = process_.author();
    return id;
}

void Writer::bind(const BindPod& decision) {
    const std::uint32_t id = make(JobKind::bind, decision.pod);
    jobs_[id].version = decision.resource_version;
    jobs_[id].node = decision.node;
    jobs_[id].annotations = decision.annotations;
    binds_.push_back(id);
    dispatch();
}

void Writer::set_condition(const SetCondition& decision) {
    const JobKind kind = decision.fence ? JobKind::patch : JobKind::condition;
    std::uint32_t id = nobody;
    if (kind == JobKind::condition) {
        for (const std::uint32_t waiting : conditions_) {
            id = jobs_[waiting].order_key == number_of(decision.pod.uid) ? waiting : id;
        }
    }
    const bool is_new = id == nobody;
    if (is_new) {
        id = make(kind, decision.pod);
        (decision.fence ? patches_ : conditions_).push_back(id);
    }
    Job& job = jobs_[id];
    job.version = decision.fence ? decision.resource_version : std::string();
    job.has_condition = true;
    job.reason = decision.reason;
    job.message = decision.message;
    dispatch();
}

void Writer::update_reservation(const UpdateReservation& decision) {
    const std::uint32_t id = make(JobKind::patch, decision.driver);
    jobs_[id].version = decision.resource_version;
    jobs_[id].annotations = decision.annotations;
    patches_.push_back(id);
    dispatch();
}

void Writer::fetch(const FetchSparkConf& decision) {
    fetches_.push_back(make(JobKind::fetch, decision.driver));
    dispatch();
}

void Writer::set_busy(std::uint32_t order_key, bool busy) {
    if (order_key == nobody) {
        return;
    }
    if (order_key >= busy_.size()) {
        busy_.resize(order_key + 1);
    }
    busy_[order_key] = busy;
}

std::string Writer::newest(std::uint32_t order_key, const std::string& shown) const {
    const std::uint64_t ours = order_key < wrote_.size() ? wrote_[order_key] : 0;
    if (shown.empty() || ours == 0) {
        return shown;
    }
    return std::stoull(shown) < ours ? std::to_string(ours) : shown;
}

void Writer::wrote(std::uint32_t order_key, const std::string& version) {
    if (order_key >= wrote_.size()) {
        wrote_.resize(order_key + 1);
    }
    wrote_[order_key] = std::stoull(version);
}

// A fence that was there before the bind comes first.
bool Writer::may_bind(const Job& job) const {
    if (!is_free(job.order_key)) {
        return false;
    }
    return std::none_of(patches_.begin(), patches_.end(), [this, &job](std::uint32_t id) {
        return jobs_[id].order_key == job.order_key && jobs_[id].sequence < job.sequence;
    });
}

std::optional<std::uint32_t> Writer::take() {
    const auto take_from =
        [this](std::deque<std::uint32_t>& queue) -> std::optional<std::uint32_t> {
        for (auto it = queue.begin(); it != queue.end(); ++it) {
            const Job& job = jobs_[*it];
            const bool may = job.kind == JobKind::bind ? may_bind(job) : is_free(job.order_key);
            if (may) {
                const std::uint32_t id = *it;
                queue.erase(it);
                return id;
            }
        }
        return std::nullopt;
    };
    for (auto* queue : {&binds_, &patches_, &fetches_, &conditions_}) {
        if (const auto id = take_from(*queue)) {
            return id;
        }
    }
    return std::nullopt;
}

void Writer::dispatch() {
    while (connections_used_ < world_.plan.connections) {
        if (!woken_.empty()) {
            const std::uint32_t id = woken_.front();
            woken_.pop_front();
            ++connections_used_;
            proceed(id, jobs_[id].bind->on_waited(process_.may_write()));
            continue;
        }
        const auto id = take();
        if (!id) {
            return;
        }
        ++connections_used_;
        set_busy(jobs_[*id].order_key, true);
        begin(*id);
    }
}

void Writer::begin(std::uint32_t id) {
    Job& job = jobs_[id];
    if (job.kind == JobKind::fetch) {
        return attempt(id, Operation::get_config_map);
    }
    job.version = newest(job.order_key, job.version);
    if (job.kind == JobKind::bind) {
        job.bind.emplace(protocol::BindTarget{job.pod.uid, job.version, job.node});
        return proceed(id, job.bind->start(process_.may_write()));
    }
    job.status.emplace(!job.version.empty());
    proceed(id, job.status->start(process_.may_write()));
}

void Writer::finish(std::uint32_t id, bool holds_connection) {
    set_busy(jobs_[id].order_key, false);
    connections_used_ -= holds_connection ? 1 : 0;
    free_jobs_.push_back(id);
    look_for_end();
}

void Writer::stop() {
    is_stopping_ = true;
    for (auto* queue : {&fetches_, &conditions_}) {
        free_jobs_.insert(free_jobs_.end(), queue->begin(), queue->end());
        queue->clear();
    }
    look_for_end();
}

void Writer::look_for_end() {
    if (is_stopping_ && !is_closed_ && is_idle()) {
        is_closed_ = true;
        process_.drained(true);
    }
}

void Writer::cut_off() {
    if (std::exchange(is_closed_, true)) {
        return;
    }
    // What only waits has never been sent.
    process_.drained(jobs_.size() - free_jobs_.size() == binds_.size() + patches_.size());
}

void Writer::proceed(std::uint32_t id, protocol::BindAction action) {
    Job& job = jobs_[id];
    if (std::holds_alternative<protocol::PostBinding>(action)) {
        return attempt(id, Operation::bind);
    }
    if (std::holds_alternative<protocol::ReadPod>(action)) {
        return attempt(id, Operation::get_pod);
    }
    if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
        --connections_used_;  // others may use it meanwhile; the pod stays busy
        return process_.wake_writer(wait->ms, id);
    }
    auto& finished = std::get<protocol::BindFinished>(action);
    if (finished.outcome == protocol::BindOutcome::bound ||
        finished.outcome == protocol::BindOutcome::taken) {
        for (auto it = conditions_.begin(); it != conditions_.end(); ++it) {
            if (jobs_[*it].order_key == job.order_key) {
                free_jobs_.push_back(*it);
                conditions_.erase(it);
                break;
            }
        }
    }
    process_.push_answer(
        BindFinished{job.pod.uid, to_outcome(finished.outcome), std::move(finished.message)});
    finish(id, true);
}

void Writer::proceed(std::uint32_t id, protocol::PatchAction action) {
    Job& job = jobs_[id];
    if (std::holds_alternative<protocol::SendPatch>(action)) {
        return attempt(id, Operation::patch_status);
    }
    if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
        return process_.wake_writer(wait->ms, id);
    }
    auto& finished = std::get<protocol::PatchFinished>(action);
    if (job.kind == JobKind::patch) {
        patches_unsettled_ += finished.unsettled ? 1 : 0;
        WriteOutcome outcome = finished.changed ? WriteOutcome::changed : WriteOutcome::failed;
        outcome = finished.written ? WriteOutcome::written : outcome;
        process_.push_answer(StatusWritten{job.pod.uid, outcome, std::move(finished.message)});
    }
    finish(id, true);
}

void Writer::attempt(std::uint32_t id, Operation operation) {
    Job& job = jobs_[id];
    job.operation = operation;
    const std::int64_t wait_ms = breaker_.wait_ms(process_.mono());
    job.waits_for_breaker = wait_ms > 0;
    if (job.waits_for_breaker) {
        return process_.wake_writer(wait_ms, id);
    }
    const bool is_write = operation == Operation::bind || operation == Operation::patch_status;
    if (is_write && !process_.may_write()) {
        return no_answer(id, false, "not the leader");
    }
    if (is_write) {
        world_.decision_checker.sent(process_.replica(), process_.elector.identity());
    }
    Call call;
    call.operation = operation;
    call.pod = job.pod;
    call.author = job.author;
    if (is_write) {
        call.version = job.version;
        call.node = job.node;
        call.annotations = job.annotations;
        call.has_condition = job.has_condition;
        call.reason = job.reason;
        call.message = job.message;
    }
    process_.send(std::move(call), first_ticket + id, call_limit_ms);
}

void Writer::no_answer(std::uint32_t id, bool maybe_sent, const std::string& message) {
    Job& job = jobs_[id];
    const std::uint32_t random = world_.random.next32();
    if (job.kind == JobKind::fetch) {
        Answer answer;
        answer.message = message;
        return fetched(id, answer);
    }
    if (job.kind != JobKind::bind) {
        return proceed(id, job.status->on_no_answer(maybe_sent, message, random));
    }
    if (job.operation == Operation::get_pod) {
        return proceed(id, job.bind->on_pod_unreadable(random));
    }
    proceed(id, job.bind->on_no_answer(maybe_sent, message, random));
}

void Writer::answered(const Call& call) {
    if (is_closed_) {
        return;
    }
    const std::uint32_t id = call.ticket - first_ticket;
    const Answer& answer = call.answer;
    if (answer.status != 0) {
        breaker_.answered();
    } else if (!answer.maybe_sent) {
        breaker_.unreachable(process_.mono(), world_.random.next32());
    }
    if (answer.status == 0) {
        no_answer(id, answer.maybe_sent, answer.message);
    } else if (jobs_[id].kind == JobKind::fetch) {
        fetched(id, answer);
    } else if (jobs_[id].kind == JobKind::bind) {
        bind_answered(id, answer);
    } else {
        patch_answered(id, answer);
    }
    dispatch();
}

void Writer::bind_answered(std::uint32_t id, const Answer& answer) {
    Job& job = jobs_[id];
    const std::uint32_t random = world_.random.next32();
    if (job.operation == Operation::bind) {
        return proceed(id, job.bind->on_answer(http(answer), random));
    }
    if (answer.status == 404 || answer.status == 200) {
        return proceed(id, job.bind->on_pod(answer.pod, process_.may_write()));
    }
    proceed(id, job.bind->on_pod_unreadable(random));
}

void Writer::patch_answered(std::uint32_t id, const Answer& answer) {
    Job& job = jobs_[id];
    if (answer.status == 200) {
        wrote(job.order_key, answer.pod.resource_version);
    }
    proceed(id, job.status->on_answer(http(answer), world_.random.next32()));
}

void Writer::fetched(std::uint32_t id, const Answer& answer) {
    const std::string uid = jobs_[id].pod.uid;
    if (answer.status == 200) {
        process_.push_answer(SparkConfFound{uid, world_.applications.conf(answer.conf)});
    } else {
        ConfProblem problem = ConfProblem::failed;
        if (answer.status == 404) {
            problem = ConfProblem::not_found;
        } else if (answer.status == 401 || answer.status == 403) {
            problem = ConfProblem::forbidden;
        }
        process_.push_answer(SparkConfMissing{uid, problem, answer.message});
    }
    finish(id, true);
}

void Writer::wakes(std::uint32_t id) {
    if (is_closed_) {
        return;
    }
    Job& job = jobs_[id];
    if (std::exchange(job.waits_for_breaker, false)) {
        attempt(id, job.operation);
    } else if (job.kind == JobKind::bind) {
        woken_.push_back(id);
    } else {
        proceed(id, job.status->on_waited(process_.may_write()));
    }
    dispatch();
}

}  // namespace gang::sim
