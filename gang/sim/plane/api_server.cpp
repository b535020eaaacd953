#include "gang/sim/plane/api_server.hpp"

#include "gang/sim/base/clock.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t late_ms_max = 90'000;
constexpr std::int64_t slow_ms_max = 20'000;
/// Evictions that a PodDisruptionBudget refuses.
constexpr int budget_percent = 10;
constexpr std::int64_t reset_ms_max = 2'000;
constexpr std::int64_t refused_ms = 1;

}  // namespace

ApiServers::ApiServers(World& world) : world_(world) {
    servers_.resize(static_cast<std::size_t>(world.plan.servers));
}

std::int64_t ApiServers::latency() {
    return world_.random.between(1, world_.plan.latency_ms_max);
}

std::uint32_t ApiServers::send(Call call) {
    std::uint32_t id = 0;
    if (free_calls_.empty()) {
        id = static_cast<std::uint32_t>(calls_.size());
        calls_.emplace_back();
    } else {
        id = free_calls_.back();
        free_calls_.pop_back();
    }
    call.in_use = true;
    call.server = static_cast<std::uint32_t>(world_.random.below(servers_.size()));
    calls_[id] = std::move(call);
    ++open_calls_;
    set_out(id);
    return id;
}

void ApiServers::set_out(std::uint32_t id) {
    const bool is_down = servers_[calls_[id].server].down_until_ms > world_.now_ms;
    if (is_down || world_.faults.strikes(Fault::connect_refused)) {
        return lose(id, false, refused_ms);
    }
    if (world_.faults.strikes(Fault::request_lost)) {
        return lose(id, true, world_.random.between(1, reset_ms_max));
    }
    std::int64_t after_ms = latency();
    if (world_.faults.strikes(Fault::request_late)) {
        after_ms += world_.random.long_tail(100, late_ms_max);
    }
    ++calls_[id].pending;
    world_.queue.plan(world_.now_ms + after_ms, Happening::call_arrives, id);
    if (world_.now_ms + after_ms >= calls_[id].gives_up_ms) {
        leave_unanswered(id);
    }
}

void ApiServers::answer(std::uint32_t id, std::int64_t after_ms) {
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

void ApiServers::leave_unanswered(std::uint32_t id) {
    ++calls_[id].pending;
    world_.queue.plan(
        std::max(calls_[id].gives_up_ms, world_.now_ms), Happening::call_times_out, id);
}

void ApiServers::lose(std::uint32_t id, bool maybe_sent, std::int64_t after_ms) {
    calls_[id].answer = Answer{};
    calls_[id].answer.maybe_sent = maybe_sent;
    calls_[id].answer.message = maybe_sent ? "connection reset" : "connection refused";
    answer(id, after_ms);
}

void ApiServers::fail(std::uint32_t id, int status, std::int64_t retry_after_ms) {
    calls_[id].answer = Answer{};
    calls_[id].answer.status = status;
    calls_[id].answer.retry_after_ms = retry_after_ms;
    calls_[id].answer.message = "refused by the model";
    answer(id, latency());
}

void ApiServers::release(std::uint32_t id) {
    Call& call = calls_[id];
    if (call.pending > 0 || !call.in_use || (!call.taken && !call.given_up)) {
        return;
    }
    call.in_use = false;
    free_calls_.push_back(id);
    --open_calls_;
}

bool ApiServers::take_answer(std::uint32_t id) {
    Call& call = calls_[id];
    --call.pending;
    if (call.given_up || call.taken) {
        release(id);
        return false;
    }
    call.taken = true;
    return true;
}

bool ApiServers::take_timeout(std::uint32_t id) {
    Call& call = calls_[id];
    --call.pending;
    if (call.given_up || call.taken) {
        release(id);
        return false;
    }
    call.given_up = true;
    call.answer = Answer{};
    call.answer.message = "timeout";
    return true;
}

void ApiServers::give_up(std::uint32_t id) {
    calls_[id].given_up = true;
    release(id);
}

// The place is free before the replica goes on: it may ask for something new at once.
void ApiServers::hand_over(std::uint32_t id) {
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

void ApiServers::forget_replica(std::uint32_t replica) {
    for (Stream& stream : streams_) {
        stream.open = stream.open && stream.replica != replica;
    }
    for (std::uint32_t id = 0; id < calls_.size(); ++id) {
        if (calls_[id].in_use && calls_[id].replica == replica && !calls_[id].given_up) {
            give_up(id);
        }
    }
}

// What the front end says before it has done anything. True: this is the answer.
bool ApiServers::refuses_before(std::uint32_t id) {
    Faults& faults = world_.faults;
    if (rights_lost_until_ms_ > world_.now_ms) {
        fail(id, rights_lost_status_);
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

void ApiServers::arrive(std::uint32_t id) {
    if (store_paused_until_ms_ > world_.now_ms) {
        world_.queue.plan(store_paused_until_ms_ + latency(), Happening::call_arrives, id);
        if (store_paused_until_ms_ >= calls_[id].gives_up_ms && !calls_[id].given_up) {
            leave_unanswered(id);
        }
        return;
    }
    --calls_[id].pending;
    if (servers_[calls_[id].server].down_until_ms > world_.now_ms) {
        return calls_[id].given_up ? release(id) : lose(id, true, latency());
    }
    if (refuses_before(id)) {
        return release(id);
    }
    Call& call = calls_[id];
    call.answer = Answer{};
    carry_out(call);
    Faults& faults = world_.faults;
    const bool is_stream = call.operation == Operation::watch;
    if (!is_stream && faults.strikes(Fault::answer_lost)) {
        lose(id, true, world_.random.between(1, reset_ms_max));
    } else if (!is_stream && faults.strikes(Fault::answer_never)) {
        if (!call.given_up) {
            leave_unanswered(id);
        }
    } else if (!is_stream && faults.strikes(Fault::error_after)) {
        fail(id, 500);
    } else if (!is_stream && faults.strikes(Fault::timeout_after)) {
        fail(id, 504);
    } else {
        const bool is_slow = faults.strikes(Fault::answer_slow);
        answer(id, latency() + (is_slow ? world_.random.long_tail(50, slow_ms_max) : 0));
    }
    release(id);
}

void ApiServers::carry_out(Call& call) {
    switch (call.operation) {
        case Operation::list:
            return list(call);
        case Operation::watch:
            return open_watch(call);
        case Operation::bind:
            return bind(call);
        case Operation::patch_status:
            return patch_status(call);
        case Operation::evict:
            return evict(call);
        case Operation::get_pod:
            return read_pod(call);
        case Operation::get_config_map:
            return read_config_map(call);
        case Operation::get_group:
            return world_.group_jobs.read_object(call);
        case Operation::write_group_status:
            return world_.group_jobs.write_status(call);
        case Operation::get_claim:
            return world_.volumes.read(call);
        case Operation::select_node:
            return world_.volumes.select_node(call);
        case Operation::list_quotas:
            return world_.namespace_quotas.read(call);
        case Operation::write_demand:
            return world_.autoscaler.write(call);
        case Operation::delete_demand:
            return world_.autoscaler.remove(call);
        case Operation::list_demand:
            return world_.autoscaler.list(call);
        case Operation::get_lease:
        case Operation::create_lease:
        case Operation::update_lease:
            return write_lease(call);
        case Operation::watch_lease:
            call.answer.status = 200;
            return;
    }
}

// By name, as a URL does it.
std::uint32_t ApiServers::find_pod(const PodRef& pod) const {
    const auto found = world_.store.pod_by_name.find(pod.namespace_name + "/" + pod.name);
    return found == world_.store.pod_by_name.end() ? nobody : found->second;
}

void ApiServers::bind(Call& call) {
    const std::uint32_t id = find_pod(call.pod);
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    const bool is_refused = pod->uid != call.pod.uid || pod->deleting || pod->gated ||
                            !pod->node_name.empty() ||
                            (!call.version.empty() && pod->resource_version != call.version);
    call.answer.status = is_refused ? 409 : 201;
    if (is_refused) {
        return;
    }
    world_.change_pod(id, call.author, [&call, this](core::Pod& bound) {
        bound.node_name = call.node;
        bound.scheduled =
            core::ScheduledCondition{true, "", "", (unix_begin_ms + world_.now_ms) / 1'000};
        merge_annotations(bound, call.annotations);
    });
}

void ApiServers::patch_status(Call& call) {
    const std::uint32_t id = find_pod(call.pod);
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    if (pod->uid != call.pod.uid) {
        call.answer.status = 422;
        return;
    }
    if (!call.version.empty() && pod->resource_version != call.version) {
        call.answer.status = 409;
        return;
    }
    core::Pod changed = *pod;
    if (call.has_condition) {
        changed.scheduled = core::ScheduledCondition{false, call.reason, call.message, 0};
    }
    merge_annotations(changed, call.annotations);
    // A patch that changes nothing moves nothing.
    if (!(changed == *pod)) {
        world_.change_pod(
            id, call.author, [&changed](core::Pod& after) { after = std::move(changed); });
    }
    call.answer.status = 200;
    const core::Pod& now = *world_.store.find_pod(id);
    call.answer.pod.exists = true;
    call.answer.pod.uid = now.uid;
    call.answer.pod.resource_version = now.resource_version;
    call.answer.pod.node = now.node_name;
}

/// A pod that has not run yet, or ends already, is no affair of its budget.
void ApiServers::evict(Call& call) {
    const std::uint32_t id = find_pod(call.pod);
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    if (pod->uid != call.pod.uid) {
        call.answer.status = 409;
        call.answer.message = "Precondition failed: UID in precondition: " + call.pod.uid +
                              ", UID in object meta: " + pod->uid;
        return;
    }
    const bool is_disruption = !pod->deleting && pod->phase == core::PodPhase::running;
    if (is_disruption && world_.random.percent(budget_percent)) {
        call.answer.status = 429;
        call.answer.message = "Cannot evict pod as it would violate the pod's disruption budget.";
        return;
    }
    call.answer.status = 201;
    if (!pod->deleting) {
        world_.delete_pod(id, call.author, world_.random.between(0, 5'000));
    }
}

void ApiServers::read_pod(Call& call) {
    const core::Pod* pod = world_.store.find_pod(find_pod(call.pod));
    call.answer.status = pod == nullptr ? 404 : 200;
    if (pod != nullptr) {
        call.answer.pod = {
            true, pod->uid, pod->resource_version, pod->node_name, pod->deleting, pod->gated};
    }
}

void ApiServers::read_config_map(Call& call) {
    call.answer.conf = world_.applications.find_conf(call.pod);
    call.answer.status = call.answer.conf == nobody ? 404 : 200;
}

void ApiServers::write_lease(Call& call) {
    const auto& current = world_.store.lease();
    if (call.operation == Operation::get_lease) {
        call.answer.status = current ? 200 : 404;
        call.answer.lease = current;
        return;
    }
    if (call.operation == Operation::create_lease && current) {
        call.answer.status = 409;
        return;
    }
    if (call.operation == Operation::update_lease) {
        // A PUT that names the uid of an object that is gone is a conflict, too.
        if (!current || current->resource_version != call.lease.resource_version) {
            call.answer.status = 409;
            return;
        }
    }
    if (call.lease.holder.empty()) {
        ++(call.lease.settled ? world_.counts.settled : world_.counts.released);
    }
    world_.set_lease(call.lease);
    call.answer.status = call.operation == Operation::create_lease ? 201 : 200;
    call.answer.lease = world_.store.lease();
}

namespace {

/// "7:30": the snapshot and where its next page begins.
std::pair<std::uint32_t, std::uint64_t> read_token(const std::string& token) {
    const std::size_t colon = token.find(':');
    return {
        static_cast<std::uint32_t>(std::stoul(token.substr(0, colon))),
        std::stoull(token.substr(colon + 1))};
}

template <typename Object>
std::vector<Object> live(const std::vector<std::optional<Object>>& all) {
    std::vector<Object> found;
    for (const auto& one : all) {
        if (one) {
            found.push_back(*one);
        }
    }
    return found;
}

/// Moves one page out of all objects; true: there are more.
template <typename Object>
bool take_page(
    const std::vector<Object>& all,
    std::uint64_t from,
    std::uint64_t to,
    std::vector<Object>& page) {
    page.assign(
        all.begin() + static_cast<std::ptrdiff_t>(from),
        all.begin() + static_cast<std::ptrdiff_t>(to));
    return to < all.size();
}

}  // namespace

// A continued list is as old as its first page.
void ApiServers::list(Call& call) {
    std::uint32_t serial = 0;
    std::uint64_t from = 0;
    if (call.continue_token.empty()) {
        serial = ++list_serial_;
        Snapshot& made = lists_[serial];
        made.revision = world_.store.revision;
        if (call.is_of_nodes) {
            made.nodes = live(world_.store.nodes);
        } else {
            made.pods = live(world_.store.pods);
        }
    } else {
        std::tie(serial, from) = read_token(call.continue_token);
        if (!lists_.contains(serial) || world_.faults.strikes(Fault::continue_expired)) {
            call.answer.status = 410;
            return;
        }
    }
    const Snapshot& all = lists_.at(serial);
    const std::uint64_t size = call.is_of_nodes ? all.nodes.size() : all.pods.size();
    const bool is_empty = from < size && world_.faults.strikes(Fault::page_empty);
    const auto page = is_empty ? 0 : static_cast<std::uint64_t>(world_.plan.page_size);
    const std::uint64_t to = std::min(size, from + page);
    const bool has_more = call.is_of_nodes ? take_page(all.nodes, from, to, call.answer.nodes)
                                           : take_page(all.pods, from, to, call.answer.pods);
    call.answer.status = 200;
    call.answer.list_version = std::to_string(all.revision);
    if (has_more) {
        call.answer.continue_token = std::to_string(serial) + ":" + std::to_string(to);
    } else {
        lists_.erase(serial);
    }
}

}  // namespace gang::sim
