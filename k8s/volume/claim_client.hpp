#pragma once
// Persistent volume claims over one connection of its own: reads them with what is behind them, and
// has volumes made for the node that a pod was given (claim_progress.hpp). One request at a time;
// what waits for a provisioner is read again after a pause, beside the others.

#include "core/value/claim.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct ClaimResult {
    FetchOutcome outcome = FetchOutcome::failed;
    core::Claim claim;
    std::string message;  ///< why there is none
};

/// A claim and the volume, which is there, that it gets.
struct ClaimedVolume {
    std::string claim;
    std::string volume;  ///< empty: none is left
};

/// Volumes that a pod waits for.
struct ProvisionRequest {
    std::string namespace_name;
    std::vector<std::string> claims;  ///< names; their volumes are made
    std::string node;
    std::vector<ClaimedVolume> volumes = {};
};

struct ClaimClientOptions {
    /// Asked right before a claim is written to; false: it is not.
    std::function<bool()> may_write;
    std::int64_t call_timeout_ms = 4'000;
    /// From the request on, for all claims of it; kube-scheduler's bindTimeoutSeconds.
    std::int64_t provision_ms_max = 600'000;
    std::int64_t pause_ms_min = 100;  ///< between two looks at a claim, doubled to
    std::int64_t pause_ms_max = 2'000;
    NoticeSink notice;
};

class ClaimClient {
public:
    ClaimClient(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        ClaimClientOptions options);
    ~ClaimClient();
    ClaimClient(const ClaimClient&) = delete;
    ClaimClient& operator=(const ClaimClient&) = delete;

    // Callbacks come on the loop's thread, never from inside the call or after stop(); once, but
    // that of a claim which waits for its first consumer again, for some time, when volumes that
    // are there come, go or change.

    /// Without a namespace: what a claim would be that is made of the storage class `name`.
    void read(std::string namespace_name, std::string name, std::function<void(ClaimResult)> done);
    /// `why` is empty: each claim has its volume. Else what stands against it; claims that were
    /// written to stay so.
    void provision(ProvisionRequest request, std::function<void(std::string why)> done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
