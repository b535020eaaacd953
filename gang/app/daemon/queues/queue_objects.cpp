#include "gang/app/daemon/queues/queue_objects.hpp"

#include "config/queues/queue_objects.hpp"

#include <chrono>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

/// What cannot be read for so long may come at any time, or never.
constexpr auto patience = std::chrono::seconds(10);

}  // namespace

QueueObjects::QueueObjects(
    boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring)
    : wiring_(std::move(wiring)), patience_(io), watch_(io, std::move(endpoint), [this] {
          k8s::QueueObjectWatchOptions out;
          out.changed = [this] { on_change(); };
          out.denied = [log = wiring_.log](const std::string& version, const std::string& why) {
              log->write(
                  LogLevel::info,
                  "Queue objects are not read: they cannot be listed",
                  {{"apiVersion", version}, {"why", why}});
          };
          return out;
      }()) {}

void QueueObjects::start(std::function<void()> known) {
    known_ = std::move(known);
    patience_.expires_after(patience);
    patience_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec && known_) {
            wiring_.log->write(
                LogLevel::warning,
                "Queue objects are not known yet: scheduling begins without them",
                {});
            know();
        }
    });
    watch_.start();
}

void QueueObjects::stop() {
    known_ = {};
    patience_.cancel();
    watch_.stop();
}

void QueueObjects::on_change() {
    wiring_.changed();
    if (watch_.is_known()) {
        know();
    }
}

void QueueObjects::know() {
    patience_.cancel();
    if (auto known = std::exchange(known_, {})) {
        known();
    }
}

config::Schema QueueObjects::with(const config::Schema& file) {
    if (!watch_.has_kind()) {
        return file;
    }
    config::WithQueueObjects both = config::add_queue_objects(file, watch_.objects());
    tell(both.problems);
    return std::move(both.schema);
}

void QueueObjects::tell(const std::vector<std::string>& problems) {
    if (problems == told_) {
        return;
    }
    for (const std::string& problem : problems) {
        wiring_.log->write(LogLevel::warning, problem, {});
    }
    told_ = problems;
}

}  // namespace gang::app
