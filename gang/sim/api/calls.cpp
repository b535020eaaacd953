#include "gang/sim/api/calls.hpp"

#include "gang/sim/api/latency.hpp"
#include "gang/sim/api/requests.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t late_ms_max = 90'000;
constexpr std::int64_t slow_ms_max = 20'000;
constexpr std::int64_t reset_ms_max = 2'000;
constexpr std::int64_t refused_ms = 1;

}  // namespace

std::uint32_t Calls::send(Call call) {
    std::uint32_t id = 0;
    if (free_.empty()) {
        id = static_cast<std::uint32_t>(calls_.size());
        calls_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    call.in_use = true;
    call.server = world_.cluster.api.any_server();
    calls_[id] = std::move(call);
    set_out(id);
    return id;
}

void Calls::set_out(std::uint32_t id) {
    const bool is_down = world_.cluster.api.outages.is_down(calls_[id].server);
    if (is_down || world_.faults.strikes(Fault::connect_refused)) {
        return lose(id, false, refused_ms);
    }
    if (world_.faults.strikes(Fault::request_lost)) {
        return lose(id, true, world_.random.between(1, reset_ms_max));
    }
    std::int64_t after_ms = draw_latency(world_.plan, world_.random);
    if (world_.faults.strikes(Fault::request_late)) {
        after_ms += world_.random.long_tail(100, late_ms_max);
    }
    ++calls_[id].pending;
    world_.queue.plan(world_.now_ms + after_ms, Happening::call_arrives, id);
    if (world_.now_ms + after_ms >= calls_[id].gives_up_ms) {
        leave_unanswered(id);
    }
}

void Calls::arrive(std::uint32_t id) {
    const Outages& outages = world_.cluster.api.outages;
    if (outages.is_store_paused()) {
        const std::int64_t until_ms = outages.store_paused_until_ms();
        const std::int64_t after_ms = draw_latency(world_.plan, world_.random);
        world_.queue.plan(until_ms + after_ms, Happening::call_arrives, id);
        if (until_ms >= calls_[id].gives_up_ms && !calls_[id].given_up) {
            leave_unanswered(id);
        }
        return;
    }
    --calls_[id].pending;
    if (outages.is_down(calls_[id].server)) {
        return calls_[id].given_up ? release(id)
                                   : lose(id, true, draw_latency(world_.plan, world_.random));
    }
    if (!is_refused(id)) {
        Call& call = calls_[id];
        call.answer = Answer{};
        carry_out(world_, call);
        send_answer(id);
    }
    release(id);
}

/// What the front end says before it has done anything. True: this is the answer.
bool Calls::is_refused(std::uint32_t id) {
    const Outages& outages = world_.cluster.api.outages;
    Faults& faults = world_.faults;
    if (outages.are_rights_lost()) {
        fail(id, outages.rights_lost_status());
    } else if (faults.strikes(Fault::throttled)) {
        fail(id, 429);
    } else if (faults.strikes(Fault::throttled_with_time)) {
        fail(id, 429, world_.random.between(0, 4) * 1'000);
    } else if (faults.strikes(Fault::unavailable)) {
        fail(id, 503);
    } else if (faults.strikes(Fault::unavailable_with_time)) {
        fail(id, 503, world_.random.between(0, 4) * 1'000);
    } else if (faults.strikes(Fault::error_before)) {
        fail(id, 500);
    } else if (faults.strikes(Fault::timeout_before)) {
        fail(id, 504);
    } else {
        return false;
    }
    return true;
}

/// It was carried out, whatever the client hears of it.
void Calls::send_answer(std::uint32_t id) {
    Faults& faults = world_.faults;
    const bool is_stream = calls_[id].operation == Operation::watch;
    if (!is_stream && faults.strikes(Fault::answer_lost)) {
        lose(id, true, world_.random.between(1, reset_ms_max));
    } else if (!is_stream && faults.strikes(Fault::answer_never)) {
        if (!calls_[id].given_up) {
            leave_unanswered(id);
        }
    } else if (!is_stream && faults.strikes(Fault::error_after)) {
        fail(id, 500);
    } else if (!is_stream && faults.strikes(Fault::timeout_after)) {
        fail(id, 504);
    } else {
        const bool is_slow = faults.strikes(Fault::answer_slow);
        const std::int64_t after_ms = draw_latency(world_.plan, world_.random);
        answer(id, after_ms + (is_slow ? world_.random.long_tail(50, slow_ms_max) : 0));
    }
}

void Calls::answer(std::uint32_t id, std::int64_t after_ms) {
    Call& call = calls_[id];
    const std::int64_t at_ms = world_.now_ms + after_ms;
    if (call.given_up) {
        return;
    }
    if (at_ms >= call.gives_up_ms) {
        return leave_unanswered(id);
    }
    ++call.pending;
    world_.queue.plan(at_ms, Happening::call_answered, id);
}

void Calls::leave_unanswered(std::uint32_t id) {
    ++calls_[id].pending;
    world_.queue.plan(
        std::max(calls_[id].gives_up_ms, world_.now_ms), Happening::call_times_out, id);
}

void Calls::lose(std::uint32_t id, bool maybe_sent, std::int64_t after_ms) {
    calls_[id].answer = Answer{};
    calls_[id].answer.maybe_sent = maybe_sent;
    calls_[id].answer.message = maybe_sent ? "connection reset" : "connection refused";
    answer(id, after_ms);
}

void Calls::fail(std::uint32_t id, int status, std::int64_t retry_after_ms) {
    calls_[id].answer = Answer{};
    calls_[id].answer.status = status;
    calls_[id].answer.retry_after_ms = retry_after_ms;
    calls_[id].answer.message = "refused by the model";
    answer(id, draw_latency(world_.plan, world_.random));
}

/// One happening that names it is over. False: nothing is to be told any more.
bool Calls::is_awaited(std::uint32_t id) {
    Call& call = calls_[id];
    --call.pending;
    if (call.given_up || call.taken) {
        release(id);
        return false;
    }
    return true;
}

void Calls::answered(std::uint32_t id) {
    if (is_awaited(id)) {
        hand_over(id);
    }
}

void Calls::timed_out(std::uint32_t id) {
    if (is_awaited(id)) {
        calls_[id].answer = Answer{};
        calls_[id].answer.message = "timeout";
        hand_over(id);
    }
}

void Calls::give_up(std::uint32_t id) {
    calls_[id].given_up = true;
    release(id);
}

// The place is free before the replica goes on: it may ask for something new at once.
void Calls::hand_over(std::uint32_t id) {
    const Call call = std::move(calls_[id]);
    calls_[id] = Call{};
    calls_[id].in_use = true;
    calls_[id].taken = true;
    calls_[id].pending = call.pending;
    calls_[id].replica = call.replica;
    release(id);
    Replica& replica = world_.replicas[call.replica];
    if (replica.lives(call.life)) {
        replica.answered(call);
    }
}

void Calls::release(std::uint32_t id) {
    Call& call = calls_[id];
    if (call.pending > 0 || !call.in_use || (!call.taken && !call.given_up)) {
        return;
    }
    call.in_use = false;
    free_.push_back(id);
}

void Calls::forget_replica(std::uint32_t replica) {
    for (std::uint32_t id = 0; id < calls_.size(); ++id) {
        if (calls_[id].in_use && calls_[id].replica == replica && !calls_[id].given_up) {
            give_up(id);
        }
    }
}

}  // namespace gang::sim
