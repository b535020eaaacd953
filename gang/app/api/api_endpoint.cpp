#include "gang/app/api/api_endpoint.hpp"

#include "gang/app/api/access/callers.hpp"
#include "gang/app/api/answers.hpp"
#include "gang/app/api/leader_forward.hpp"
#include "gang/app/serve/endpoints.hpp"
#include "k8s/base/time.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

/// How long what nobody asks for is kept.
constexpr std::chrono::seconds unused_after(10);

/// By it tokens are remembered, in this process alone.
std::string random_key() {
    std::random_device random;
    std::string key;
    while (key.size() < 32) {
        key += static_cast<char>(random() & 0xffU);
    }
    return key;
}

/// "Bearer TOKEN"; empty: it is something else.
std::string bearer_token(std::string_view authorization) {
    constexpr std::string_view scheme = "Bearer ";
    return authorization.starts_with(scheme) ? std::string(authorization.substr(scheme.size()))
                                             : std::string();
}

HttpReply refusal(const core::Error& why) {
    const bool is_nobody = why.message == token_is_nobodys;
    HttpReply out{is_nobody ? 401 : 503, error_json(is_nobody ? 401 : 503, why.message)};
    out.fields.push_back(
        is_nobody ? HttpField{"WWW-Authenticate", "Bearer"} : HttpField{"Retry-After", "5"});
    return out;
}

}  // namespace

struct ApiEndpoint::Impl : std::enable_shared_from_this<ApiEndpoint::Impl> {
    Impl(boost::asio::io_context& io, ApiSource source)
        : review(source.review),
          leader_api(source.leader_api),
          http(std::move(source)),
          forward(io),
          timer(io),
          minute(io) {
        if (review) {
            callers.emplace(random_key(), review);
        }
    }

    void reply(const HttpAsk& ask, const HttpAnswer& answer) {
        watch_use();
        if (!pass_on(ask, answer)) {
            reply_ourselves(ask, answer);
        }
    }

    /// To the leader, if that is who knows. A caller's token is not for it: who brings one is told
    /// to ask again.
    bool pass_on(const HttpAsk& ask, const HttpAnswer& answer) {
        const bool may_be = ask.authorization.empty() && ask.passed_on_by != passed_on_by_standby &&
                            leader_api && http.is_for_leader(ask);
        const std::string address = may_be ? leader_api() : std::string();
        if (address.empty()) {
            return false;
        }
        forward.ask(
            address,
            ask.target,
            [weak = weak_from_this(), ask, answer](std::optional<HttpReply> reply) {
                if (reply) {
                    answer(*std::move(reply));
                } else if (const auto self = weak.lock()) {
                    self->reply_ourselves(ask, answer);
                }
            });
        return true;
    }

    void reply_ourselves(const HttpAsk& ask, const HttpAnswer& answer) {
        if (!callers) {
            answer(http.reply(ask));
            return;
        }
        const std::string token = bearer_token(ask.authorization);
        const auto namespaces = token.empty() ? std::vector<std::string>() : http.namespaces();
        callers->find(
            token,
            namespaces,
            k8s::monotonic_ms(),
            [weak = weak_from_this(), ask, answer](const core::Result<Sight>& sight) {
                if (const auto self = weak.lock()) {
                    answer(sight ? self->http.reply(ask, *sight) : refusal(sight.error()));
                }
            });
    }

    void watch_minutes() {
        minute.expires_after(std::chrono::milliseconds(History::between_ms));
        minute.async_wait([weak = weak_from_this()](const boost::system::error_code& ec) {
            const auto self = weak.lock();
            if (ec || !self) {
                return;
            }
            self->http.note_history();
            self->watch_minutes();
        });
    }

    /// Turns only while somebody asks.
    void watch_use() {
        if (std::exchange(is_watching, true)) {
            return;
        }
        timer.expires_after(unused_after);
        timer.async_wait([weak = weak_from_this()](const boost::system::error_code& ec) {
            const auto self = weak.lock();
            if (ec || !self) {
                return;
            }
            self->is_watching = false;
            if (self->http.snapshots().give_up_unused()) {
                self->watch_use();
            } else {
                self->http.give_up_masked();
            }
        });
    }

    Callers::Review review;
    std::function<std::string()> leader_api;
    ApiHttp http;
    LeaderForward forward;
    std::optional<Callers> callers;  ///< none: everybody sees all
    boost::asio::steady_timer timer;
    boost::asio::steady_timer minute;
    std::unique_ptr<HttpServer> server;
    bool is_watching = false;
};

ApiEndpoint::ApiEndpoint(boost::asio::io_context& io, const Log* log) : io_(io), log_(log) {}

ApiEndpoint::~ApiEndpoint() = default;

void ApiEndpoint::start(ApiSource source) {
    const config::Api api = source.config.api;
    if (!api.enabled) {
        return;
    }
    impl_ = std::make_shared<Impl>(io_, std::move(source));
    const auto address = config::parse_listen(api.listen);
    auto started =
        address ? HttpServer::listen_later(
                      io_,
                      *address,
                      api_limits(),
                      [impl = impl_.get()](const HttpAsk& ask, const HttpAnswer& answer) {
                          impl->reply(ask, answer);
                      },
                      api_manners())
                : core::Result<std::unique_ptr<HttpServer>>(address.error());
    impl_->server = log_start(
        *log_, "page and API", address ? config::describe(*address) : "", std::move(started));
    if (impl_->server) {
        impl_->watch_minutes();
    }
}

void ApiEndpoint::stop() {
    if (!impl_) {
        return;
    }
    impl_->timer.cancel();
    impl_->minute.cancel();
    impl_->forward.stop();
    if (impl_->server) {
        impl_->server->stop();
    }
}

}  // namespace gang::app
