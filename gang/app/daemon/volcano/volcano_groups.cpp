#include "gang/app/daemon/volcano/volcano_groups.hpp"

#include <chrono>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

/// A controller that makes many groups makes them within a second or so.
constexpr std::chrono::seconds after_a_change(1);
/// What has become free shows at the next turn, which looks at all nodes.
constexpr std::chrono::seconds between_turns(5);

}  // namespace

VolcanoGroups::VolcanoGroups(
    boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring)
    : wiring_(std::move(wiring)), watch_(io, std::move(endpoint), [this] {
          k8s::PodGroupWatchOptions out;
          out.changed = [this] { await_turn(after_a_change); };
          out.denied = [log = wiring_.log](const std::string& why) {
              log->write(
                  LogLevel::warning,
                  "PodGroups of Volcano are not let in: they cannot be listed",
                  {{"why", why}});
          };
          out.notice = wiring_.notice;
          return out;
      }()),
      timer_(io) {}

void VolcanoGroups::start() {
    watch_.start();
}

void VolcanoGroups::stop() {
    watch_.stop();
    next_turn_.reset();
    timer_.cancel();
}

/// No timer runs while nobody waits.
void VolcanoGroups::await_turn(std::chrono::seconds from_now) {
    const auto at = std::chrono::steady_clock::now() + from_now;
    if ((next_turn_ && *next_turn_ <= at) || !Enqueuer::has_pending(watch_.groups())) {
        return;
    }
    next_turn_ = at;
    timer_.expires_at(at);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec && next_turn_) {
            next_turn_.reset();
            take_turn();
            await_turn(between_turns);
        }
    });
}

void VolcanoGroups::take_turn() {
    const std::optional<EnqueueView> view = wiring_.view();
    if (!view) {
        return;
    }
    const std::vector<k8s::GroupStatusWrite> chosen = enqueuer_.choose(watch_.groups(), *view);
    for (const EnqueueNews& one : enqueuer_.take_news()) {
        wiring_.log->write(LogLevel::warning, one.text, {{"group", one.group}});
    }
    for (const k8s::GroupStatusWrite& write : enqueuer_.take_late()) {
        wiring_.write_status(write, [](const k8s::ObjectStatusResult&) {});
    }
    for (const k8s::GroupStatusWrite& write : chosen) {
        wiring_.write_status(
            write, [this, write, now_s = view->now_s](const k8s::ObjectStatusResult& result) {
                if (result.outcome == k8s::ObjectStatusOutcome::written) {
                    wiring_.log->write(
                        LogLevel::info,
                        "pod group is let in",
                        {{"group", write.namespace_name + "/" + write.name}});
                }
                const std::string trouble = enqueuer_.answered(write, result, now_s);
                if (!trouble.empty()) {
                    wiring_.log->write(LogLevel::warning, trouble, {});
                }
            });
    }
}

}  // namespace gang::app
