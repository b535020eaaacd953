#include "k8s/watch/watcher.hpp"

#include "k8s/base/page_size.hpp"
#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/protocol/reflector.hpp"
#include "k8s/watch/ingest.hpp"
#include "k8s/watch/pause_gate.hpp"
#include "k8s/watch/watch_health.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <random>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t list_timeout_ms = 60'000;
constexpr std::size_t list_page_max = 256 * 1024 * 1024;  // bytes: 500 pods of half a megabyte
constexpr std::int64_t watch_open_timeout_ms = 30'000;
constexpr std::int64_t watch_overdue_ms = 30'000;  // past its own end, a silent watch is dead

std::uint64_t random_seed() {
    std::random_device random;
    return static_cast<std::uint64_t>(random()) << 32 | random();
}

IngestOptions ingest_options(const WatcherOptions& options, std::function<void(WatchEvent)> emit) {
    IngestOptions made;
    made.kind = options.kind;
    made.images = options.keeps_images ? Images::kept : Images::dropped;
    made.version_use = options.version_use;
    made.fingerprint_seed = random_seed();
    made.reflector.backoff.ms_min = options.backoff_ms_min;
    made.reflector.backoff.ms_max = options.backoff_ms_max;
    made.reflector.watch_timeout_ms_min = options.watch_timeout_ms_min;
    made.reflector.seed = {random_seed(), random_seed()};
    made.reflector.keeps_names = options.kind == WatchKind::nodes;  // they are deleted by name
    made.emit = std::move(emit);
    return made;
}

protocol::Trouble trouble_of(const Failure& failure) {
    protocol::Trouble trouble;
    trouble.message = failure.message;
    return trouble;
}

protocol::Trouble trouble_of(const Response& response) {
    const Status status = decode_status(response.status, response.body);
    protocol::Trouble trouble;
    trouble.status = response.status;
    trouble.reason = status.reason;
    trouble.message = status.message;
    trouble.version_too_large = status.version_too_large;
    trouble.retry_after_ms = response.retry_after_ms.value_or(-1);
    return trouble;
}

}  // namespace

struct Watcher::Impl : std::enable_shared_from_this<Watcher::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, WatcherOptions given)
        : io(context),
          options(std::move(given)),
          connection(context, std::move(endpoint)),
          ingest(ingest_options(options, [this](WatchEvent e) { options.sink(std::move(e)); })),
          pause_timer(context),
          random(std::random_device()()),
          health(options),
          gate(context) {}

    asio::io_context& io;
    WatcherOptions options;
    PageSize page_size{options.page_size};
    Connection connection;
    Ingest ingest;
    asio::steady_timer pause_timer;
    std::minstd_rand random;
    WatchHealth health;
    PauseGate gate;
    bool started = false;
    bool stopped = false;
    bool wants_list = false;  // list_again() has closed what was going on

    std::uint32_t chance() { return static_cast<std::uint32_t>(random()); }
    asio::awaitable<void> take_page(std::string body);
    void note_page(PageOutcome outcome);
    Request page_request(const std::string& continue_token) const {
        return list_request(name_of(options.kind), page_size.objects(), continue_token);
    }
    bool take_bytes(const std::string& bytes);
    std::string watch_target(const protocol::AskWatch& ask) const;

    asio::awaitable<void> run();
    asio::awaitable<void> list(std::string continue_token);
    asio::awaitable<void> watch(protocol::AskWatch ask);
    asio::awaitable<void> follow(std::int64_t end_ms);
};

// The server makes the next page while this one is read.
asio::awaitable<void> Watcher::Impl::take_page(std::string body) {
    const std::size_t bytes = body.size();
    const auto opened = ingest.open_page(std::move(body));
    if (const auto* ended = std::get_if<PageOutcome>(&opened)) {
        note_page(*ended);
        co_return;
    }
    if (const auto& token = std::get<std::string>(opened); !token.empty()) {
        page_size.note_full_page(bytes);
        Request next = page_request(token);
        co_await connection.send_ahead(std::move(next));
    }
    if (stopped || wants_list) co_return;
    note_page(ingest.take_items());
}

void Watcher::Impl::note_page(PageOutcome outcome) {
    if (outcome != PageOutcome::unreadable) health.page_came();
    switch (outcome) {
        case PageOutcome::unreadable:
        case PageOutcome::broken:
            health.problem("list: " + ingest.problem());
            ingest.reflector().on_list_failed(protocol::Trouble(), monotonic_ms(), chance());
            return;
        case PageOutcome::refused:
            health.problem(ingest.problem());
            return;
        case PageOutcome::more:
            health.heard(monotonic_ms());
            return;
        case PageOutcome::complete:
            break;
    }
    health.list_complete(ingest.reflector().size(), monotonic_ms());
}

asio::awaitable<void> Watcher::Impl::list(std::string continue_token) {
    Request request = page_request(continue_token);
    Reply reply =
        co_await connection.call(std::move(request), CallLimits(list_timeout_ms, list_page_max));
    if (stopped || wants_list) co_return;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        health.problem(failure->message);
        ingest.reflector().on_list_failed(trouble_of(*failure), monotonic_ms(), chance());
        co_return;
    }
    auto& response = std::get<Response>(reply);
    if (response.status != 200) {
        const protocol::Trouble trouble = trouble_of(response);
        health.refused("list", trouble);
        ingest.reflector().on_list_failed(trouble, monotonic_ms(), chance());
        co_return;
    }
    co_await take_page(std::move(response.body));
}

std::string Watcher::Impl::watch_target(const protocol::AskWatch& ask) const {
    return fmt::format(
        "/api/v1/{}?watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
        name_of(options.kind),
        percent_encode(ask.version),
        ask.timeout_seconds);
}

asio::awaitable<void> Watcher::Impl::watch(protocol::AskWatch ask) {
    Request request("GET", watch_target(ask));
    request.accept = accept_json_without_managed_fields;
    Reply reply =
        co_await connection.open_stream(std::move(request), CallLimits(watch_open_timeout_ms));
    if (stopped || wants_list) co_return;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        health.problem(failure->message);
        ingest.reflector().on_watch_failed(trouble_of(*failure), monotonic_ms(), chance());
        co_return;
    }
    const auto& response = std::get<Response>(reply);
    if (response.status != 200) {
        const protocol::Trouble trouble = trouble_of(response);
        health.refused("watch", trouble);
        ingest.reflector().on_watch_failed(trouble, monotonic_ms(), chance());
        co_return;
    }
    health.watch_opened(monotonic_ms());
    ingest.clear();
    ingest.reflector().on_watch_opened(monotonic_ms());
    const std::int64_t end = monotonic_ms() + ask.timeout_seconds * 1'000 + watch_overdue_ms;
    co_await follow(end);
    health.watch_ended(monotonic_ms());
    ingest.clear();
}

asio::awaitable<void> Watcher::Impl::follow(std::int64_t end_ms) {
    for (;;) {
        co_await gate.until_resumed();
        if (stopped) co_return;
        const std::int64_t left = std::max<std::int64_t>(end_ms - monotonic_ms(), 1);
        StreamPart part = co_await connection.read(std::min(left, options.silence_ms));
        if (stopped || wants_list) co_return;
        if (auto* bytes = std::get_if<std::string>(&part)) {
            health.heard(monotonic_ms());
            const bool good = take_bytes(*bytes);
            connection.give_back(std::move(*bytes));
            if (good) continue;
            connection.close();
            co_return;
        }
        const auto* failure = std::get_if<Failure>(&part);
        const bool silent = failure != nullptr && failure->silent;
        if (silent) health.silent();
        if (failure != nullptr && !silent) health.problem("watch: " + failure->message);
        ingest.reflector().on_watch_closed(failure == nullptr || silent, monotonic_ms(), chance());
        co_return;
    }
}

// False: this watch cannot go on.
bool Watcher::Impl::take_bytes(const std::string& bytes) {
    switch (ingest.take_bytes(bytes)) {
        case StreamOutcome::fine:
            return true;
        case StreamOutcome::stopped:
            return false;
        case StreamOutcome::garbage:
            health.problem("watch: " + ingest.problem());
            ingest.reflector().on_garbage(monotonic_ms(), chance());
            return false;
        case StreamOutcome::error:
            health.problem("watch: " + ingest.problem());
            ingest.reflector().on_watch_failed(ingest.trouble(), monotonic_ms(), chance());
            return false;
    }
    ENSURE(false);
    return false;
}

asio::awaitable<void> Watcher::Impl::run() {
    while (!stopped) {
        co_await gate.until_resumed();
        if (stopped) break;
        if (std::exchange(wants_list, false)) ingest.reflector().ask_for_list();
        protocol::ReflectorAction action = ingest.reflector().next(chance());
        if (const auto* pause = std::get_if<protocol::Pause>(&action)) {
            co_await sleep_ms(pause_timer, pause->ms);
        } else if (auto* ask = std::get_if<protocol::AskList>(&action)) {
            co_await list(std::move(ask->continue_token));
        } else {
            co_await watch(std::get<protocol::AskWatch>(std::move(action)));
        }
    }
}

Watcher::Watcher(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WatcherOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

Watcher::~Watcher() {
    stop();
}

void Watcher::start() {
    ENSURE(!impl_->started);
    impl_->started = true;
    impl_->health.watch_ended(monotonic_ms());
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

void Watcher::stop() {
    impl_->stopped = true;
    impl_->ingest.stop();
    impl_->connection.close();
    impl_->pause_timer.cancel();
    impl_->gate.stop();
}

void Watcher::pause() {
    impl_->gate.pause();
}

void Watcher::resume() {
    impl_->gate.resume();
}

void Watcher::list_again() {
    impl_->wants_list = true;
    impl_->connection.close();
    impl_->pause_timer.cancel();
}

WatcherStats Watcher::stats() const {
    WatcherStats stats = impl_->health.stats();
    stats.lists = impl_->ingest.lists();
    stats.events = impl_->ingest.events();
    stats.repeats = impl_->ingest.repeats();
    stats.synced = impl_->ingest.reflector().is_synced() && !impl_->health.is_denied();
    return stats;
}

std::size_t Watcher::annotation_bytes(const std::string& pod_uid) const {
    return impl_->ingest.annotation_bytes(pod_uid);
}

}  // namespace k8s
