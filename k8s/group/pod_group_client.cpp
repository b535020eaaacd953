#include "k8s/group/pod_group_client.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/group/codec_pod_group.hpp"
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

std::string group_target(std::string_view root, const PodGroupQuestion& question) {
    return std::string(root) + "/namespaces/" + percent_encode(question.namespace_name) +
           "/podgroups/" + percent_encode(question.name);
}

/// Of an object that was asked for in this version.
PodGroupResult to_result(core::GroupDialect dialect, std::string_view api_version, Reply reply) {
    PodGroupResult result;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return result;
    }
    auto& response = std::get<Response>(reply);
    if (response.status != 200) {
        result.message = decode_status(response.status, response.body).message;
        if (response.status == 404) result.outcome = FetchOutcome::not_found;
        if (response.status == 401 || response.status == 403) {
            result.outcome = FetchOutcome::forbidden;
        }
        return result;
    }
    auto decoded = decode_pod_group(dialect, api_version, std::move(response.body));
    if (decoded) {
        result.outcome = FetchOutcome::found;
        result.group = std::move(decoded->group);
        result.uid = std::move(decoded->uid);
        result.api_version = api_version;
        result.status = std::move(decoded->status);
        result.priority_class = std::move(decoded->priority_class);
    } else {
        result.outcome = FetchOutcome::unreadable;
        result.message = decoded.error().message;
    }
    return result;
}

}  // namespace

struct PodGroupClient::Impl : std::enable_shared_from_this<PodGroupClient::Impl> {
    struct Job {
        PodGroupQuestion question;
        std::function<void(const PodGroupResult&)> done;
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
    asio::awaitable<PodGroupResult> look(PodGroupQuestion question);
    asio::awaitable<Reply> get(std::string target);
};

void PodGroupClient::Impl::add(Job job) {
    jobs.push_back(std::move(job));
    if (!std::exchange(running, true)) {
        asio::co_spawn(io, run(), keep_alive(shared_from_this()));
    }
}

asio::awaitable<void> PodGroupClient::Impl::run() {
    while (!stopped && !jobs.empty()) {
        Job job = std::move(jobs.front());
        jobs.pop_front();
        PodGroupResult result = co_await look(job.question);
        asio::post(
            io,
            [self = shared_from_this(), done = std::move(job.done), result = std::move(result)] {
                if (!self->stopped) done(result);
            });
    }
    running = false;
}

/// In one version after the other, until one is there. Of several answers the first that is none of
/// "there is no such thing" counts, else the last.
asio::awaitable<PodGroupResult> PodGroupClient::Impl::look(PodGroupQuestion question) {
    PodGroupResult result;
    for (const std::string_view root : api_roots(question.dialect)) {
        Reply reply = co_await get(group_target(root, question));
        constexpr std::string_view before = "/apis/";
        result = to_result(question.dialect, root.substr(before.size()), std::move(reply));
        if (result.outcome != FetchOutcome::not_found) break;
    }
    if (!result.priority_class.empty()) {
        Reply reply = co_await get(
            "/apis/scheduling.k8s.io/v1/priorityclasses/" + percent_encode(result.priority_class));
        // Without it the group has the priority of its pods.
        if (auto body = body_of(std::move(reply))) {
            if (const auto value = decode_priority_class(std::move(*body))) {
                result.group.priority = *value;
            }
        }
    }
    co_return result;
}

asio::awaitable<Reply> PodGroupClient::Impl::get(std::string target) {
    co_return co_await connection.call(
        Request("GET", std::move(target)), CallLimits(call_timeout_ms));
}

PodGroupClient::PodGroupClient(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, std::int64_t call_timeout_ms)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), call_timeout_ms)) {}

PodGroupClient::~PodGroupClient() {
    stop();
}

void PodGroupClient::read(
    PodGroupQuestion question, std::function<void(const PodGroupResult&)> done) {
    impl_->add({std::move(question), std::move(done)});
}

void PodGroupClient::stop() {
    impl_->stopped = true;
    impl_->connection.close();
}

}  // namespace k8s
