#include "gang/app/daemon/queues/queue_objects.hpp"

#include "config/queues/queue_objects.hpp"
#include "k8s/base/time.hpp"

#include <chrono>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

/// What a queue holds changes with every pod.
constexpr auto between_statuses = std::chrono::seconds(5);

}  // namespace

QueueObjects::QueueObjects(
    boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring)
    : wiring_(std::move(wiring)),
      first_(io, wiring_.log, "Queue objects"),
      watch_(io, std::move(endpoint), [this] {
          k8s::QueueObjectWatchOptions out;
          out.changed = [this] { on_change(); };
          out.denied = [log = wiring_.log](const std::string& version, const std::string& why) {
              log->write(
                  LogLevel::info,
                  "Queue objects are not read: they cannot be listed",
                  {{"apiVersion", version}, {"why", why}});
          };
          return out;
      }()),
      effective_(
          *wiring_.file,
          [this](const config::Schema& file) { return add_objects(file); },
          wiring_.tell),
      status_timer_(io) {}

void QueueObjects::start(std::function<void()> known) {
    first_.await(std::move(known));
    watch_.start();
}

void QueueObjects::stop() {
    first_.stop();
    watch_.stop();
    is_status_awaited_ = false;
    status_timer_.cancel();
}

void QueueObjects::on_change() {
    effective_.refresh(*wiring_.file);
    if (!watch_.volcano_objects().empty() && !is_status_awaited_) {
        await_statuses();
    }
    if (watch_.is_known()) {
        first_.came();
    }
}

config::Schema QueueObjects::add_objects(const config::Schema& file) {
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

void QueueObjects::await_statuses() {
    is_status_awaited_ = true;
    status_timer_.expires_after(between_statuses);
    status_timer_.async_wait([this](const boost::system::error_code& ec) {
        if (ec || !is_status_awaited_) {
            return;
        }
        write_statuses();
        is_status_awaited_ = false;
        if (!watch_.volcano_objects().empty()) {
            await_statuses();
        }
    });
}

void QueueObjects::write_statuses() {
    const QueueStatuses::Objects& objects = watch_.volcano_objects();
    const std::vector<QueueView> queues = wiring_.queues();
    if (queues.empty()) {
        return;
    }
    for (const k8s::QueueStatusWrite& write :
         statuses_.choose(objects, queues, k8s::monotonic_ms())) {
        wiring_.write_status(write, [this, write](const k8s::ObjectStatusResult& result) {
            const std::string trouble = statuses_.answered(write, result, k8s::monotonic_ms());
            if (!trouble.empty()) {
                wiring_.log->write(LogLevel::info, trouble, {});
            }
        });
    }
}

}  // namespace gang::app
