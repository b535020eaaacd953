#pragma once
// WriteSender: sends the requests of the workers, each when flow control lets it and, of what only
// the leader may write, while we lead; and notes what the replies say of the server.

#include "k8s/net/connection.hpp"
#include "k8s/write/flow_control.hpp"
#include "k8s/write/writer_context.hpp"
#include "k8s/write/writer_pool.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>

namespace k8s {

class WriteSender {
public:
    WriteSender(WriterContext& context, FlowControl& flow, WorkerPool& pool)
        : context_(context), flow_(flow), pool_(pool) {}

    CallLimits limits() const { return CallLimits(context_.options.call_timeout_ms); }

    /// What anybody may ask.
    boost::asio::awaitable<Reply> call(WorkerPointer worker, Request request, CallLimits limits);
    /// What only the leader may write.
    boost::asio::awaitable<Reply> write(WorkerPointer worker, Request request);

    /// Requests that the server has not answered yet.
    std::size_t in_flight() const { return in_flight_; }

private:
    CallLimits write_limits(const WorkerPointer& worker);
    boost::asio::awaitable<void> pass_breaker(WorkerPointer worker);
    void note_write(const Reply& reply, std::int64_t sent_us);

    WriterContext& context_;
    FlowControl& flow_;
    WorkerPool& pool_;
    std::size_t in_flight_ = 0;
};

}  // namespace k8s
