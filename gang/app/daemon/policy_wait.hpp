#pragma once
// A KubeSchedulerConfiguration may keep its policy in a config map of the cluster. Until that map
// is there, may be read and is right, nothing is scheduled: the process is alive and not ready.

#include "config/loader.hpp"
#include "gang/app/base/log.hpp"
#include "k8s/net/endpoint.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace gang::app {

/// The key of the map that holds the policy.
inline constexpr std::string_view policy_key = "policy.cfg";

struct PolicyWaitOptions {
    std::shared_ptr<k8s::Endpoint> endpoint;
    config::Loaded loaded;     ///< with a policy map
    const Log* log = nullptr;  ///< must outlive the wait
    std::int64_t ask_every_ms = 2'000;
    std::int64_t say_every_ms = 30'000;
    /// Called once, on the loop, with the whole configuration; health is not served any more.
    std::function<void(config::Loaded)> found;
};

class PolicyWait {
public:
    PolicyWait(boost::asio::io_context& io, PolicyWaitOptions options);
    ~PolicyWait();
    PolicyWait(const PolicyWait&) = delete;
    PolicyWait& operator=(const PolicyWait&) = delete;

    void start();
    /// `found` does not come any more.
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app
