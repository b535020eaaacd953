#pragma once
// Conditions that nobody waits for: of each pod the newest alone, in order of the first arrival.

#include "k8s/protocol/write/write_job.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace k8s {

class ConditionQueue {
public:
    explicit ConditionQueue(std::size_t size_max) : size_max_(size_max) {}

    /// False: there are too many pods, and the job was not taken.
    [[nodiscard]] bool put(PatchJob&& job);
    /// The first whose pod `is_free`.
    template <typename IsFree>
    std::optional<PatchJob> take(const IsFree& is_free) {
        for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
            if (!is_free(it->patch.pod.uid)) continue;
            PatchJob taken = std::move(*it);
            of_pod_.erase(taken.patch.pod.uid);
            jobs_.erase(it);
            return taken;
        }
        return std::nullopt;
    }
    void discard(const std::string& uid);
    void clear();

    std::size_t size() const { return jobs_.size(); }
    /// The first has waited since then, or for longer.
    bool waits_since(std::int64_t then_ms) const {
        return !jobs_.empty() && jobs_.front().since_ms <= then_ms;
    }

private:
    std::size_t size_max_;
    std::list<PatchJob> jobs_;
    std::map<std::string, std::list<PatchJob>::iterator> of_pod_;
};

}  // namespace k8s
