#pragma once
// Lists the ResourceQuotas and LimitRanges of namespaces, one namespace after the other, over one
// connection of its own.

#include "core/value/quota/namespace_quotas.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

struct QuotaResult {
    FetchOutcome outcome = FetchOutcome::failed;
    core::NamespaceQuotas quotas;
    std::string message;  ///< why there are none
};

class QuotaClient {
public:
    QuotaClient(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        std::int64_t call_timeout_ms = 4'000);
    ~QuotaClient();
    QuotaClient(const QuotaClient&) = delete;
    QuotaClient& operator=(const QuotaClient&) = delete;

    /// The answer comes on the loop's thread, once, never from inside the call or after stop().
    void read(std::string namespace_name, std::function<void(const QuotaResult&)> done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
