#include "k8s/lister.hpp"

#include "k8s/codec_status.hpp"
#include "k8s/codec_watch.hpp"
#include "k8s/connection.hpp"
#include "k8s/sleep.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::size_t page_bytes_max = 256 * 1024 * 1024;

core::Result<DecodedPage> page_of(WatchKind kind, Reply reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return core::Error{failure->message};
    auto& response = std::get<Response>(reply);
    if (response.status == 200) return decode_page(kind, std::move(response.body));
    const Status status = decode_status(response.status, response.body);
    return core::Error{fmt::format("{} ({})", status.message, response.status)};
}

}  // namespace

struct Lister::Impl : std::enable_shared_from_this<Lister::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, ListerOptions given)
        : io(context), options(given), connection(context, std::move(endpoint)) {}

    asio::io_context& io;
    ListerOptions options;
    Connection connection;
    WatchKind kind = WatchKind::pods;
    std::function<void(Object)> item;
    Done done;
    bool stopped = false;
    bool busy = false;

    asio::awaitable<void> run();
    asio::awaitable<core::Result<DecodedPage>> page(std::string token);
    void finish(core::Result<std::string> result);
};

asio::awaitable<core::Result<DecodedPage>> Lister::Impl::page(std::string token) {
    std::string target = fmt::format(
        "/api/v1/{}?limit={}", kind == WatchKind::pods ? "pods" : "nodes", options.page_size);
    if (!token.empty()) target += "&continue=" + percent_encode(token);
    Request request("GET", std::move(target));
    Reply reply = co_await connection.call(
        std::move(request), CallLimits(options.timeout_ms, page_bytes_max));
    co_return page_of(kind, std::move(reply));
}

asio::awaitable<void> Lister::Impl::run() {
    std::string token;
    std::string version;
    for (std::size_t pages = 0; pages < options.pages_max; ++pages) {
        core::Result<DecodedPage> read = co_await page(token);
        if (stopped) co_return;
        if (!read) {
            finish(read.error());
            co_return;
        }
        if (pages == 0) version = read->version;
        for (DecodedObject& one : read->items) item(std::move(one.object));
        token = read->continue_token;
        if (token.empty()) {
            finish(std::move(version));
            co_return;
        }
    }
    finish(core::Error{"the list does not end"});
}

void Lister::Impl::finish(core::Result<std::string> result) {
    connection.close();
    busy = false;
    asio::post(io, [self = shared_from_this(), result = std::move(result)] {
        if (!self->stopped) std::exchange(self->done, nullptr)(result);
    });
}

Lister::Lister(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ListerOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), options)) {}

Lister::~Lister() {
    stop();
}

void Lister::list(WatchKind kind, std::function<void(Object)> item, Done done) {
    ENSURE(!impl_->busy);
    impl_->busy = true;
    impl_->kind = kind;
    impl_->item = std::move(item);
    impl_->done = std::move(done);
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

void Lister::stop() {
    impl_->stopped = true;
    impl_->connection.close();
}

}  // namespace k8s
