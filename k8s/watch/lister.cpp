#include "k8s/watch/lister.hpp"

#include "k8s/base/page_size.hpp"
#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_watch.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::size_t page_bytes_max = 256 * 1024 * 1024;

}  // namespace

struct Lister::Impl : std::enable_shared_from_this<Lister::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, ListerOptions given)
        : io(context), options(given), connection(context, std::move(endpoint)) {}

    asio::io_context& io;
    ListerOptions options;
    Connection connection;
    PageSize page_size{options.page_size};
    WatchKind kind = WatchKind::pods;
    std::function<void(Object)> item;
    Done done;
    bool stopped = false;
    bool busy = false;

    asio::awaitable<void> run();
    asio::awaitable<core::Result<std::string>> page(std::string token);
    core::Result<PageHead> take(core::Result<std::string> body, WatchDecoder& decoder);
    void finish(core::Result<std::string> result);
};

asio::awaitable<core::Result<std::string>> Lister::Impl::page(std::string token) {
    const bool is_of_pods = kind == WatchKind::pods;
    Request request = list_request(is_of_pods ? "pods" : "nodes", page_size.objects(), token);
    Reply reply = co_await connection.call(
        std::move(request), CallLimits(options.timeout_ms, page_bytes_max));
    co_return body_of(std::move(reply));
}

// The page's items go out one by one; the answer is what the page says of the list.
core::Result<PageHead> Lister::Impl::take(core::Result<std::string> body, WatchDecoder& decoder) {
    if (!body) return body.error();
    auto head = decoder.read_page(*std::move(body));
    if (!head) return head;
    const auto read = decoder.for_each_item([&]() -> core::Result<core::Done> {
        auto object = decoder.object();
        if (!object) return object.error();
        if (!stopped) item(*std::move(object));
        return core::Done{};
    });
    return read ? head : core::Result<PageHead>(read.error());
}

asio::awaitable<void> Lister::Impl::run() {
    std::string token;
    std::string version;
    WatchDecoder decoder(kind, 0);
    for (std::size_t pages = 0; pages < options.pages_max; ++pages) {
        core::Result<std::string> body = co_await page(token);
        if (stopped) co_return;
        const std::size_t bytes = body ? body->size() : 0;
        const core::Result<PageHead> head = take(std::move(body), decoder);
        if (stopped) co_return;
        if (!head) {
            finish(head.error());
            co_return;
        }
        if (pages == 0) version = head->version;
        token = head->continue_token;
        if (token.empty()) {
            finish(std::move(version));
            co_return;
        }
        page_size.note_full_page(bytes);
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
