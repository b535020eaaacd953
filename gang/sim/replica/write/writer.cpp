#include "gang/sim/replica/write/writer.hpp"

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

Call call_for(const PendingWrite& write) {
    Call call;
    call.operation = write.operation;
    call.pod = write.pod;
    call.author = write.author;
    if (write.operation == Operation::bind) {
        const k8s::BindRequest& request = std::get<k8s::BindJob>(write.asked).request;
        call.version = request.resource_version;
        call.node = request.node;
        call.annotations = request.annotations;
    } else if (write.operation == Operation::patch_status) {
        const k8s::StatusPatch& patch = std::get<k8s::PatchJob>(write.asked).patch;
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

}  // namespace

Writer::Writer(World& world, Process& process)
    : world_(world), process_(process), queue_(k8s::WriteBounds()), breaker_(breaker_options()) {}

void Writer::bind(const BindPod& decision, const Author& author) {
    asked(decision.pod.uid, WriteAuthors::Kind::bind, author);
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
    const bool is_taken = queue_.add(k8s::PatchJob{to_patch(decision), {}, process_.time.mono()});
    if (is_taken) {
        dispatch();
    }
}

void Writer::update_reservation(const UpdateReservation& decision) {
    patch(decision.driver.uid, to_patch(decision));
}

void Writer::patch(const std::string& uid, k8s::StatusPatch what) {
    asked(uid, WriteAuthors::Kind::patch, process_.author());
    ENSURE(queue_.add(k8s::PatchJob{
        std::move(what),
        [this, uid](const k8s::StatusResult& result) {
            process_.push_answer(to_event(uid, result));
        },
        process_.time.mono()}));
    dispatch();
}

void Writer::evict(const EvictPod& decision) {
    const std::string& uid = decision.pod.uid;
    asked(uid, WriteAuthors::Kind::evict, process_.author());
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

void Writer::asked(const std::string& uid, WriteAuthors::Kind kind, const Author& author) {
    authors_.add(uid, kind, author);
    answers_.taken(uid);
    writes_.give_up_conditions(uid);
}

void Writer::dispatch() {
    // A bind finds half of the connections free of what nobody waits for.
    const std::int64_t droppable_max = std::max<std::int64_t>(world_.plan.connections / 2, 1);
    while (connections_used_ < world_.plan.connections) {
        if (const auto resumed = writes_.take_resumed()) {
            ++connections_used_;
            go_on(*resumed);
            continue;
        }
        auto taken = queue_.take(process_.time.mono(), writes_.droppable() < droppable_max);
        if (!taken) {
            return;
        }
        ++connections_used_;
        begin(writes_.add(*std::move(taken)));
    }
}

void Writer::begin(std::uint32_t id) {
    PendingWrite& write = writes_[id];
    const std::string& uid = write.pod.uid;
    if (write.is_fetch()) {
        write.author = process_.author();
        return attempt(id, Operation::get_config_map);
    }
    if (auto* bind = std::get_if<k8s::BindJob>(&write.asked)) {
        k8s::BindRequest& request = bind->request;
        write.author = authors_.take(uid, WriteAuthors::Kind::bind);
        request.resource_version = versions_.newest(uid, request.resource_version);
        write.machine.emplace(
            protocol::Bind(protocol::BindTarget{uid, request.resource_version, request.node}));
    } else if (auto* patch = std::get_if<k8s::PatchJob>(&write.asked)) {
        write.author =
            patch->done ? authors_.take(uid, WriteAuthors::Kind::patch) : process_.author();
        std::string& version = patch->patch.resource_version;
        version = versions_.newest(uid, version);
        write.machine.emplace(protocol::StatusWrite(!version.empty()));
    } else {
        write.author = authors_.take(uid, WriteAuthors::Kind::evict);
        write.machine.emplace(protocol::Evict());
    }
    proceed(id, write.machine->start(process_.may_write()));
}

/// Its wait is over, and it has a connection.
void Writer::go_on(std::uint32_t id) {
    PendingWrite& write = writes_[id];
    if (write.is_given_up) {
        return finish(id);
    }
    proceed(id, write.machine->on_waited(process_.may_write()));
}

void Writer::finish(std::uint32_t id) {
    const PendingWrite& write = writes_[id];
    queue_.finished(k8s::order_key_of(write.asked));
    if (k8s::is_awaited_write(write.asked)) {
        answers_.answered(write.pod.uid);
    }
    --connections_used_;
    writes_.remove(id);
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
    process_.drained(writes_.empty());
}

/// To be repeated: others may use the connection meanwhile, the pod stays busy.
void Writer::wait(std::uint32_t id, std::int64_t ms) {
    --connections_used_;
    writes_[id].is_delayed = true;
    process_.wakeups.writer(ms, writes_.tag_of(id));
}

void Writer::proceed(std::uint32_t id, WriteStep step) {
    PendingWrite& write = writes_[id];
    if (const auto* operation = std::get_if<Operation>(&step)) {
        return attempt(id, *operation);
    }
    if (const auto* pause = std::get_if<protocol::Wait>(&step)) {
        const bool is_in_the_way =
            k8s::is_droppable(write.asked) && answers_.is_awaited(write.pod.uid);
        return is_in_the_way ? finish(id) : wait(id, pause->ms);
    }
    if (auto* bound = std::get_if<protocol::BindFinished>(&step)) {
        if (bound->outcome == protocol::BindOutcome::bound ||
            bound->outcome == protocol::BindOutcome::taken) {
            queue_.discard_condition(write.pod.uid);
        }
        auto& bind = std::get<k8s::BindJob>(write.asked);
        bind.done(k8s::BindResult{bound->outcome, std::move(bound->message), bind.request});
    } else if (auto* patched = std::get_if<protocol::PatchFinished>(&step)) {
        if (const auto& done = std::get<k8s::PatchJob>(write.asked).done) {
            patches_unsettled_ += patched->unsettled ? 1 : 0;
            done(k8s::StatusResult{
                patched->written, patched->changed, std::move(patched->message), {}});
        }
    } else {
        auto& evicted = std::get<protocol::EvictionFinished>(step);
        patches_unsettled_ += evicted.unsettled ? 1 : 0;
        std::get<k8s::EvictJob>(write.asked)
            .done(k8s::EvictResult{evicted.outcome, std::move(evicted.message)});
    }
    finish(id);
}

void Writer::attempt(std::uint32_t id, Operation operation) {
    PendingWrite& write = writes_[id];
    write.operation = operation;
    const std::int64_t wait_ms = breaker_.wait_ms(process_.time.mono());
    write.waits_for_breaker = wait_ms > 0;
    if (write.waits_for_breaker) {
        return process_.wakeups.writer(wait_ms, writes_.tag_of(id));
    }
    const bool is_write = operation == Operation::bind || operation == Operation::patch_status ||
                          operation == Operation::evict;
    if (is_write && !process_.may_write()) {
        return no_answer(id, false, "not the leader");
    }
    if (is_write) {
        world_.checker_suite.lease.sent(process_.replica(), process_.elector.identity());
    }
    process_.send(call_for(write), first_ticket + id, call_limit_ms);
}

void Writer::no_answer(std::uint32_t id, bool maybe_sent, const std::string& message) {
    PendingWrite& write = writes_[id];
    const std::uint32_t random = world_.random.next32();
    if (write.is_fetch()) {
        Answer answer;
        answer.message = message;
        return fetched(id, answer);
    }
    proceed(id, write.machine->on_no_answer(write.operation, maybe_sent, message, random));
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
        breaker_.unreachable(process_.time.mono(), world_.random.next32());
    }
    PendingWrite& write = writes_[id];
    if (answer.status == 0) {
        no_answer(id, answer.maybe_sent, answer.message);
    } else if (write.is_fetch()) {
        fetched(id, answer);
    } else {
        if (write.operation == Operation::patch_status && answer.status == 200) {
            versions_.wrote(write.pod.uid, answer.pod.resource_version);
        }
        const std::uint32_t random = world_.random.next32();
        proceed(
            id, write.machine->on_answer(write.operation, answer, process_.may_write(), random));
    }
    dispatch();
}

void Writer::fetched(std::uint32_t id, const Answer& answer) {
    const std::string& uid = writes_[id].pod.uid;
    if (answer.status == 200) {
        process_.push_answer(SparkConfFound{uid, world_.cluster.applications.conf(answer.conf)});
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
    const auto id = is_closed_ ? std::nullopt : writes_.find(tag);
    if (!id) {
        return;
    }
    PendingWrite& write = writes_[*id];
    if (std::exchange(write.waits_for_breaker, false)) {
        attempt(*id, write.operation);
    } else {
        writes_.resume(*id);
    }
    dispatch();
}

}  // namespace gang::sim
