#pragma once
// Inside of the writer, a file per room:
//
//   writer.cpp        the face: what is asked, refused, stopped and counted
//   writer_pool.cpp   workers, each with its connection: who takes what, and when
//   writer_bind.cpp   one bind from its first action to its outcome
//   writer_patch.cpp  one status patch
//   writer_evict.cpp  one eviction
//   writer_other.cpp  config maps, events and statuses of pod groups
//
// A worker is idle, or takes one job after the other. A write that has to wait before it is
// repeated is delayed: its pod stays busy, its worker goes on with others.

#include "k8s/net/connection.hpp"
#include "k8s/protocol/flow/circuit_breaker.hpp"
#include "k8s/protocol/flow/concurrency_limiter.hpp"
#include "k8s/protocol/status.hpp"
#include "k8s/protocol/write/answer_order.hpp"
#include "k8s/protocol/write/pod_versions.hpp"
#include "k8s/protocol/write/write_queue.hpp"
#include "k8s/write/writer.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace k8s {

/// So many workers open their connection at a time. A burst would open all of them at once: dozens
/// of handshakes that the server must do beside the binds, each with 24 KB in our memory.
inline constexpr std::size_t openings_max = 4;

/// One connection of the pool and the coroutine that owns it.
struct Worker {
    Worker(boost::asio::io_context& io, const std::shared_ptr<Endpoint>& endpoint)
        : connection(io, endpoint), timer(io) {}
    Connection connection;
    boost::asio::steady_timer timer;
    bool has_stood = false;  ///< its connection was open once
};
using WorkerPointer = std::shared_ptr<Worker>;

/// From its first action to its outcome; one worker after another may carry it on.
struct BindUnderWay {
    BindUnderWay(BindJob of, protocol::BindTarget target)
        : job(std::move(of)), state(std::move(target)) {}
    BindJob job;
    protocol::Bind state;
    protocol::BindAction action;
};
using BindPointer = std::shared_ptr<BindUnderWay>;

struct PatchUnderWay {
    explicit PatchUnderWay(PatchJob of)
        : job(std::move(of)), state(!job.patch.resource_version.empty()) {}
    PatchJob job;
    protocol::StatusWrite state;
    protocol::PatchAction action;
    std::string node;  ///< of the pod in the last answer
};
using PatchPointer = std::shared_ptr<PatchUnderWay>;
struct EvictUnderWay {
    explicit EvictUnderWay(EvictJob of) : job(std::move(of)) {}
    EvictJob job;
    protocol::Evict state;
    protocol::EvictAction action;
};
using EvictPointer = std::shared_ptr<EvictUnderWay>;
using WriteUnderWay = std::variant<BindPointer, PatchPointer, EvictPointer>;

/// A write that waits to be repeated. Its pod stays busy.
struct Delayed {
    Delayed(boost::asio::io_context& io, WriteUnderWay waiting)
        : timer(io), write(std::move(waiting)) {}
    boost::asio::steady_timer timer;
    WriteUnderWay write;
};

std::string pod_target(const PodName& pod);
protocol::HttpAnswer answer_of(const Response& response);

struct Writer::Impl : std::enable_shared_from_this<Writer::Impl> {
    Impl(boost::asio::io_context& context, std::shared_ptr<Endpoint> to, WriterOptions given);

    boost::asio::io_context& io;
    std::shared_ptr<Endpoint> endpoint;
    WriterOptions options;
    WriteQueue queue;
    AnswerOrder answers;
    PodVersions versions;
    protocol::CircuitBreaker breaker;
    protocol::ConcurrencyLimiter limiter;
    boost::asio::steady_timer event_timer;
    boost::asio::steady_timer hold_timer;
    boost::asio::steady_timer drain_timer;
    std::minstd_rand random;
    std::vector<WorkerPointer> workers;
    std::vector<WorkerPointer> idle;  // a stack: few connections stay warm, the others close
    std::list<Delayed> delayed;
    std::deque<WriteUnderWay> resumed;  // their wait is over, a worker has not come by yet
    std::size_t taken = 0;            // jobs that were taken and are not through yet
    std::size_t droppable_taken = 0;  // of these
    std::set<std::string> statuses_in_objects;  // kinds whose status is no subresource here
    std::size_t in_flight = 0;        // requests that the server has not answered yet
    std::uint64_t event_serial = 0;
    bool event_timer_set = false;
    bool hold_timer_set = false;
    WriterStats stats;
    std::function<void(bool)> stop_done;
    bool stopping = false;
    bool closed = false;   // callbacks are over
    bool cut_off = false;  // close_all() met writes under way

    std::uint32_t chance() { return static_cast<std::uint32_t>(random()); }
    // After the end the owner's callbacks may be gone.
    bool may_write() const { return !closed && (!options.may_write || options.may_write()); }
    CallLimits limits() const { return CallLimits(options.call_timeout_ms); }
    CallLimits write_limits(const WorkerPointer& worker);

    // --- writer.cpp ---
    template <typename Job>
    bool enqueue(Job&& job);
    template <typename Job, typename Refuse>
    void enqueue_awaited(const std::string& uid, Job job, Refuse refuse);
    void finished(const std::string& order_key, bool is_awaited);
    void apply_status(
        ObjectStatusWrite write, std::function<void(ObjectStatusResult)> done);
    void report_refusals(const std::string& uid);
    void close_all();
    void report_stopped();

    // --- writer_pool.cpp ---
    std::size_t allowed() const;
    std::size_t busy() const { return workers.size() - idle.size(); }
    std::size_t opening() const;
    bool has_work();
    bool may_take_droppable() const;
    void wake_worker();
    void stands(Worker& worker);
    void watch_events();
    void watch_hold(std::int64_t ms);
    bool delay(WriteUnderWay write, std::int64_t ms);
    void resume(std::list<Delayed>::iterator place);
    void yield_to(const std::string& uid);
    void worker_ended(const WorkerPointer& worker);
    void note_reply(const Reply& reply);
    void note_load(const Reply& reply, std::int64_t sent_us, bool is_write);
    boost::asio::awaitable<void> work(WorkerPointer worker);
    boost::asio::awaitable<bool> wait_for_work(WorkerPointer worker);
    boost::asio::awaitable<void> carry_out(WorkerPointer worker, WriteJob job);
    boost::asio::awaitable<void> carry_on(WorkerPointer worker, WriteUnderWay write);
    boost::asio::awaitable<void> pass_breaker(WorkerPointer worker);
    boost::asio::awaitable<Reply> call(WorkerPointer worker, Request request, CallLimits limits);
    boost::asio::awaitable<Reply> write(WorkerPointer worker, Request request);

    // --- writer_bind.cpp ---
    BindPointer begin(BindJob job);
    void finish(BindUnderWay& bind, protocol::BindFinished& how);
    boost::asio::awaitable<void> go_on(WorkerPointer worker, BindPointer bind);
    boost::asio::awaitable<protocol::BindAction> post_binding(
        WorkerPointer worker, const BindRequest& request, protocol::Bind& state);
    boost::asio::awaitable<protocol::BindAction> read_pod(
        WorkerPointer worker, const PodName& pod, protocol::Bind& state);

    // --- writer_patch.cpp ---
    PatchPointer begin(PatchJob job);
    void finish(PatchUnderWay& patch, protocol::PatchFinished& how);
    void give_up(PatchUnderWay& condition);
    boost::asio::awaitable<void> go_on(WorkerPointer worker, PatchPointer patch);
    boost::asio::awaitable<protocol::PatchAction> send_patch(
        WorkerPointer worker, PatchUnderWay& patch);

    // --- writer_evict.cpp ---
    EvictPointer begin(EvictJob job);
    void finish(EvictUnderWay& eviction, protocol::EvictionFinished& how);
    boost::asio::awaitable<void> go_on(WorkerPointer worker, EvictPointer eviction);
    boost::asio::awaitable<protocol::EvictAction> send_eviction(
        WorkerPointer worker, EvictUnderWay& eviction);

    // --- writer_other.cpp ---
    boost::asio::awaitable<void> fetch(WorkerPointer worker, FetchJob job);
    boost::asio::awaitable<void> send_event(WorkerPointer worker, EventJob job);
    static Request status_patch(const ObjectStatusWrite& write, bool is_in_object);
    boost::asio::awaitable<void> write_object_status(WorkerPointer worker, ObjectStatusJob job);
};

}  // namespace k8s
