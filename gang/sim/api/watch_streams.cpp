#include "gang/sim/api/watch_streams.hpp"

#include "gang/sim/api/latency.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t bookmark_gap_ms_min = 20'000;
constexpr std::int64_t bookmark_gap_ms_max = 60'000;
constexpr std::int64_t silence_ms = 45'000;  // k8s::WatcherOptions
constexpr std::uint64_t entries_per_delivery = 64;

k8s::protocol::Trouble trouble(int status, std::string reason) {
    k8s::protocol::Trouble made;
    made.status = status;
    made.reason = std::move(reason);
    return made;
}

std::uint64_t compacted_revision(const Store& store, bool is_of_nodes) {
    return is_of_nodes ? store.node_log.compacted_revision() : store.pod_log.compacted_revision();
}

/// The newest change before this place.
template <typename Object>
std::uint64_t revision_before(const ChangeLog<Object>& log, std::uint64_t place) {
    return place > log.begin() ? log.at(place - 1).revision : log.compacted_revision();
}

}  // namespace

void WatchStreams::open(Call& call) const {
    if (world_.faults.strikes(Fault::version_too_large)) {
        call.answer.status = 504;
        call.answer.version_too_large = true;
        return;
    }
    const Store& store = world_.store;
    const std::uint64_t version = std::stoull(call.version);
    const bool is_gone = version < compacted_revision(store, call.is_of_nodes);
    const bool says_so_later = is_gone && world_.random.percent(50);
    if ((is_gone && !says_so_later) || world_.faults.strikes(Fault::watch_gone)) {
        call.answer.status = 410;
        return;
    }
    call.answer.status = 200;
    call.answer.stream_is_gone = says_so_later;
    call.answer.stream_place =
        call.is_of_nodes ? store.node_log.place_after(version) : store.pod_log.place_after(version);
}

std::int64_t WatchStreams::draw_bookmark_time() const {
    return world_.now_ms + world_.random.between(bookmark_gap_ms_min, bookmark_gap_ms_max);
}

// A delivery that was planned for the stream that had this number before still comes.
std::uint32_t WatchStreams::start(const Call& call) {
    std::uint32_t id = 0;
    while (id < streams_.size() && streams_[id].is_open) {
        ++id;
    }
    if (id == streams_.size()) {
        streams_.emplace_back();
    }
    Stream& stream = streams_[id];
    const bool delivery_planned = stream.delivery_planned;
    stream = Stream{};
    stream.delivery_planned = delivery_planned;
    stream.is_open = true;
    stream.is_of_nodes = call.is_of_nodes;
    stream.server = call.server;
    stream.replica = call.replica;
    stream.serial = ++serial_;
    stream.place = call.answer.stream_place;
    stream.began = stream.place;
    stream.ends_ms = world_.now_ms + call.timeout_ms;
    stream.heard_ms = world_.now_ms;
    stream.next_bookmark_ms = draw_bookmark_time();
    stream.is_half_open = world_.faults.strikes(Fault::watch_half_open);
    stream.fails_with_gone = call.answer.stream_is_gone;
    plan_delivery(id, draw_latency(world_.plan, world_.random));
    world_.queue.plan(world_.now_ms + silence_ms, Happening::stream_silent, id, stream.serial);
    return id;
}

void WatchStreams::cache_advanced(std::uint32_t server) {
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        const Stream& stream = streams_[i];
        const std::uint64_t to = world_.cluster.api.caches.end(server, stream.is_of_nodes);
        if (stream.is_open && stream.server == server && stream.place < to) {
            plan_delivery(i, draw_latency(world_.plan, world_.random));
        }
    }
}

void WatchStreams::plan_delivery(std::uint32_t id, std::int64_t after_ms) {
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

/// The stream is over without a word, or with a clean end.
bool WatchStreams::break_off(std::uint32_t id) {
    const Stream& stream = streams_[id];
    const bool is_over = world_.now_ms >= stream.ends_ms;
    const bool is_cut = world_.cluster.api.outages.is_down(stream.server) ||
                        world_.faults.strikes(Fault::watch_reset);
    const bool is_short = !is_cut && !is_over && world_.faults.strikes(Fault::watch_cut_short);
    if (!is_over && !is_cut && !is_short) {
        return false;
    }
    close(id);
    world_.replicas[stream.replica].watch_closed(stream.is_of_nodes, !is_cut);
    return true;
}

/// An ERROR event in the stream, which ends it.
bool WatchStreams::report_trouble(std::uint32_t id) {
    const Stream& stream = streams_[id];
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
    close(id);
    world_.replicas[stream.replica].watch_failed(stream.is_of_nodes, what);
    return true;
}

template <typename Object>
void WatchStreams::deliver_from(std::uint32_t id, const ChangeLog<Object>& log, std::uint64_t to) {
    const std::uint64_t end = std::min(to, streams_[id].place + entries_per_delivery);
    while (streams_[id].is_open && streams_[id].place < end) {
        const Entry<Object>& entry = log.at(streams_[id].place);
        ++streams_[id].place;
        Replica& replica = world_.replicas[streams_[id].replica];
        world_.record.delivered(entry.revision);
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
    if (streams_[id].is_open && streams_[id].place < to) {
        plan_delivery(id, 1);
    }
}

void WatchStreams::deliver(std::uint32_t id) {
    Stream& stream = streams_[id];
    stream.delivery_planned = false;
    if (!stream.is_open || stream.is_half_open) {
        return;
    }
    if (stream.stalled_until_ms > world_.now_ms) {
        return plan_delivery(id, 0);
    }
    if (world_.faults.strikes(Fault::watch_stalls)) {
        stream.stalled_until_ms = world_.now_ms + world_.random.long_tail(500, 40'000);
        return plan_delivery(id, 0);
    }
    if (break_off(id) || report_trouble(id)) {
        return;
    }
    stream.heard_ms = world_.now_ms;
    const Store& store = world_.store;
    const std::uint64_t first = stream.is_of_nodes ? store.node_log.begin() : store.pod_log.begin();
    if (stream.place < first) {  // slower than the history is kept
        close(id);
        world_.replicas[stream.replica].watch_failed(stream.is_of_nodes, trouble(410, "Expired"));
        return;
    }
    const std::uint64_t to = world_.cluster.api.caches.end(stream.server, stream.is_of_nodes);
    if (stream.is_of_nodes) {
        deliver_from(id, store.node_log, to);
    } else {
        deliver_from(id, store.pod_log, to);
    }
}

void WatchStreams::send_bookmark(Stream& stream, std::uint64_t to) {
    stream.next_bookmark_ms = draw_bookmark_time();
    if (world_.faults.strikes(Fault::bookmark_lost)) {
        return;
    }
    stream.heard_ms = world_.now_ms;
    const std::uint64_t revision = stream.is_of_nodes ? revision_before(world_.store.node_log, to)
                                                      : revision_before(world_.store.pod_log, to);
    world_.replicas[stream.replica].watch_bookmark(stream.is_of_nodes, std::to_string(revision));
}

void WatchStreams::look_for_silence(std::uint32_t id, std::uint64_t serial) {
    Stream& stream = streams_[id];
    if (!stream.is_open || stream.serial != serial) {
        return;
    }
    if (!stream.is_half_open && break_off(id)) {
        return;
    }
    const std::uint64_t to = world_.cluster.api.caches.end(stream.server, stream.is_of_nodes);
    const bool is_idle = !stream.is_half_open && stream.place >= to;
    if (is_idle && world_.plan.has_bookmarks && world_.now_ms >= stream.next_bookmark_ms) {
        send_bookmark(stream, to);
    }
    if (world_.now_ms - stream.heard_ms >= silence_ms) {
        close(id);
        world_.replicas[stream.replica].watch_closed(stream.is_of_nodes, true);
        return;
    }
    if (world_.now_ms >= stream.next_bookmark_ms) {
        stream.next_bookmark_ms = draw_bookmark_time();
    }
    const std::int64_t next =
        std::min({stream.heard_ms + silence_ms, stream.ends_ms, stream.next_bookmark_ms});
    world_.queue.plan(std::max(next, world_.now_ms + 1), Happening::stream_silent, id, serial);
}

void WatchStreams::server_is_down(std::uint32_t server) {
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i].is_open && streams_[i].server == server && !streams_[i].is_half_open) {
            break_off(i);
        }
    }
}

void WatchStreams::forget_replica(std::uint32_t replica) {
    for (Stream& stream : streams_) {
        stream.is_open = stream.is_open && stream.replica != replica;
    }
}

void WatchStreams::heal() {
    for (Stream& stream : streams_) {
        stream.stalled_until_ms = 0;
    }
}

}  // namespace gang::sim
