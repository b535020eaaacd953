#pragma once
// Keeps all PodGroups of Volcano in view (watch/object_watch.hpp): those without pods too, which
// PodGroupClient, who reads by name, never hears of.

#include "k8s/codec/group/codec_pod_groups.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace k8s {

struct PodGroupWatchOptions {
    /// groups() is other than before. Called on the loop's thread, never from inside start(), never
    /// after stop().
    std::function<void()> changed;
    /// We may not list them. Told once in a row; it is tried again, and nothing is told of a cluster
    /// without the kind.
    std::function<void(const std::string& why)> denied;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 5'000;
    std::int64_t pause_ms_denied = 60'000;
};

class PodGroupWatch {
public:
    /// By namespace/name.
    using Groups = std::map<std::string, SeenPodGroup>;

    PodGroupWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        PodGroupWatchOptions options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

    const Groups& groups() const { return groups_; }

private:
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);

    PodGroupWatchOptions options_;
    Groups groups_;
    Groups listed_;  ///< so far
    ObjectWatch watch_;
};

}  // namespace k8s
