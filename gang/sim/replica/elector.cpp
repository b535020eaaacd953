#include "gang/sim/replica/elector.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace protocol = k8s::protocol;
namespace {

constexpr std::int64_t call_ms_max = 5'000;  // as in k8s/lease/elector.cpp
constexpr std::int64_t call_ms_min = 500;
constexpr std::int64_t last_renewal_ms = 1'000;

protocol::ElectionOptions options(const std::string& identity) {
    protocol::ElectionOptions made;
    made.identity = identity;
    return made;
}

}  // namespace

Elector::Elector(World& world, Process& process, const std::string& identity)
    : world_(world), process_(process), identity_(identity), election_(options(identity)) {}

bool Elector::may_write() const {
    return !is_over_ && election_.may_write(process_.time.mono());
}

std::int64_t Elector::limit_ms() const {
    std::int64_t ms = call_ms_max;
    if (election_.is_leader()) {
        ms = std::min(ms, election_.deadline_ms() - process_.time.mono());
    }
    return std::max(ms, call_ms_min);
}

void Elector::report() {
    if (is_over_ || release_.is_begun() || reported_leader_ == election_.is_leader()) {
        return;
    }
    reported_leader_ = election_.is_leader();
    if (reported_leader_) {
        process_.lead(LeadershipGained{election_.epoch(), election_.was_handed_over()});
    } else {
        is_over_ = true;
        process_.lost();
    }
}

void Elector::wake_after(std::int64_t ms) {
    process_.wakeups.elector(ms, ++serial_);
}

void Elector::wakes(std::uint32_t serial) {
    if (serial != serial_) {
        return;
    }
    if (release_.is_begun()) {  // the renewal under way has had its time
        world_.cluster.api.calls.give_up(std::exchange(call_, nobody));
        election_.on_failed(process_.time.mono());
        return release();
    }
    is_following_ = false;
    go_on();
}

void Elector::send(Call call, std::int64_t limit_ms) {
    call_ = process_.send(std::move(call), ticket, limit_ms);
}

void Elector::write(protocol::Lease lease, Operation operation, bool acquired) {
    const std::int64_t wall = process_.time.wall();
    lease.holder = identity_;
    lease.duration_ms = 15'000;
    lease.renewed = std::to_string(wall);
    if (acquired) {
        lease.epoch = election_.next_epoch(wall);
    }
    Call call;
    call.operation = operation;
    call.lease = std::move(lease);
    sent_ms_ = process_.time.mono();
    send(std::move(call), limit_ms());
}

void Elector::go_on() {
    if (is_over_) {
        return;
    }
    election_.check_deadline(process_.time.mono());
    const protocol::LeaseAction action =
        election_.next(process_.time.mono(), world_.random.next32());
    report();
    if (is_over_) {
        return;
    }
    if (const auto* wait = std::get_if<protocol::WaitLease>(&action)) {
        wake_after(wait->ms);
    } else if (const auto* create = std::get_if<protocol::CreateLease>(&action)) {
        protocol::Lease lease;
        lease.transitions = create->transitions;
        write(std::move(lease), Operation::create_lease, true);
    } else if (const auto* update = std::get_if<protocol::UpdateLease>(&action)) {
        protocol::Lease lease;
        lease.resource_version = update->resource_version;
        lease.transitions = update->transitions;
        lease.epoch = epoch_written_;
        write(std::move(lease), Operation::update_lease, update->acquired);
    } else {
        Call call;
        const auto* follow = std::get_if<protocol::FollowLease>(&action);
        call.operation = follow != nullptr ? Operation::watch_lease : Operation::get_lease;
        if (follow != nullptr) {
            call.version = follow->resource_version;
        }
        send(std::move(call), limit_ms());
    }
}

void Elector::take_read(const Answer& answer) {
    const std::int64_t now = process_.time.mono();
    if (answer.status == 404) {
        election_.on_read(now, std::nullopt);
    } else if (answer.status == 200) {
        epoch_written_ = answer.lease->epoch;
        election_.on_read(now, answer.lease);
    } else {
        election_.on_failed(now);
    }
}

void Elector::take_answer(const Call& call) {
    const Answer& answer = call.answer;
    const std::int64_t now = process_.time.mono();
    if (call.operation == Operation::watch_lease) {
        protocol::FollowEnd end = protocol::FollowEnd::refused;
        if (answer.status == 0 || answer.status == 410) {
            end = protocol::FollowEnd::closed;
        } else if (answer.status == 429 || answer.status >= 500) {
            end = protocol::FollowEnd::busy;
        }
        election_.on_follow_ended(now, end);
    } else if (call.operation == Operation::get_lease) {
        take_read(answer);
    } else if (answer.status == 409) {
        election_.on_conflict(now);
    } else if (answer.status == 200 || answer.status == 201) {
        epoch_written_ = answer.lease->epoch;
        election_.on_written(sent_ms_, *answer.lease);
    } else {
        election_.on_failed(now);
    }
}

void Elector::answered(const Call& call) {
    call_ = nobody;
    if (release_.is_writing()) {
        return released(call);
    }
    if (call.operation == Operation::watch_lease && call.answer.status == 200 &&
        !release_.is_begun()) {
        is_following_ = true;
        // What was written between the read and the watch.
        if (world_.store.lease()) {
            seen(world_.store.lease());
        }
        if (is_following_) {
            wake_after(
                std::max<std::int64_t>(election_.follow_until_ms() - process_.time.mono(), 1));
        }
        return;
    }
    take_answer(call);
    if (release_.is_begun()) {
        return release();
    }
    election_.check_deadline(process_.time.mono());
    report();
    go_on();
}

void Elector::stop(LeaseEnd end) {
    release_.begin(end, process_.time.mono());
    is_following_ = false;
    ++serial_;
    if (end == LeaseEnd::leave && election_.release()) {
        ++world_.record.counts.left;
    }
    if (call_ != nobody) {
        return wake_after(last_renewal_ms);  // a renewal may finish, then comes the release
    }
    release();
}

void Elector::release() {
    release_.stop_renewing();
    ++serial_;
    const auto update = election_.release();
    const std::int64_t now = process_.time.mono();
    if (!update || !release_.next_write(now)) {
        return end();
    }
    Call call;
    call.operation = Operation::update_lease;
    call.lease = release_.lease(*update, process_.time.wall(), epoch_written_);
    send(std::move(call), release_.left_ms(now));
}

void Elector::end() {
    world_.replicas[process_.replica()].leave();
}

void Elector::released(const Call& call) {
    if (call.operation == Operation::get_lease) {
        take_read(call.answer);
        return release();
    }
    if (call.answer.status != 409) {
        return end();
    }
    Call get;
    get.operation = Operation::get_lease;
    send(std::move(get), std::max<std::int64_t>(release_.left_ms(process_.time.mono()), 1));
}

void Elector::seen(const std::optional<protocol::Lease>& lease) {
    if (!is_following_) {
        return;
    }
    const std::int64_t now = process_.time.mono();
    epoch_written_ = lease ? lease->epoch : 0;
    election_.on_followed(now, lease);
    report();
    if (!election_.is_following(now)) {
        is_following_ = false;
        ++serial_;
        return go_on();
    }
    wake_after(std::max<std::int64_t>(election_.follow_until_ms() - now, 1));
}

void Elector::follow_broken() {
    if (!std::exchange(is_following_, false)) {
        return;
    }
    ++serial_;
    election_.on_follow_ended(process_.time.mono(), protocol::FollowEnd::closed);
    go_on();
}

}  // namespace gang::sim
