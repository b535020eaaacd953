#include "k8s/review/caller_reviewer.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/review/review_json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <cstdint>
#include <deque>
#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t call_ms = 5'000;
constexpr const char* token_reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr const char* access_reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

core::Result<std::string> created_body(Reply reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return core::Error{failure->message};
    auto& response = std::get<Response>(reply);
    if (response.status == 200 || response.status == 201) return std::move(response.body);
    return core::Error{decode_status(response.status, response.body).message};
}

}  // namespace

struct CallerReviewer::Impl : std::enable_shared_from_this<CallerReviewer::Impl> {
    struct Job {
        std::string token;
        std::vector<std::string> namespaces;
        Done done;
    };
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint)
        : io(context), connection(context, std::move(endpoint)) {}

    asio::io_context& io;
    Connection connection;
    std::deque<Job> jobs;
    bool running = false;
    bool stopped = false;

    asio::awaitable<void> run();
    asio::awaitable<core::Result<CallerVerdict>> review(std::string token, std::vector<std::string> namespaces);
    asio::awaitable<core::Result<bool>> may_list(std::string user, std::string namespace_name);
    asio::awaitable<core::Result<std::string>> post(std::string target, std::string body);
    void answer(Done done, core::Result<CallerVerdict> verdict);
};

void CallerReviewer::Impl::answer(Done done, core::Result<CallerVerdict> verdict) {
    asio::post(
        io, [self = shared_from_this(), done = std::move(done), verdict = std::move(verdict)] {
            if (!self->stopped) done(verdict);
        });
}

asio::awaitable<void> CallerReviewer::Impl::run() {
    while (!stopped && !jobs.empty()) {
        Job job = std::move(jobs.front());
        jobs.pop_front();
        core::Result<CallerVerdict> verdict =
            co_await review(std::move(job.token), std::move(job.namespaces));
        answer(std::move(job.done), std::move(verdict));
    }
    running = false;
}

asio::awaitable<core::Result<CallerVerdict>> CallerReviewer::Impl::review(
    std::string token, std::vector<std::string> namespaces) {
    std::string body = token_review(token);
    core::Result<std::string> answered = co_await post(token_reviews, std::move(body));
    if (!answered) co_return answered.error();
    const core::Result<std::string> user = user_of_token_review(*std::move(answered));
    if (!user) co_return user.error();
    CallerVerdict verdict;
    verdict.is_known = !user->empty();
    if (!verdict.is_known) co_return verdict;
    const core::Result<bool> all = co_await may_list(*user, std::string());
    if (!all) co_return all.error();
    verdict.may_see_all = *all;
    for (std::size_t i = 0; i < namespaces.size() && !verdict.may_see_all; ++i) {
        const core::Result<bool> one = co_await may_list(*user, namespaces[i]);
        if (!one) co_return one.error();
        if (*one) verdict.namespaces.insert(namespaces[i]);
    }
    co_return verdict;
}

asio::awaitable<core::Result<bool>> CallerReviewer::Impl::may_list(
    std::string user, std::string namespace_name) {
    std::string body = list_pods_review(user, namespace_name);
    core::Result<std::string> answered = co_await post(access_reviews, std::move(body));
    if (!answered) co_return answered.error();
    co_return is_allowed(*std::move(answered));
}

asio::awaitable<core::Result<std::string>> CallerReviewer::Impl::post(
    std::string target, std::string body) {
    Request request("POST", std::move(target));
    request.content_type = "application/json";
    request.body = std::move(body);
    Reply reply = co_await connection.call(std::move(request), CallLimits(call_ms));
    co_return created_body(std::move(reply));
}

CallerReviewer::CallerReviewer(asio::io_context& io, std::shared_ptr<Endpoint> endpoint)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint))) {}

CallerReviewer::~CallerReviewer() {
    stop();
}

void CallerReviewer::ask(std::string token, std::vector<std::string> namespaces, Done done) {
    if (impl_->stopped) return;
    if (impl_->jobs.size() >= waiting_max) {
        impl_->answer(std::move(done), core::Error{"too many callers are asked about already"});
        return;
    }
    impl_->jobs.push_back({std::move(token), std::move(namespaces), std::move(done)});
    if (!std::exchange(impl_->running, true)) {
        asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
    }
}

void CallerReviewer::stop() {
    if (std::exchange(impl_->stopped, true)) return;
    impl_->jobs.clear();
    impl_->connection.close();
}

}  // namespace k8s
