#include "k8s/quota/quota_client.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/quota/codec_quota.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <deque>
#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

/// The body of a list; else why there is none, in `result`.
std::string body_of(Reply reply, QuotaResult& result) {
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return {};
    }
    auto& response = std::get<Response>(reply);
    if (response.status == 200) {
        result.outcome = FetchOutcome::found;
        return std::move(response.body);
    }
    result.message = decode_status(response.status, response.body).message;
    if (response.status == 401 || response.status == 403) {
        result.outcome = FetchOutcome::forbidden;
    }
    return {};
}

template <typename T>
void take(core::Result<T> decoded, T& into, QuotaResult& result) {
    if (decoded) {
        into = *std::move(decoded);
        return;
    }
    result.outcome = FetchOutcome::unreadable;
    result.message = decoded.error().message;
}

QuotaResult with_quotas(Reply reply) {
    QuotaResult result;
    std::string body = body_of(std::move(reply), result);
    if (result.outcome == FetchOutcome::found) {
        take(decode_resource_quotas(std::move(body)), result.quotas.quotas, result);
    }
    return result;
}

QuotaResult with_limit_ranges(QuotaResult before, Reply reply) {
    QuotaResult result;
    std::string body = body_of(std::move(reply), result);
    if (result.outcome == FetchOutcome::found) {
        result.quotas = std::move(before.quotas);
        take(decode_limit_ranges(std::move(body)), result.quotas.bounds, result);
    }
    return result;
}

}  // namespace

struct QuotaClient::Impl : std::enable_shared_from_this<QuotaClient::Impl> {
    struct Job {
        std::string namespace_name;
        std::function<void(const QuotaResult&)> done;
    };
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, std::int64_t timeout_ms)
        : io(context), call_timeout_ms(timeout_ms), connection(context, std::move(endpoint)) {}

    asio::io_context& io;
    std::int64_t call_timeout_ms;
    Connection connection;
    std::deque<Job> jobs;
    bool running = false;
    bool stopped = false;

    void add(Job job);
    asio::awaitable<void> run();
    asio::awaitable<QuotaResult> look(std::string namespace_name);
    asio::awaitable<Reply> get(std::string target);
};

void QuotaClient::Impl::add(Job job) {
    jobs.push_back(std::move(job));
    if (!std::exchange(running, true)) {
        asio::co_spawn(io, run(), keep_alive(shared_from_this()));
    }
}

asio::awaitable<void> QuotaClient::Impl::run() {
    while (!stopped && !jobs.empty()) {
        Job job = std::move(jobs.front());
        jobs.pop_front();
        QuotaResult result = co_await look(job.namespace_name);
        asio::post(
            io,
            [self = shared_from_this(), done = std::move(job.done), result = std::move(result)] {
                if (!self->stopped) done(result);
            });
    }
    running = false;
}

asio::awaitable<QuotaResult> QuotaClient::Impl::look(std::string namespace_name) {
    const std::string root = "/api/v1/namespaces/" + percent_encode(namespace_name);
    Reply quotas = co_await get(root + "/resourcequotas");
    QuotaResult result = with_quotas(std::move(quotas));
    if (result.outcome != FetchOutcome::found) co_return result;
    Reply ranges = co_await get(root + "/limitranges");
    co_return with_limit_ranges(std::move(result), std::move(ranges));
}

asio::awaitable<Reply> QuotaClient::Impl::get(std::string target) {
    co_return co_await connection.call(
        Request("GET", std::move(target)), CallLimits(call_timeout_ms));
}

QuotaClient::QuotaClient(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, std::int64_t call_timeout_ms)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), call_timeout_ms)) {}

QuotaClient::~QuotaClient() {
    stop();
}

void QuotaClient::read(
    std::string namespace_name, std::function<void(const QuotaResult&)> done) {
    impl_->add({std::move(namespace_name), std::move(done)});
}

void QuotaClient::stop() {
    impl_->stopped = true;
    impl_->connection.close();
}

}  // namespace k8s
