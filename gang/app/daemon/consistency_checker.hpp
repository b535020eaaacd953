#pragma once
// Every few minutes, and when asked: lists all pods and nodes anew and compares them with what the
// scheduler believes (gang/consistency/consistency_check.hpp). A difference that lasts is a log
// line, a count and a repair: the kind is listed again by its watcher, a reservation is written
// anew.

#include "gang/app/base/consistency_status.hpp"
#include "gang/app/base/log.hpp"
#include "gang/consistency/consistency_check.hpp"
#include "gang/event.hpp"
#include "gang/reservation/format/seal.hpp"
#include "gang/scheduler.hpp"
#include "k8s/watch/lister.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>

namespace gang::app {

class ConsistencyChecker {
public:
    struct Wiring {
        const Scheduler* scheduler;  ///< outlives the checker
        const Seal* seal;            ///< outlives the checker
        const Log* log;              ///< outlives the checker
        std::function<void(k8s::WatchKind)> relist;
        std::function<void(Event)> push;
        std::function<bool()> is_synced;  ///< both kinds have been listed by their watchers
        std::int64_t interval_ms = 0;     ///< 0: only when asked
        /// Between the two lists: what the watches bring later is late enough to be called lost.
        std::int64_t second_list_after_ms = 0;
    };

    ConsistencyChecker(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring);
    ConsistencyChecker(const ConsistencyChecker&) = delete;
    ConsistencyChecker& operator=(const ConsistencyChecker&) = delete;

    /// The first consistency check comes after an interval.
    void start();
    void stop();
    /// Now, unless one is under way.
    void run_now();
    const ConsistencyStatus& status() const { return status_; }

private:
    void arm();
    void list_nodes();
    void list_pods();
    void listed();
    void conclude();
    void failed(const std::string& why);
    void wait(std::int64_t ms, void (ConsistencyChecker::*then)());

    k8s::Lister lister_;
    boost::asio::steady_timer timer_;
    Wiring wiring_;
    std::minstd_rand random_;
    ConsistencyCheck check_;
    ConsistencyStatus status_;
    bool stopped_ = false;
};

}  // namespace gang::app
