#include "k8s/watch/object_watch.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/protocol/line_splitter.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t watch_margin_ms = 30'000;  ///< past its own end a watch is dead
constexpr std::size_t pages_max = 10'000;

}  // namespace

struct ObjectWatch::Impl : std::enable_shared_from_this<ObjectWatch::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, ObjectWatchOptions given)
        : io(context),
          options(std::move(given)),
          connection(context, std::move(endpoint)),
          timer(context) {}

    asio::io_context& io;
    ObjectWatchOptions options;
    Connection connection;
    asio::steady_timer timer;
    protocol::LineSplitter lines;
    std::string version;  ///< of the last list
    bool is_denied = false;
    bool may_not_watch = false;  ///< though we may list them
    bool started = false;
    bool stopped = false;

    asio::awaitable<void> run();
    asio::awaitable<bool> list();
    asio::awaitable<void> watch();
    asio::awaitable<Reply> page(std::string token);
    bool take_page(Reply reply, bool is_first, PageEnd& end);
    bool take_lines(const std::string& bytes);
    void trouble(const std::string& why) const;
    void list_failed(const std::string& why) const;
    void watch_refused(const Response& response);
};

void ObjectWatch::Impl::trouble(const std::string& why) const {
    if (options.notice) {
        options.notice(
            NoticeLevel::warning, fmt::format("watch={} problem=\"{}\"", options.name, why));
    }
}

void ObjectWatch::Impl::list_failed(const std::string& why) const {
    trouble(why);
    if (options.failed) options.failed(why);
}

/// An older role may lack the one verb: the list is then read again and again, which is said once.
void ObjectWatch::Impl::watch_refused(const Response& response) {
    const std::string why = decode_status(response.status, response.body).message;
    if (response.status != 403) {
        trouble(why);
    } else if (!std::exchange(may_not_watch, true)) {
        trouble(fmt::format(
            "{}; they are listed every {} s instead: grant the scheduler watch on {}",
            why,
            options.pause_ms_max / 1'000,
            options.name));
    }
}

asio::awaitable<Reply> ObjectWatch::Impl::page(std::string token) {
    std::string target = fmt::format("{}?limit={}", options.path, options.page_size);
    if (!token.empty()) target += "&continue=" + percent_encode(token);
    Request request("GET", std::move(target));
    request.accept = accept_json_without_managed_fields;
    co_return co_await connection.call(std::move(request), CallLimits(options.call_timeout_ms));
}

// False: there is no such page, and it has been said why.
bool ObjectWatch::Impl::take_page(Reply reply, bool is_first, PageEnd& end) {
    if (stopped) return false;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        list_failed(failure->message);
        return false;
    }
    auto& response = std::get<Response>(reply);
    if (response.status != 200) {
        const std::string why = decode_status(response.status, response.body).message;
        const bool is_denial =
            response.status == 401 || response.status == 403 || response.status == 404;
        if (!is_denial) {
            list_failed(why);
        } else if (!std::exchange(is_denied, true)) {
            options.denied(response.status, why);
        }
        return false;
    }
    auto taken = options.take_page(std::move(response.body), is_first);
    if (!taken) {
        list_failed(taken.error().message);
        return false;
    }
    end = *std::move(taken);
    return true;
}

asio::awaitable<bool> ObjectWatch::Impl::list() {
    std::string token;
    for (std::size_t pages = 0; pages < pages_max; ++pages) {
        Reply reply = co_await page(token);
        PageEnd end;
        const bool is_taken = take_page(std::move(reply), pages == 0, end);
        if (!is_taken) co_return false;
        if (pages == 0) version = end.version;
        token = end.continue_token;
        if (token.empty()) break;
    }
    is_denied = false;
    options.listed();
    co_return true;
}

// False: the watch cannot go on.
bool ObjectWatch::Impl::take_lines(const std::string& bytes) {
    const auto taken = lines.take(bytes, [this](std::string_view text) {
        if (stopped) return false;
        const auto line = options.take_line(std::string(text));
        if (!line) trouble(line.error().message);
        return line && *line;
    });
    return taken == protocol::LineSplitter::Taken::all;
}

asio::awaitable<void> ObjectWatch::Impl::watch() {
    Request request(
        "GET",
        fmt::format(
            "{}?watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
            options.path,
            percent_encode(version),
            options.watch_seconds));
    request.accept = accept_json_without_managed_fields;
    Reply reply =
        co_await connection.open_stream(std::move(request), CallLimits(options.call_timeout_ms));
    const auto* response = std::get_if<Response>(&reply);
    if (stopped || response == nullptr) co_return;
    if (response->status != 200) {
        watch_refused(*response);
        co_return;
    }
    may_not_watch = false;
    lines.clear();
    const std::int64_t end = monotonic_ms() + options.watch_seconds * 1'000 + watch_margin_ms;
    for (;;) {
        const std::int64_t left = std::max<std::int64_t>(end - monotonic_ms(), 1);
        StreamPart part = co_await connection.read(left);
        auto* bytes = std::get_if<std::string>(&part);
        if (stopped || bytes == nullptr) co_return;
        const bool is_good = take_lines(*bytes);
        connection.give_back(std::move(*bytes));
        if (!is_good) {
            connection.close();
            co_return;
        }
    }
}

asio::awaitable<void> ObjectWatch::Impl::run() {
    std::int64_t pause_ms = options.pause_ms_min;
    while (!stopped) {
        const bool is_listed = co_await list();
        if (stopped) break;
        if (is_listed) {
            const std::int64_t began = monotonic_ms();
            co_await watch();
            const bool has_lived = monotonic_ms() - began > options.pause_ms_max;
            if (has_lived) pause_ms = options.pause_ms_min;
        }
        if (stopped) break;
        if (is_denied) connection.close();  // it would idle for long
        if (may_not_watch) pause_ms = options.pause_ms_max;
        const std::int64_t rest_ms = is_denied ? options.pause_ms_denied : pause_ms;
        co_await sleep_ms(timer, rest_ms);
        pause_ms = std::min(pause_ms * 2, options.pause_ms_max);
    }
}

ObjectWatch::ObjectWatch(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ObjectWatchOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

ObjectWatch::~ObjectWatch() {
    stop();
}

void ObjectWatch::start() {
    if (std::exchange(impl_->started, true)) return;
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

void ObjectWatch::stop() {
    impl_->stopped = true;
    impl_->timer.cancel();
    impl_->connection.close();
}

}  // namespace k8s
