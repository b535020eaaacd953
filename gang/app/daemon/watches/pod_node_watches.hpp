#pragma once
// The watches of pods and nodes: what they bring becomes events of the decision loop. Texts of ours
// on pods are opened with the seal on the way.

#include "gang/app/base/log.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/watch/watcher.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace gang::app {

class PodNodeWatches {
public:
    struct Wiring {
        DecisionLoop* loop = nullptr;  ///< outlives them
        const Seal* seal = nullptr;    ///< outlives them
        const Log* log = nullptr;      ///< outlives them
        std::function<void()> listed;  ///< after each full list of a kind
    };

    PodNodeWatches(
        boost::asio::io_context& io,
        const std::shared_ptr<k8s::Endpoint>& endpoint,
        const config::Schema& config,
        Wiring wiring);
    PodNodeWatches(const PodNodeWatches&) = delete;
    PodNodeWatches& operator=(const PodNodeWatches&) = delete;

    void start();
    void stop();
    /// Stop reading, and go on: for an inbox that is full.
    void hold(bool are_held);
    void list_again(k8s::WatchKind kind);

    const k8s::Watcher& pods() const { return pods_; }
    const k8s::Watcher& nodes() const { return nodes_; }
    /// Both kinds have been listed completely.
    bool are_synced() const { return pods_.stats().synced && nodes_.stats().synced; }
    /// Pods shown with a text of ours that had no valid seal.
    std::uint64_t unsealed() const { return unsealed_; }

private:
    k8s::WatcherOptions options(k8s::WatchKind kind, const config::Schema& config);
    void take(k8s::WatchKind kind, k8s::WatchEvent&& event);

    Wiring wiring_;
    k8s::Watcher pods_;
    k8s::Watcher nodes_;
    std::uint64_t unsealed_ = 0;
};

}  // namespace gang::app
