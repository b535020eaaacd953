// The watches of api_server.hpp: caches that run behind the store, streams, and what breaks them.

#include "gang/sim/plane/api_server.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <string>

namespace gang::sim {
namespace {

constexpr std::int64_t bookmark_gap_ms_min = 20'000;
constexpr std::int64_t bookmark_gap_ms_max = 60'000;
constexpr std::int64_t silence_ms = 45'000;  // k8s::WatcherOptions
constexpr std::uint64_t entries_per_delivery = 64;

k8s::protocol::Trouble trouble(int status, std::string reason = {}) {
    k8s::protocol::Trouble made;
    made.status = status;
    made.reason = std::move(reason);
    return made;
}

}  // namespace

void ApiServers::open_watch(Call& call) {
    if (world_.faults.strikes(Fault::version_too_large)) {
        call.answer.status = 504;
        call.answer.version_too_large = true;
        return;
    }
    const std::uint64_t version = std::stoull(call.version);
    const std::uint64_t compacted = call.is_of_nodes ? world_.store.node_log.compacted_revision()
                                                     : world_.store.pod_log.compacted_revision();
    const bool is_gone = version < compacted;
    const bool says_so_later = is_gone && world_.random.percent(50);
    if ((is_gone && !says_so_later) || world_.faults.strikes(Fault::watch_gone)) {
        call.answer.status = 410;
        return;
    }
    call.answer.status = 200;
    call.answer.stream_is_gone = says_so_later;
    call.answer.stream_place = call.is_of_nodes ? world_.store.node_log.place_after(version)
                                                : world_.store.pod_log.place_after(version);
}

std::uint32_t ApiServers::start_stream(const Call& call) {
    std::uint32_t id = 0;
    while (id < streams_.size() && streams_[id].open) {
        ++id;
    }
    if (id == streams_.size()) {
        streams_.emplace_back();
    }
    Stream& stream = streams_[id];
    const bool delivery_planned = stream.delivery_planned;
    stream = Stream{};
    stream.delivery_planned = delivery_planned;
    stream.open = true;
    stream.is_of_nodes = call.is_of_nodes;
    stream.server = call.server;
    stream.replica = call.replica;
    stream.life = call.life;
    stream.serial = ++stream_serial_;
    stream.place = call.answer.stream_place;
    stream.began = stream.place;
    stream.ends_ms = world_.now_ms + call.timeout_ms;
    stream.heard_ms = world_.now_ms;
    stream.next_bookmark_ms =
        world_.now_ms + world_.random.between(bookmark_gap_ms_min, bookmark_gap_ms_max);
    stream.is_half_open = world_.faults.strikes(Fault::watch_half_open);
    stream.fails_with_gone = call.answer.stream_is_gone;
    plan_delivery(id, latency());
    world_.queue.plan(
        world_.now_ms + silence_ms, Happening::stream_silent, id, streams_[id].serial);
    return id;
}

void ApiServers::plan_advances() {
    for (std::uint32_t i = 0; i < servers_.size(); ++i) {
        Server& server = servers_[i];
        if (server.advance_planned) {
            continue;
        }
        server.advance_planned = true;
        const std::int64_t after_ms = world_.random.between(0, world_.plan.cache_ms_max);
        world_.queue.plan(
            std::max(world_.now_ms + after_ms, server.lags_until_ms), Happening::cache_advances, i);
    }
}

void ApiServers::advance(std::uint32_t index) {
    Server& server = servers_[index];
    if (server.lags_until_ms > world_.now_ms) {
        world_.queue.plan(server.lags_until_ms, Happening::cache_advances, index);
        return;
    }
    server.advance_planned = false;
    server.pods_to = world_.store.pod_log.end();
    server.nodes_to = world_.store.node_log.end();
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        const Stream& stream = streams_[i];
        const std::uint64_t to = stream.is_of_nodes ? server.nodes_to : server.pods_to;
        if (stream.open && stream.server == index && stream.place < to) {
            plan_delivery(i, latency());
        }
    }
}

void ApiServers::plan_delivery(std::uint32_t id, std::int64_t after_ms) {
    Stream& stream = streams_[id];
    if (stream.delivery_planned || stream.is_half_open) {
        return;
    }
    stream.delivery_planned = true;
    world_.queue.plan(
        std::max(world_.now_ms + after_ms, stream.stalled_until_ms),
        Happening::stream_delivers,
        id);
}

void ApiServers::close_stream(std::uint32_t id) {
    streams_[id].open = false;
}

/// The stream is over without a word, or with a clean end.
bool ApiServers::break_stream(std::uint32_t id) {
    Stream& stream = streams_[id];
    const bool is_over = world_.now_ms >= stream.ends_ms;
    const bool is_down = servers_[stream.server].down_until_ms > world_.now_ms;
    const bool is_cut = is_down || world_.faults.strikes(Fault::watch_reset);
    const bool is_short = !is_cut && !is_over && world_.faults.strikes(Fault::watch_cut_short);
    if (!is_over && !is_cut && !is_short) {
        return false;
    }
    close_stream(id);
    world_.replicas[stream.replica].watch_closed(stream.is_of_nodes, !is_cut);
    return true;
}

/// An ERROR event in the stream, which ends it.
bool ApiServers::report_trouble(std::uint32_t id) {
    Stream& stream = streams_[id];
    k8s::protocol::Trouble what;
    if (stream.fails_with_gone || world_.faults.strikes(Fault::watch_gone_later)) {
        what = trouble(410, "Expired");
    } else if (world_.faults.strikes(Fault::watch_error)) {
        what = trouble(500, "InternalError");
    } else if (world_.faults.strikes(Fault::watch_throttled)) {
        what = trouble(429, "TooManyRequests");
    } else {
        return false;
    }
    close_stream(id);
    world_.replicas[stream.replica].watch_failed(stream.is_of_nodes, what);
    return true;
}

template <typename Object>
void ApiServers::deliver_from(std::uint32_t id, const ChangeLog<Object>& log, std::uint64_t to) {
    const std::uint64_t end = std::min(to, streams_[id].place + entries_per_delivery);
    while (streams_[id].open && streams_[id].place < end) {
        const Entry<Object>& entry = log.at(streams_[id].place);
        ++streams_[id].place;
        Replica& replica = world_.replicas[streams_[id].replica];
        world_.count_delivery(entry.revision);
        replica.watch_event(entry);
        if (world_.faults.strikes(Fault::event_repeated)) {
            replica.watch_event(entry);
        }
        const std::uint64_t place = streams_[id].place;
        if (place >= log.begin() + 4 && world_.faults.strikes(Fault::event_old)) {
            const std::uint64_t old = place - 1 - world_.random.below(3);
            if (old >= streams_[id].began) {
                replica.watch_event(log.at(old));
            }
        }
    }
    if (streams_[id].open && streams_[id].place < to) {
        plan_delivery(id, 1);
    }
}

void ApiServers::deliver(std::uint32_t id) {
    Stream& stream = streams_[id];
    stream.delivery_planned = false;
    if (!stream.open || stream.is_half_open) {
        return;
    }
    if (stream.stalled_until_ms > world_.now_ms) {
        return plan_delivery(id, 0);
    }
    if (world_.faults.strikes(Fault::watch_stalls)) {
        stream.stalled_until_ms = world_.now_ms + world_.random.long_tail(500, 40'000);
        return plan_delivery(id, 0);
    }
    if (break_stream(id) || report_trouble(id)) {
        return;
    }
    stream.heard_ms = world_.now_ms;
    const Server& server = servers_[stream.server];
    const std::uint64_t first =
        stream.is_of_nodes ? world_.store.node_log.begin() : world_.store.pod_log.begin();
    if (stream.place < first) {  // slower than the history is kept
        close_stream(id);
        world_.replicas[stream.replica].watch_failed(stream.is_of_nodes, trouble(410, "Expired"));
        return;
    }
    if (stream.is_of_nodes) {
        deliver_from(id, world_.store.node_log, server.nodes_to);
    } else {
        deliver_from(id, world_.store.pod_log, server.pods_to);
    }
}

// Comes every few seconds while a stream is open: bookmarks, ends that nobody asked for, silence.
void ApiServers::look_for_silence(std::uint32_t id, std::uint64_t serial) {
    Stream& stream = streams_[id];
    if (!stream.open || stream.serial != serial) {
        return;
    }
    if (!stream.is_half_open && break_stream(id)) {
        return;
    }
    const std::uint64_t to =
        stream.is_of_nodes ? servers_[stream.server].nodes_to : servers_[stream.server].pods_to;
    const bool is_idle = !stream.is_half_open && stream.place >= to;
    if (is_idle && world_.plan.has_bookmarks && world_.now_ms >= stream.next_bookmark_ms) {
        stream.next_bookmark_ms =
            world_.now_ms + world_.random.between(bookmark_gap_ms_min, bookmark_gap_ms_max);
        if (!world_.faults.strikes(Fault::bookmark_lost)) {
            stream.heard_ms = world_.now_ms;
            const std::uint64_t last = stream.is_of_nodes
                                           ? world_.store.node_log.compacted_revision()
                                           : world_.store.pod_log.compacted_revision();
            std::uint64_t revision = last;
            if (stream.is_of_nodes && to > world_.store.node_log.begin()) {
                revision = world_.store.node_log.at(to - 1).revision;
            } else if (!stream.is_of_nodes && to > world_.store.pod_log.begin()) {
                revision = world_.store.pod_log.at(to - 1).revision;
            }
            world_.replicas[stream.replica].watch_bookmark(
                stream.is_of_nodes, std::to_string(revision));
        }
    }
    if (world_.now_ms - stream.heard_ms >= silence_ms) {
        close_stream(id);
        world_.replicas[stream.replica].watch_closed(stream.is_of_nodes, true);
        return;
    }
    if (world_.now_ms >= stream.next_bookmark_ms) {
        stream.next_bookmark_ms =
            world_.now_ms + world_.random.between(bookmark_gap_ms_min, bookmark_gap_ms_max);
    }
    const std::int64_t next =
        std::min({stream.heard_ms + silence_ms, stream.ends_ms, stream.next_bookmark_ms});
    world_.queue.plan(std::max(next, world_.now_ms + 1), Happening::stream_silent, id, serial);
}

void ApiServers::take_down(std::int64_t ms) {
    const auto which = static_cast<std::uint32_t>(world_.random.below(servers_.size()));
    servers_[which].down_until_ms = world_.now_ms + ms;
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i].open && streams_[i].server == which && !streams_[i].is_half_open) {
            break_stream(i);
        }
    }
}

void ApiServers::lag(std::int64_t ms) {
    const auto which = static_cast<std::uint32_t>(world_.random.below(servers_.size()));
    servers_[which].lags_until_ms = world_.now_ms + ms;
}

void ApiServers::pause_store(std::int64_t ms) {
    store_paused_until_ms_ = world_.now_ms + ms;
}

void ApiServers::lose_rights(int status, std::int64_t ms) {
    rights_lost_status_ = status;
    rights_lost_until_ms_ = world_.now_ms + ms;
}

// What some watch cache has yet to read stays: a server reads the store, not its history.
void ApiServers::compact() {
    std::uint64_t pods_to = world_.store.pod_log.end();
    std::uint64_t nodes_to = world_.store.node_log.end();
    for (const Server& server : servers_) {
        pods_to = std::min(pods_to, server.pods_to);
        nodes_to = std::min(nodes_to, server.nodes_to);
    }
    world_.store.pod_log.forget_before(pods_to);
    world_.store.node_log.forget_before(nodes_to);
    lists_.clear();
}

void ApiServers::heal() {
    for (Server& server : servers_) {
        server.down_until_ms = 0;
        server.lags_until_ms = 0;
    }
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        streams_[i].stalled_until_ms = 0;
    }
    store_paused_until_ms_ = 0;
    rights_lost_until_ms_ = 0;
}

}  // namespace gang::sim
