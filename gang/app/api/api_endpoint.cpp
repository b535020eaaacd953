#include "gang/app/api/api_endpoint.hpp"

#include "gang/app/serve/endpoints.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <utility>

namespace gang::app {
namespace {

/// How long what nobody asks for is kept.
constexpr std::chrono::seconds unused_after(10);

}  // namespace

struct ApiEndpoint::Impl : std::enable_shared_from_this<ApiEndpoint::Impl> {
    Impl(boost::asio::io_context& io, ApiSource source) : http(std::move(source)), timer(io) {}

    HttpReply reply(const HttpAsk& ask) {
        watch_use();
        return http.reply(ask);
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
            }
        });
    }

    ApiHttp http;
    boost::asio::steady_timer timer;
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
    impl_->server = start_server(
        io_,
        *log_,
        {"page and API",
         config::parse_listen(api.listen),
         api_limits(),
         [impl = impl_.get()](const HttpAsk& ask) { return impl->reply(ask); },
         api_manners()});
}

void ApiEndpoint::stop() {
    if (!impl_) {
        return;
    }
    impl_->timer.cancel();
    if (impl_->server) {
        impl_->server->stop();
    }
}

}  // namespace gang::app
