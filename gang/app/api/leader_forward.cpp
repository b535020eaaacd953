#include "gang/app/api/leader_forward.hpp"

#include "config/address.hpp"
#include "gang/app/api/host_rule.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/serve/query.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/net/endpoint.hpp"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <exception>
#include <utility>
#include <variant>

namespace gang::app {
namespace {

namespace asio = boost::asio;

constexpr std::int64_t connect_ms = 1'000;
/// Less than the client would wait for us.
constexpr std::int64_t whole_ms = 8'000;
constexpr std::size_t body_max = 64UL * 1024 * 1024;

bool is_every_address(const std::string& host) {
    return host.empty() || host == "0.0.0.0" || host == "::";
}

/// None: it is no address of one host. A name is none either, so that nobody has us look one up.
std::optional<k8s::Access> access_to(const std::string& address) {
    const auto listens = config::parse_listen(address);
    if (!listens || is_every_address(listens->host) || listens->port == 0) {
        return std::nullopt;
    }
    k8s::Access access;
    access.tls = false;
    access.host = listens->host;
    access.port = listens->port;
    return access;
}

std::optional<HttpReply> as_ours(const k8s::Reply& reply, std::string_view target) {
    const auto* response = std::get_if<k8s::Response>(&reply);
    if (response == nullptr) {
        return std::nullopt;
    }
    const auto [path, query] = split_target(target);
    const bool is_text = response->status == 200 && find_parameter(query, "format") == "text";
    HttpReply out{response->status, response->body, is_text ? plain_text : "application/json"};
    out.fields.push_back({"Via", "1.1 gang-scheduler-standby"});
    if (response->retry_after_ms) {
        out.fields.push_back({"Retry-After", std::to_string(*response->retry_after_ms / 1'000)});
    }
    return out;
}

}  // namespace

std::string advertised_api(const config::Api& api, const char* pod_ip) {
    const auto listens = config::parse_listen(api.listen);
    if (!api.enabled || !listens || listens->port == 0) {
        return {};
    }
    config::ListenAddress reached = *listens;
    if (is_every_address(reached.host)) {
        reached.host = pod_ip == nullptr ? "" : pod_ip;
    }
    const std::string text = config::describe(reached);
    return access_to(text) ? text : std::string();
}

struct LeaderForward::Impl : std::enable_shared_from_this<LeaderForward::Impl> {
    struct Call {
        Call(
            std::shared_ptr<k8s::Endpoint> where,
            std::string what,
            std::function<void(std::optional<HttpReply>)> then)
            : endpoint(std::move(where)), target(std::move(what)), done(std::move(then)) {}
        std::shared_ptr<k8s::Endpoint> endpoint;
        std::string target;
        std::function<void(std::optional<HttpReply>)> done;
    };

    explicit Impl(asio::io_context& context) : io(context) {}

    asio::awaitable<void> run(std::shared_ptr<Call> call);

    asio::io_context& io;
    bool stopped = false;
};

asio::awaitable<void> LeaderForward::Impl::run(std::shared_ptr<Call> call) {
    k8s::Connection connection(io, call->endpoint);
    k8s::Request request("GET", call->target);
    request.more_fields = fmt::format("{}: {}\r\n", passed_on_field, passed_on_by_standby);
    k8s::CallLimits limits(whole_ms, body_max);
    limits.connect_ms = connect_ms;
    const k8s::Reply reply = co_await connection.call(std::move(request), std::move(limits));
    if (!stopped) {
        call->done(as_ours(reply, call->target));
    }
}

LeaderForward::LeaderForward(asio::io_context& io) : impl_(std::make_shared<Impl>(io)) {}

LeaderForward::~LeaderForward() {
    stop();
}

void LeaderForward::ask(
    const std::string& address,
    const std::string& target,
    std::function<void(std::optional<HttpReply>)> done) {
    auto access = access_to(address);
    auto endpoint =
        access ? k8s::Endpoint::make(*std::move(access), fmt::format("gang-scheduler/{}", version))
               : core::Result<std::shared_ptr<k8s::Endpoint>>(core::Error{"no address"});
    if (!endpoint) {
        done(std::nullopt);
        return;
    }
    auto call = std::make_shared<Impl::Call>(*std::move(endpoint), target, std::move(done));
    asio::co_spawn(
        impl_->io,
        impl_->run(std::move(call)),
        [impl = impl_](const std::exception_ptr&) {});
}

void LeaderForward::stop() {
    impl_->stopped = true;
}

}  // namespace gang::app
