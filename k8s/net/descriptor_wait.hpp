#pragma once
// Waits for a thread beside the loop: it closes its end of a pipe, and ours can be read.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>

namespace k8s {

class DescriptorWait {
public:
    explicit DescriptorWait(boost::asio::io_context& io);
    ~DescriptorWait();
    DescriptorWait(const DescriptorWait&) = delete;
    DescriptorWait& operator=(const DescriptorWait&) = delete;

    /// True once the descriptor can be read; false at the deadline (monotonic), or after cancel().
    /// Takes the descriptor over and closes it. One call at a time.
    boost::asio::awaitable<bool> wait(int descriptor, std::int64_t deadline_ms);

    void cancel();

private:
    struct Waiting;
    boost::asio::io_context& io_;
    std::shared_ptr<Waiting> waiting_;  ///< of the call in progress
};

}  // namespace k8s
