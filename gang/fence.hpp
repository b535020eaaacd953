#pragma once
// The fence of a new leader: before it promises room to a new gang, every unbound pod that starts a
// gang gets a status write. That moves the pod's resourceVersion past any bind that an older leader
// still has in flight, so the older bind is refused.
//
//   down --raise--> writing --last answer--> passed

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gang {

inline constexpr std::size_t fence_outstanding_max = 256;
inline constexpr std::int64_t fence_pause_ms_min = 500;
/// A pod that nobody can write to (annotations past the API server's limit, an admission webhook
/// that refuses) would stop every other gang for ever. After this many refusals, which together
/// take longer than a lease lives, the older leader's bind cannot be in flight any more.
inline constexpr int fence_attempts_max = 6;

class Fence {
public:
    /// Every pod named must be written to; whatever was under way is void.
    void raise(const std::vector<std::string>& uids, std::int64_t now_ms);

    /// The write was answered. A failed one is repeated after a pause.
    void answered(const std::string& uid, bool written, std::int64_t now_ms);

    /// The pod is gone, bound, or was seen with our text.
    void drop(const std::string& uid) { pods_.erase(uid); }

    /// To which pods to write now; they are outstanding from here on.
    std::vector<std::string> due(std::int64_t now_ms);

    std::optional<std::int64_t> next_due_ms() const;
    bool passed() const { return pods_.empty(); }
    bool is_waiting_for(const std::string& uid) const { return pods_.contains(uid); }

private:
    struct Pod {
        std::int64_t at_ms = 0;
        int refusals = 0;
        bool outstanding = false;
    };
    std::map<std::string, Pod> pods_;
};

}  // namespace gang
