#pragma once
// PodGroups of Volcano that wait to be let in: all are watched, and while we lead and one waits the
// enqueuer (enqueuer.hpp) has its turns: a second after a group has changed, and every few seconds.
// Only with volcano.enqueue.

#include "gang/app/base/log.hpp"
#include "gang/app/daemon/volcano/enqueuer.hpp"
#include "k8s/group/pod_group_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace gang::app {

class VolcanoGroups {
public:
    struct Wiring {
        const Log* log = nullptr;  ///< lives as long
        /// What a turn is decided from; nothing: it is not ours to decide.
        std::function<std::optional<EnqueueView>()> view;
        std::function<void(
            const k8s::GroupStatusWrite&, std::function<void(const k8s::ObjectStatusResult&)>)>
            write_status;
        k8s::NoticeSink notice;
    };

    VolcanoGroups(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring);

    void start();
    void stop();
    /// Groups that were let in and count no more, for their pods did not come.
    std::size_t late_count() const { return enqueuer_.late_count(); }

private:
    void await_turn(std::chrono::seconds from_now);
    void take_turn();

    Wiring wiring_;
    k8s::PodGroupWatch watch_;
    boost::asio::steady_timer timer_;
    std::optional<std::chrono::steady_clock::time_point> next_turn_;  ///< nothing: nobody waits
    Enqueuer enqueuer_;
};

}  // namespace gang::app
