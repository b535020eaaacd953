#pragma once
// Writes, deletes and lists the objects by which an autoscaler is asked for room, one call after the
// other over one connection of its own: binds never wait for it.

#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/write/demand.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace k8s {

struct DemandClientOptions {
    DemandKind kind = DemandKind::capacity_buffer;
    /// Asked right before each write is sent; false: it is not.
    std::function<bool()> may_write;
    std::int64_t call_timeout_ms = 4'000;
};

class DemandClient {
public:
    DemandClient(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        DemandClientOptions options);
    ~DemandClient();
    DemandClient(const DemandClient&) = delete;
    DemandClient& operator=(const DemandClient&) = delete;

    // Requests are carried out in their order. Callbacks come on the loop's thread, once, never from
    // inside the call or after stop().

    /// Brings the objects to this state, whether they are there or not; templates first, so that no
    /// object names one that is not there.
    void want(DemandRequest request, std::function<void(const DemandResult&)> done);
    /// Deletes them, templates last: whatever is there is found by its template.
    void drop(DemandRequest request, std::function<void(const DemandResult&)> done);
    /// Those of all drivers.
    void list(std::function<void(const DemandList&)> done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
