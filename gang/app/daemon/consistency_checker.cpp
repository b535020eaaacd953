#include "gang/app/daemon/consistency_checker.hpp"

#include "k8s/base/time.hpp"

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

constexpr std::size_t logged_max = 20;

bool is_of_nodes(DriftKind kind) {
    return kind == DriftKind::node_unknown || kind == DriftKind::node_differs ||
           kind == DriftKind::node_gone || kind == DriftKind::node_miscounted;
}

}  // namespace

ConsistencyChecker::ConsistencyChecker(
    boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring)
    : lister_(io, std::move(endpoint)),
      timer_(io),
      wiring_(std::move(wiring)),
      random_(std::random_device()()) {}

void ConsistencyChecker::start() {
    arm();
}

void ConsistencyChecker::stop() {
    stopped_ = true;
    timer_.cancel();
    lister_.stop();
}

/// Replicas and restarts must not list all at once: from the interval up to a quarter more.
void ConsistencyChecker::arm() {
    const std::int64_t interval_ms = wiring_.interval_ms;
    if (interval_ms > 0 && !stopped_) {
        const auto more = static_cast<std::int64_t>(random_()) % (interval_ms / 4 + 1);
        wait(interval_ms + more, &ConsistencyChecker::run_now);
    }
}

void ConsistencyChecker::wait(std::int64_t ms, void (ConsistencyChecker::*then)()) {
    timer_.expires_after(std::chrono::milliseconds(ms));
    timer_.async_wait([this, then](const boost::system::error_code& ec) {
        if (!ec && !stopped_) {
            (this->*then)();
        }
    });
}

void ConsistencyChecker::run_now() {
    if (status_.is_running || stopped_) {
        return;
    }
    timer_.cancel();
    if (!wiring_.is_synced()) {
        failed("pods and nodes are not listed yet");
        return;
    }
    status_.is_running = true;
    check_ = ConsistencyCheck();
    list_nodes();
}

void ConsistencyChecker::list_nodes() {
    check_.begin();
    lister_.list(
        k8s::WatchKind::nodes,
        [this](k8s::Lister::Object node) {
            check_.see(*wiring_.scheduler, std::get<core::Node>(node));
        },
        [this](const core::Result<std::string>& version) {
            version ? list_pods() : failed(version.error().message);
        });
}

void ConsistencyChecker::list_pods() {
    lister_.list(
        k8s::WatchKind::pods,
        [this](k8s::Lister::Object pod) {
            wiring_.seal->open(std::get<core::Pod>(pod));
            check_.see(*wiring_.scheduler, std::get<core::Pod>(pod));
        },
        [this](const core::Result<std::string>& version) {
            version ? listed() : failed(version.error().message);
        });
}

void ConsistencyChecker::listed() {
    if (!wiring_.is_synced()) {
        failed("a watch is being listed again meanwhile");
    } else if (check_.finish(*wiring_.scheduler)) {
        conclude();
    } else {
        wait(wiring_.second_list_after_ms, &ConsistencyChecker::list_nodes);
    }
}

void ConsistencyChecker::failed(const std::string& why) {
    ++status_.failures;
    status_.is_running = false;
    status_.problem = why;
    wiring_.log->write(LogLevel::warning, "no audit", {{"why", why}});
    arm();
}

void ConsistencyChecker::conclude() {
    status_.is_running = false;
    ++status_.runs;
    status_.last_ms = k8s::unix_ms();
    status_.problem.clear();
    status_.drift = check_.drift();
    status_.drift_total += status_.drift.size();
    const auto level = status_.drift.empty() ? LogLevel::debug : LogLevel::error;
    wiring_.log->write(
        level,
        "audit",
        {{"pods", std::to_string(check_.pods_seen())},
         {"drift", std::to_string(status_.drift.size())}});
    bool nodes = false;
    bool pods = false;
    for (std::size_t i = 0; i < status_.drift.size(); ++i) {
        const Drift& drift = status_.drift[i];
        if (i < logged_max) {
            wiring_.log->write(
                LogLevel::error,
                "drift",
                {{"kind", describe(drift.kind)}, {"name", drift.name}, {"what", drift.detail}});
        }
        if (drift.kind == DriftKind::reservation_differs) {
            wiring_.push(ReservationDiffers{drift.uid});
        }
        (is_of_nodes(drift.kind) ? nodes : pods) = true;
    }
    if (nodes) {
        wiring_.relist(k8s::WatchKind::nodes);
    }
    if (pods) {
        wiring_.relist(k8s::WatchKind::pods);
    }
    arm();
}

}  // namespace gang::app
