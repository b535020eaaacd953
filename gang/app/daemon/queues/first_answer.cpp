#include "gang/app/daemon/queues/first_answer.hpp"

#include <chrono>
#include <utility>

namespace gang::app {
namespace {

/// What cannot be read for so long may come at any time, or never.
constexpr auto patience = std::chrono::seconds(10);

}  // namespace

void FirstAnswer::await(std::function<void()> known) {
    known_ = std::move(known);
    timer_.expires_after(patience);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec && known_) {
            log_->write(
                config::LogLevel::warning,
                what_ + " are not known yet: scheduling begins without them",
                {});
            came();
        }
    });
}

void FirstAnswer::came() {
    timer_.cancel();
    if (const auto known = std::exchange(known_, {})) {
        known();
    }
}

void FirstAnswer::stop() {
    known_ = {};
    timer_.cancel();
}

}  // namespace gang::app
