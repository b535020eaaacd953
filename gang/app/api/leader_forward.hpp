#pragma once
// What a standby cannot answer is asked of the leader, at the address that it wrote into the Lease.
// Whoever may write the Lease chooses whom we ask: no token of a caller is ever sent there.

#include "config/schema.hpp"
#include "gang/app/serve/http_server.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gang::app {

/// passed_on_field of what a standby passes on: whoever gets it does not pass it on again.
inline constexpr const char* passed_on_by_standby = "standby";

/// Where other replicas reach the API: what it listens on, or `pod_ip` where that is every address.
/// Empty: it is off, or they cannot. `pod_ip` may be nullptr.
std::string advertised_api(const config::Api& api, const char* pod_ip);

class LeaderForward {
public:
    explicit LeaderForward(boost::asio::io_context& io);
    ~LeaderForward();
    LeaderForward(const LeaderForward&) = delete;
    LeaderForward& operator=(const LeaderForward&) = delete;

    /// The answer comes on the loop, once, perhaps from inside the call; nothing: nobody at
    /// `address` answered in time.
    void ask(
        const std::string& address,
        const std::string& target,
        std::function<void(std::optional<HttpReply>)> done);
    /// Nothing is answered any more.
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app
