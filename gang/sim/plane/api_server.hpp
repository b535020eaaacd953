#pragma once
// The API servers between the replicas and the store: requests that arrive, are refused, carried
// out or lost; watch caches that run behind; streams. All faults between a replica and the truth
// are here.
//
// A call: send() -> (arrives -> carried out) -> answered, or given up by the client. A late request
// is carried out although nobody waits for it. Its place is used again only when both its ends are
// over, so a number never means two calls.

#include "gang/sim/base/call.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang::sim {

struct World;

/// One open watch. `place`: the next entry of the log to be delivered.
struct Stream {
    bool open = false;
    bool is_of_nodes = false;
    bool is_half_open = false;
    bool delivery_planned = false;
    bool fails_with_gone = false;
    std::uint32_t server = 0;
    std::uint32_t replica = 0;
    std::uint32_t life = 0;
    std::uint64_t serial = 0;
    std::uint64_t place = 0;
    std::uint64_t began = 0;  ///< its first place: nothing from before it can come
    std::int64_t ends_ms = 0;
    std::int64_t heard_ms = 0;
    std::int64_t next_bookmark_ms = 0;
    std::int64_t stalled_until_ms = 0;
};

class ApiServers {
public:
    explicit ApiServers(World& world);

    /// Sends it: the answer comes to the replica by call_answered, or call_times_out. Its number.
    std::uint32_t send(Call call);
    void arrive(std::uint32_t id);
    /// The call whose answer has come, for the replica; then release() it.
    Call& call(std::uint32_t id) { return calls_[id]; }
    /// False: given up already, nothing is to be told.
    bool take_answer(std::uint32_t id);
    bool take_timeout(std::uint32_t id);
    void release(std::uint32_t id);
    /// The client closes the connection: what it has asked may still be carried out.
    void give_up(std::uint32_t id);
    /// A process has ended: its streams and whatever it waits for are over.
    void forget_replica(std::uint32_t replica);
    std::uint32_t replica_of_stream(std::uint32_t stream) const { return streams_[stream].replica; }
    std::uint32_t replica_of_call(std::uint32_t id) const { return calls_[id].replica; }
    /// The answer, or that there is none, to the replica that waits for it.
    void hand_over(std::uint32_t id);

    void pod_changed() { plan_advances(); }
    void node_changed() { plan_advances(); }
    void advance(std::uint32_t server);
    /// The replica has the answer to its watch: from here on events come. Its number.
    std::uint32_t start_stream(const Call& call);
    void deliver(std::uint32_t stream);
    void look_for_silence(std::uint32_t stream, std::uint64_t serial);
    void close_stream(std::uint32_t stream);

    // What the fault injector does.
    void take_down(std::int64_t ms);
    void lag(std::int64_t ms);
    void pause_store(std::int64_t ms);
    void lose_rights(int status, std::int64_t ms);
    void compact();
    void heal();
    std::size_t open_calls() const { return open_calls_; }

private:
    struct Server {
        std::uint64_t pods_to = 0;  ///< of the log, seen by the watch cache
        std::uint64_t nodes_to = 0;
        std::int64_t down_until_ms = 0;
        std::int64_t lags_until_ms = 0;
        bool advance_planned = false;
    };
    /// A list in pages: all of them as of one moment.
    struct Snapshot {
        std::vector<core::Pod> pods;
        std::vector<core::Node> nodes;
        std::uint64_t revision = 0;
    };

    void set_out(std::uint32_t id);
    std::int64_t latency();
    void answer(std::uint32_t id, std::int64_t after_ms);
    void fail(std::uint32_t id, int status, std::int64_t retry_after_ms = -1);
    void lose(std::uint32_t id, bool maybe_sent, std::int64_t after_ms);
    void leave_unanswered(std::uint32_t id);
    bool refuses_before(std::uint32_t id);
    void carry_out(Call& call);
    void bind(Call& call);
    void patch_status(Call& call);
    void evict(Call& call);
    void read_pod(Call& call);
    void read_config_map(Call& call);
    void write_lease(Call& call);
    void list(Call& call);
    void open_watch(Call& call);
    void plan_advances();
    void plan_delivery(std::uint32_t stream, std::int64_t after_ms);
    std::uint32_t find_pod(const PodRef& pod) const;
    bool report_trouble(std::uint32_t stream);
    bool break_stream(std::uint32_t stream);
    template <typename Object>
    void deliver_from(std::uint32_t stream, const ChangeLog<Object>& log, std::uint64_t to);

    World& world_;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> free_calls_;
    std::vector<Server> servers_;
    std::vector<Stream> streams_;
    std::map<std::uint32_t, Snapshot> lists_;  ///< of which pages are still to come
    std::size_t open_calls_ = 0;
    std::uint64_t stream_serial_ = 0;
    std::uint32_t list_serial_ = 0;
    std::int64_t store_paused_until_ms_ = 0;
    std::int64_t rights_lost_until_ms_ = 0;
    int rights_lost_status_ = 403;
};

}  // namespace gang::sim
