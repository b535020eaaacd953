#include "gang/sim/replica/writer.hpp"

#include "gang/host/requests.hpp"
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

protocol::HttpAnswer http(const Answer& answer) {
    return {answer.status, answer.message, answer.retry_after_ms};
}

PodRef ref_of(const k8s::PodName& pod) {
    return {pod.namespace_name, pod.name, pod.uid};
}

PodRef pod_of(const k8s::WriteJob& job) {
    if (const auto* bind = std::get_if<k8s::BindJob>(&job)) {
        return ref_of(bind->request.pod);
    }
    if (const auto* patch = std::get_if<k8s::PatchJob>(&job)) {
        return ref_of(patch->patch.pod);
    }
    if (const auto* eviction = std::get_if<k8s::EvictJob>(&job)) {
        return ref_of(eviction->pod);
    }
    const auto& fetch = std::get<k8s::FetchJob>(job);
    return {fetch.namespace_name, {}, fetch.name};
}

}  // namespace

Writer::Writer(World& world, Process& process)
    : world_(world), process_(process), queue_(k8s::WriteBounds()), breaker_(breaker_options()) {}

void Writer::bind(const BindPod& decision, const Author& author) {
    asked(decision.pod.uid, AskedKind::bind, author);
    ENSURE(queue_.add(k8s::BindJob{to_request(decision), [this](const k8s::BindResult& result) {
                                       process_.push_answer(to_event(result));
                                   }}));
    dispatch();
}

void Writer::set_condition(const SetCondition& decision) {
    if (decision.fence) {
        return patch(decision.pod.uid, to_patch(decision));
    }
    // One that is too many is dropped.
    const bool is_taken = queue_.add(k8s::PatchJob{to_patch(decision), {}, process_.mono()});
    if (is_taken) {
        dispatch();
    }
}

void Writer::update_reservation(const UpdateReservation& decision) {
    patch(decision.driver.uid, to_patch(decision));
}

void Writer::patch(const std::string& uid, k8s::StatusPatch what) {
    asked(uid, AskedKind::patch, process_.author());
    ENSURE(queue_.add(k8s::PatchJob{
        std::move(what),
        [this, uid](const k8s::StatusResult& result) {
            process_.push_answer(to_event(uid, result));
        },
        process_.mono()}));
    dispatch();
}

void Writer::evict(const EvictPod& decision) {
    const std::string& uid = decision.pod.uid;
    asked(uid, AskedKind::evict, process_.author());
    ENSURE(queue_.add(k8s::EvictJob{to_name(decision), [this, uid](const k8s::EvictResult& result) {
                                        process_.push_answer(to_event(uid, result));
                                    }}));
    dispatch();
}

/// The virtual world has a driver's config map by the driver's uid.
void Writer::fetch(const FetchSparkConf& decision) {
    ENSURE(queue_.add(k8s::FetchJob{decision.driver.namespace_name, decision.driver.uid, {}}));
    dispatch();
}

/// A condition that waits to be repeated does not hold up what somebody waits for.
void Writer::asked(const std::string& uid, AskedKind kind, const Author& author) {
    asked_[{uid, kind}].push_back(author);
    answers_.taken(uid);
    for (std::uint32_t id = 0; id < jobs_.size(); ++id) {
        Job& job = jobs_[id];
        if (job.is_delayed && k8s::is_droppable(job.asked) && job.pod.uid == uid) {
            job.is_delayed = false;
            job.is_given_up = true;
            ++job.wake_serial;  // what wakes it later is for nobody
            resumed_.push_back(id);
        }
    }
}

Author Writer::take_author(const std::string& uid, AskedKind kind) {
    const auto authors = asked_.find({uid, kind});
    const Author author = authors->second.front();
    authors->second.pop_front();
    if (authors->second.empty()) {
        asked_.erase(authors);
    }
    return author;
}

// A bind finds half of the connections free of what nobody waits for.
bool Writer::may_take_droppable() const {
    return droppable_taken_ < std::max<std::int64_t>(world_.plan.connections / 2, 1);
}

void Writer::dispatch() {
    while (connections_used_ < world_.plan.connections) {
        if (!resumed_.empty()) {
            const std::uint32_t id = resumed_.front();
            resumed_.pop_front();
            ++connections_used_;
            go_on(id);
            continue;
        }
        auto taken = queue_.take(process_.mono(), may_take_droppable());
        if (!taken) {
            return;
        }
        ++connections_used_;
        begin(keep(*std::move(taken)));
    }
}

std::uint32_t Writer::keep(k8s::WriteJob taken) {
    std::uint32_t id = 0;
    if (free_jobs_.empty()) {
        id = static_cast<std::uint32_t>(jobs_.size());
        jobs_.emplace_back();
    } else {
        id = free_jobs_.back();
        free_jobs_.pop_back();
        const std::uint32_t serial = jobs_[id].wake_serial;
        jobs_[id] = Job{};
        jobs_[id].wake_serial = serial + 1;
    }
    ENSURE(id <= job_mask);
    Job& job = jobs_[id];
    job.asked = std::move(taken);
    job.pod = pod_of(job.asked);
    droppable_taken_ += k8s::is_droppable(job.asked) ? 1 : 0;
    return id;
}

void Writer::begin(std::uint32_t id) {
    Job& job = jobs_[id];
    if (job.is_fetch()) {
        job.author = process_.author();
        return attempt(id, Operation::get_config_map);
    }
    if (auto* asked = std::get_if<k8s::BindJob>(&job.asked)) {
        k8s::BindRequest& request = asked->request;
        job.author = take_author(job.pod.uid, AskedKind::bind);
        request.resource_version = versions_.newest(job.pod.uid, request.resource_version);
        job.bind.emplace(protocol::BindTarget{job.pod.uid, request.resource_version, request.node});
        return proceed(id, job.bind->start(process_.may_write()));
    }
    if (std::holds_alternative<k8s::EvictJob>(job.asked)) {
        job.author = take_author(job.pod.uid, AskedKind::evict);
        job.eviction.emplace();
        return proceed(id, job.eviction->start(process_.may_write()));
    }
    auto& asked = std::get<k8s::PatchJob>(job.asked);
    job.author = asked.done ? take_author(job.pod.uid, AskedKind::patch) : process_.author();
    asked.patch.resource_version = versions_.newest(job.pod.uid, asked.patch.resource_version);
    job.status.emplace(!asked.patch.resource_version.empty());
    proceed(id, job.status->start(process_.may_write()));
}

/// Its wait is over, and it has a connection.
void Writer::go_on(std::uint32_t id) {
    Job& job = jobs_[id];
    if (job.bind) {
        return proceed(id, job.bind->on_waited(process_.may_write()));
    }
    if (job.is_given_up) {
        return finish(id);
    }
    if (job.eviction) {
        return proceed(id, job.eviction->on_waited(process_.may_write()));
    }
    proceed(id, job.status->on_waited(process_.may_write()));
}

void Writer::finish(std::uint32_t id) {
    Job& job = jobs_[id];
    queue_.finished(k8s::order_key_of(job.asked));
    if (k8s::is_awaited_write(job.asked)) {
        answers_.answered(job.pod.uid);
    }
    droppable_taken_ -= k8s::is_droppable(job.asked) ? 1 : 0;
    --connections_used_;
    free_jobs_.push_back(id);
    look_for_end();
}

void Writer::stop() {
    is_stopping_ = true;
    queue_.keep_only_awaited_writes();
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
    process_.drained(jobs_.size() == free_jobs_.size());
}

/// To be repeated: others may use the connection meanwhile, the pod stays busy.
void Writer::wait(std::uint32_t id, std::int64_t ms) {
    Job& job = jobs_[id];
    --connections_used_;
    job.is_delayed = true;
    process_.wake_writer(ms, tag_of(id));
}

void Writer::proceed(std::uint32_t id, protocol::BindAction action) {
    Job& job = jobs_[id];
    if (std::holds_alternative<protocol::PostBinding>(action)) {
        return attempt(id, Operation::bind);
    }
    if (std::holds_alternative<protocol::ReadPod>(action)) {
        return attempt(id, Operation::get_pod);
    }
    if (const auto* pause = std::get_if<protocol::Wait>(&action)) {
        return wait(id, pause->ms);
    }
    auto& how = std::get<protocol::BindFinished>(action);
    if (how.outcome == protocol::BindOutcome::bound ||
        how.outcome == protocol::BindOutcome::taken) {
        queue_.discard_condition(job.pod.uid);
    }
    auto& asked = std::get<k8s::BindJob>(job.asked);
    asked.done(k8s::BindResult{how.outcome, std::move(how.message), asked.request});
    finish(id);
}

void Writer::proceed(std::uint32_t id, protocol::PatchAction action) {
    Job& job = jobs_[id];
    auto& asked = std::get<k8s::PatchJob>(job.asked);
    if (std::holds_alternative<protocol::SendPatch>(action)) {
        return attempt(id, Operation::patch_status);
    }
    if (const auto* pause = std::get_if<protocol::Wait>(&action)) {
        const bool is_in_the_way = !asked.done && answers_.is_awaited(job.pod.uid);
        return is_in_the_way ? finish(id) : wait(id, pause->ms);
    }
    auto& how = std::get<protocol::PatchFinished>(action);
    if (asked.done) {
        patches_unsettled_ += how.unsettled ? 1 : 0;
        asked.done(k8s::StatusResult{how.written, how.changed, std::move(how.message), {}});
    }
    finish(id);
}

void Writer::proceed(std::uint32_t id, protocol::EvictAction action) {
    if (std::holds_alternative<protocol::SendEviction>(action)) {
        return attempt(id, Operation::evict);
    }
    if (const auto* pause = std::get_if<protocol::Wait>(&action)) {
        return wait(id, pause->ms);
    }
    auto& how = std::get<protocol::EvictionFinished>(action);
    patches_unsettled_ += how.unsettled ? 1 : 0;
    std::get<k8s::EvictJob>(jobs_[id].asked)
        .done(k8s::EvictResult{how.outcome, std::move(how.message)});
    finish(id);
}

void Writer::attempt(std::uint32_t id, Operation operation) {
    Job& job = jobs_[id];
    job.operation = operation;
    const std::int64_t wait_ms = breaker_.wait_ms(process_.mono());
    job.waits_for_breaker = wait_ms > 0;
    if (job.waits_for_breaker) {
        return process_.wake_writer(wait_ms, tag_of(id));
    }
    const bool is_write = operation == Operation::bind ||
                          operation == Operation::patch_status ||
                          operation == Operation::evict;
    if (is_write && !process_.may_write()) {
        return no_answer(id, false, "not the leader");
    }
    if (is_write) {
        world_.decision_checker.sent(process_.replica(), process_.elector.identity());
    }
    process_.send(call_for(job), first_ticket + id, call_limit_ms);
}

Call Writer::call_for(const Job& job) const {
    Call call;
    call.operation = job.operation;
    call.pod = job.pod;
    call.author = job.author;
    if (job.operation == Operation::bind) {
        const k8s::BindRequest& request = std::get<k8s::BindJob>(job.asked).request;
        call.version = request.resource_version;
        call.node = request.node;
        call.annotations = request.annotations;
    } else if (job.operation == Operation::patch_status) {
        const k8s::StatusPatch& patch = std::get<k8s::PatchJob>(job.asked).patch;
        call.version = patch.resource_version;
        call.annotations = patch.annotations;
        call.has_condition = patch.condition.has_value();
        if (patch.condition) {
            call.reason = patch.condition->reason;
            call.message = patch.condition->message;
        }
    }
    return call;
}

void Writer::no_answer(std::uint32_t id, bool maybe_sent, const std::string& message) {
    Job& job = jobs_[id];
    const std::uint32_t random = world_.random.next32();
    if (job.is_fetch()) {
        Answer answer;
        answer.message = message;
        return fetched(id, answer);
    }
    if (job.status) {
        return proceed(id, job.status->on_no_answer(maybe_sent, message, random));
    }
    if (job.eviction) {
        return proceed(id, job.eviction->on_no_answer(maybe_sent, message, random));
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
    } else if (jobs_[id].is_fetch()) {
        fetched(id, answer);
    } else if (jobs_[id].bind) {
        bind_answered(id, answer);
    } else if (jobs_[id].eviction) {
        proceed(id, jobs_[id].eviction->on_answer(http(answer), world_.random.next32()));
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
        versions_.wrote(job.pod.uid, answer.pod.resource_version);
    }
    proceed(id, job.status->on_answer(http(answer), world_.random.next32()));
}

void Writer::fetched(std::uint32_t id, const Answer& answer) {
    const std::string& uid = jobs_[id].pod.uid;
    if (answer.status == 200) {
        process_.push_answer(SparkConfFound{uid, world_.applications.conf(answer.conf)});
    } else {
        k8s::FetchOutcome outcome = k8s::FetchOutcome::failed;
        if (answer.status == 404) {
            outcome = k8s::FetchOutcome::not_found;
        } else if (answer.status == 401 || answer.status == 403) {
            outcome = k8s::FetchOutcome::forbidden;
        }
        process_.push_answer(SparkConfMissing{uid, to_problem(outcome), answer.message});
    }
    finish(id);
}

void Writer::wakes(std::uint32_t tag) {
    const std::uint32_t id = tag & job_mask;
    if (is_closed_ || tag != tag_of(id)) {
        return;  // it was given up meanwhile
    }
    Job& job = jobs_[id];
    if (std::exchange(job.waits_for_breaker, false)) {
        attempt(id, job.operation);
    } else {
        job.is_delayed = false;
        resumed_.push_back(id);
    }
    dispatch();
}

}  // namespace gang::sim
