#include "tests/bench/load/sender.hpp"

#include "tests/bench/load/clock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace load {
namespace asio = boost::asio;
namespace {

void rethrow(std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
}

const char* content_type(const std::string& method) {
    return method == "PATCH" ? "application/merge-patch+json" : "application/json";
}

}  // namespace

Sender::Sender(asio::io_context& io, const Target& target, Script script)
    : io_(io),
      target_(target),
      script_(std::move(script)),
      total_(script_.size()),
      more_(io, std::chrono::steady_clock::time_point::max()) {
    sent_.latencies_us.reserve(total_);
}

void Sender::start(int connections) {
    asio::co_spawn(io_, begin(connections), rethrow);
}

asio::awaitable<void> Sender::begin(int connections) {
    std::vector<std::shared_ptr<Session>> sessions;
    for (int i = 0; i < connections; ++i) {
        sessions.push_back(std::make_shared<Session>(io_, target_));
        co_await sessions.back()->open();
    }
    ready_ = std::move(script_.at_once);
    for (const auto& session : sessions) asio::co_spawn(io_, serve(session), rethrow);
    asio::co_spawn(io_, arrive(), rethrow);
}

asio::awaitable<void> Sender::arrive() {
    const auto start = std::chrono::steady_clock::now();
    asio::steady_timer timer(io_);
    for (TimedStep& timed : script_.timed) {
        timer.expires_at(start + std::chrono::microseconds(timed.after_us));
        co_await timer.async_wait(asio::use_awaitable);
        push(std::move(timed.step));
    }
}

void Sender::pod_bound(const std::string& name) {
    const auto it = script_.when_bound.find(name);
    if (it == script_.when_bound.end()) return;
    for (Step& step : it->second) push(std::move(step));
    script_.when_bound.erase(it);
}

void Sender::push(Step step) {
    ready_.push_back(std::move(step));
    more_.cancel();
}

asio::awaitable<void> Sender::serve(std::shared_ptr<Session> session) {
    constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
    while (!is_done()) {
        if (ready_.empty()) {
            co_await more_.async_wait(tuple_awaitable);
            continue;
        }
        Step step = std::move(ready_.front());
        ready_.pop_front();
        const std::int64_t began = now_us();
        if (sent_.first_us == 0) sent_.first_us = began;
        std::string type = content_type(step.method);
        const Answer answer = co_await session->call(
            std::move(step.method), std::move(step.path), std::move(type), std::move(step.body));
        note(answer, began);
    }
    more_.cancel();
}

void Sender::note(const Answer& answer, std::int64_t began) {
    sent_.last_us = now_us();
    sent_.latencies_us.push_back(sent_.last_us - began);
    ++sent_.statuses[answer.status];
    if (answer.status / 100 != 2 && sent_.refusal.empty()) sent_.refusal = answer.body;
}

}  // namespace load
