#pragma once
// Everything we write to the API server, and the config maps we fetch, over a small pool of
// connections that are opened on demand and closed when idle.
//
// - How many are in flight at once is what the server can take
//   (protocol/concurrency_limiter.hpp); there is no
//   rate of our own but for events.
// - Writes to one pod are serial, and a bind takes the resourceVersion from the answer before it,
//   so that our own condition never fails our own bind.
// - Order of service, and what of all that waits is served in a storm of binds: write_queue.hpp.
//   How much may wait: see WriterOptions for each bound.
// - A bind whose outcome is unknown (timeout, reset, 5xx) stays with the writer until a read of the
//   pod has settled it; the same node is asked again, never another one (protocol/bind.hpp).

#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/write/group_status.hpp"
#include "k8s/protocol/write/object_status.hpp"
#include "k8s/protocol/write/queue_status.hpp"
#include "k8s/protocol/write/write_queue.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

struct WriterOptions : WriteBounds {
    std::string component;  ///< reportingController of events: the scheduler's name
    std::string instance;   ///< reportingInstance: host name
    /// Asked right before a bind or a patch is sent; false: it is not sent. Wire it to the elector.
    std::function<bool()> may_write;
    /// Upper bound of the annotation bytes a pod already has (Watcher::annotation_bytes).
    std::function<std::size_t(const std::string& uid)> annotation_bytes;
    NoticeSink notice;
    std::size_t connections_max = 64;  ///< and so the most writes in flight
    /// Writes that wait to be repeated; beyond it a bind or a patch with callback keeps its
    /// connection, which slows us down, and a condition is dropped.
    std::size_t delayed_max = 256;
    std::int64_t idle_close_ms = 20'000;
    std::int64_t call_timeout_ms = 4'000;  ///< less than leaseDuration - renewDeadline
};

struct WriterStats {
    std::uint64_t binds = 0;
    std::uint64_t binds_unknown = 0;  ///< times that an outcome had to be read back
    std::uint64_t patches = 0;
    std::uint64_t patches_unsettled = 0;  ///< with callback, or evictions, given up: may still land
    std::uint64_t evictions = 0;
    std::uint64_t events = 0;
    std::uint64_t conditions_dropped = 0;
    std::uint64_t events_dropped = 0;
    std::uint64_t throttled = 0;    ///< answers 429, or 503 with Retry-After
    std::uint64_t unreachable = 0;  ///< times that no connection could be made
    std::size_t waiting = 0;        ///< queued or in flight now
    std::size_t in_flight = 0;      ///< of these, asked of the server now
    std::size_t in_flight_max = 0;  ///< as many may be in flight at once
    std::size_t connections = 0;    ///< open now
};

struct WriterParts;

class Writer {
public:
    Writer(boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WriterOptions options);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Callbacks come on the loop's thread, exactly once, never from inside the call that asked; for
    // binds and patches of one pod in the order in which they were asked for. After stop() has said
    // `done` none comes any more.

    void bind(BindRequest request, std::function<void(BindResult)> done);

    /// With an empty `done` the patch is droppable: a later one for the same pod replaces it while
    /// it waits, and a bind of the pod discards it.
    void patch_status(StatusPatch patch, std::function<void(StatusResult)> done);

    /// By the Eviction API: budgets are kept, and the pod has its grace period.
    void evict(PodName pod, std::function<void(EvictResult)> done);

    /// Applied, so that what others write there stays theirs. Waits behind all that pods wait for,
    /// and is not repeated. No answer comes when we stop first.
    void write_group_status(
        const GroupStatusWrite& write, std::function<void(ObjectStatusResult)> done);
    void write_queue_status(
        const QueueStatusWrite& write, std::function<void(ObjectStatusResult)> done);

    /// Best effort: rate limited, bounded, never repeated.
    void record_event(PodEvent event);

    void get_config_map(
        std::string namespace_name, std::string name, std::function<void(ConfigMapResult)> done);

    /// Takes nothing new, lets binds and awaited patches that wait or are in flight finish for at
    /// most `drain_ms`, then closes every connection and calls `done`. Not `drained`: something was
    /// cut off, and a write may still reach the API server.
    void stop(std::int64_t drain_ms, std::function<void(bool drained)> done);

    WriterStats stats() const;

private:
    std::shared_ptr<WriterParts> parts_;
};

}  // namespace k8s
