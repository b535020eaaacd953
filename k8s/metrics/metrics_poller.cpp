#include "k8s/metrics/metrics_poller.hpp"

#include "k8s/base/http.hpp"
#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/metrics/gpu_vectors.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

struct MetricsPoller::Impl : std::enable_shared_from_this<MetricsPoller::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, MetricsPollerOptions with)
        : io(context),
          options(std::move(with)),
          connection(context, std::move(endpoint)),
          timer(context),
          labels(options.node_label) {}

    asio::io_context& io;
    MetricsPollerOptions options;
    Connection connection;
    asio::steady_timer timer;
    GpuLabelMemo labels;
    MetricsPollerStats stats;
    std::string problem;  ///< of the last poll, as it was said
    bool stopped = false;

    asio::awaitable<void> run();
    asio::awaitable<void> poll();
    asio::awaitable<Reply> ask(std::string query);
    void finish(GpuVectors& vectors, const std::string& why);
    void say(std::string now);
};

asio::awaitable<void> MetricsPoller::Impl::run() {
    while (!stopped) {
        const std::int64_t began_ms = monotonic_ms();
        co_await poll();
        const std::int64_t took_ms = monotonic_ms() - began_ms;
        const std::int64_t pause_ms = std::max<std::int64_t>(options.interval_ms - took_ms, 100);
        if (!stopped) co_await sleep_ms(timer, pause_ms);
    }
}

asio::awaitable<void> MetricsPoller::Impl::poll() {
    GpuVectors vectors(labels);
    std::string why;
    for (const std::string_view query : {gpu_query_dynamic, gpu_query_static}) {
        std::string text(query);
        Reply reply = co_await ask(std::move(text));
        core::Result<std::string> body = body_of(std::move(reply));
        if (!body) {
            why = body.error().message;
            break;
        }
        if (auto added = vectors.add(*body); !added) {
            why = added.error().message;
            break;
        }
    }
    if (!stopped) finish(vectors, why);
}

asio::awaitable<Reply> MetricsPoller::Impl::ask(std::string query) {
    std::string target = options.target_prefix + "/api/v1/query?query=" + percent_encode(query);
    CallLimits limits(std::min(options.call_timeout_ms, options.interval_ms), options.body_max);
    co_return co_await connection.call(Request("GET", std::move(target)), std::move(limits));
}

void MetricsPoller::Impl::finish(GpuVectors& vectors, const std::string& why) {
    if (!why.empty()) {
        ++stats.failures;
        say("no GPU metrics: " + why);
        options.missed(why);
        return;
    }
    ++stats.polls;
    stats.sampled_ms = monotonic_ms();
    stats.left_out = vectors.left_out();
    stats.unreadable = vectors.unreadable();
    std::vector<core::SampledNode> nodes = vectors.take();
    stats.nodes = nodes.size();
    stats.gpus = 0;
    for (const core::SampledNode& node : nodes) stats.gpus += node.gpus.size();
    stats.models = count_models(nodes);
    std::string odd;
    if (vectors.without_node() > 0) {
        odd = std::to_string(vectors.without_node()) + " series have no label " +
              options.node_label + ", so nobody knows their node: see docs/run/gpu-metrics.md";
    } else if (nodes.empty()) {
        odd = "Prometheus has no series of observerward_dynamic_gpu_ or observerward_static_gpu_";
    }
    say(std::move(odd));
    options.sampled(std::move(nodes));
}

/// What is as it was is not said again.
void MetricsPoller::Impl::say(std::string now) {
    if (now == problem) return;
    if (options.notice) {
        const bool is_bad = !now.empty();
        options.notice(
            is_bad ? NoticeLevel::warning : NoticeLevel::info,
            is_bad ? "problem=\"" + now + "\"" : "GPU metrics come");
    }
    problem = std::move(now);
}

MetricsPoller::MetricsPoller(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, MetricsPollerOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

MetricsPoller::~MetricsPoller() {
    stop();
}

void MetricsPoller::start() {
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

void MetricsPoller::stop() {
    impl_->stopped = true;
    impl_->timer.cancel();
    impl_->connection.close();
}

const MetricsPollerStats& MetricsPoller::stats() const {
    return impl_->stats;
}

}  // namespace k8s
