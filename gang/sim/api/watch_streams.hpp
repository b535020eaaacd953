#pragma once
// The open watches of the replicas. A stream delivers what the watch cache of its server has read,
// with bookmarks when it is idle; here is also what breaks it.
//
//   open() answers the request; start() -> deliveries -> ended by its time, by the client, or by a
//   fault: cut, half open, stalled, an ERROR event

#include "gang/sim/base/call.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <vector>

namespace gang::sim {

struct World;

class WatchStreams {
public:
    explicit WatchStreams(World& world) : world_(world) {}

    /// Answers a request for a watch.
    void open(Call& call) const;
    /// The replica has the answer to its watch: from here on events come. Its number.
    std::uint32_t start(const Call& call);
    void deliver(std::uint32_t id);
    /// Comes every few seconds while a stream is open: bookmarks, ends that nobody asked for,
    /// silence.
    void look_for_silence(std::uint32_t id, std::uint64_t serial);
    void close(std::uint32_t id) { streams_[id].is_open = false; }
    std::uint32_t replica_of(std::uint32_t id) const { return streams_[id].replica; }

    /// The cache of this server has read more.
    void cache_advanced(std::uint32_t server);
    /// This server is down.
    void server_is_down(std::uint32_t server);
    /// A process has ended: its streams are over.
    void forget_replica(std::uint32_t replica);
    void heal();

private:
    /// One watch. `place`: the next entry of the log to be delivered.
    struct Stream {
        bool is_open = false;
        bool is_of_nodes = false;
        bool is_half_open = false;
        bool delivery_planned = false;
        bool fails_with_gone = false;
        std::uint32_t server = 0;
        std::uint32_t replica = 0;
        std::uint64_t serial = 0;
        std::uint64_t place = 0;
        std::uint64_t began = 0;  ///< its first place: nothing from before it can come
        std::int64_t ends_ms = 0;
        std::int64_t heard_ms = 0;
        std::int64_t next_bookmark_ms = 0;
        std::int64_t stalled_until_ms = 0;
    };

    std::int64_t draw_bookmark_time() const;
    void plan_delivery(std::uint32_t id, std::int64_t after_ms);
    template <typename Object>
    void deliver_from(std::uint32_t id, const ChangeLog<Object>& log, std::uint64_t to);
    void send_bookmark(Stream& stream, std::uint64_t to);
    bool break_off(std::uint32_t id);
    bool report_trouble(std::uint32_t id);

    World& world_;
    std::vector<Stream> streams_;
    std::uint64_t serial_ = 0;
};

}  // namespace gang::sim
