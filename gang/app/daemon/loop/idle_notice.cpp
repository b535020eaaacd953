#include "gang/app/daemon/loop/idle_notice.hpp"

#include <chrono>

namespace gang::app {

void IdleNotice::await() {
    if (!wiring_.on_idle || is_stopped_) {
        return;
    }
    timer_.expires_after(std::chrono::milliseconds(wiring_.after_ms));
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (ec || is_stopped_) {
            return;
        }
        if (wiring_.is_idle()) {
            wiring_.on_idle();
        } else {
            await();
        }
    });
}

void IdleNotice::stop() {
    is_stopped_ = true;
    timer_.cancel();
}

}  // namespace gang::app
