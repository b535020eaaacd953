#include "gang/lead/fence.hpp"

#include <algorithm>
#include <utility>

namespace gang {

void Fence::raise() {
    pods_.clear();
    known_.clear();
    view_is_current_ = false;
}

void Fence::add(const std::string& uid, std::int64_t now_ms) {
    if (known_.insert(uid).second) {
        pods_[uid] = Pod{State::added, now_ms, now_ms, 0, false};
    }
}

void Fence::answered(const std::string& uid, bool written, std::int64_t now_ms) {
    const auto it = pods_.find(uid);
    if (it == pods_.end() || it->second.state != State::outstanding) {
        return;
    }
    Pod& pod = it->second;
    if (written) {
        pod.state = State::awaited;
        pod.at_ms = now_ms + fence_unseen_ms;
        return;
    }
    ++pod.refusals;
    if (is_given_up(pod, now_ms)) {
        given_up(uid);
        return;
    }
    repeat(pod, now_ms, pod.refusals);
}

void Fence::conflicted(const std::string& uid, std::int64_t now_ms) {
    const auto it = pods_.find(uid);
    if (it == pods_.end() || it->second.state != State::outstanding) {
        return;
    }
    it->second.is_past_view = true;
    repeat(it->second, now_ms, it->second.refusals + 1);
}

bool Fence::is_given_up(const Pod& pod, std::int64_t now_ms) {
    return pod.refusals >= fence_refusals_max && now_ms - pod.added_ms >= fence_give_up_ms;
}

void Fence::repeat(Pod& pod, std::int64_t now_ms, int times) {
    pod.state = State::added;
    pod.at_ms = now_ms + (fence_pause_ms_min << std::min(times, fence_refusals_max));
}

/// So much time has passed that a watch which shows nothing has nothing to show.
void Fence::given_up(const std::string& uid) {
    pods_.erase(uid);
    view_is_current_ = true;
}

void Fence::seen(const std::string& uid) {
    if (pods_.erase(uid) > 0) {
        view_is_current_ = true;
    }
}

void Fence::changed(const std::string& uid, std::int64_t now_ms) {
    const auto it = pods_.find(uid);
    if (it == pods_.end() || it->second.state != State::added) {
        return;
    }
    Pod& pod = it->second;
    pod.refusals += std::exchange(pod.is_past_view, false) ? 1 : 0;
    if (is_given_up(pod, now_ms)) {
        given_up(uid);
        return;
    }
    pod.at_ms = std::min(pod.at_ms, now_ms);
}

std::vector<std::string> Fence::due(std::int64_t now_ms) {
    std::size_t outstanding =
        static_cast<std::size_t>(std::count_if(pods_.begin(), pods_.end(), [](const auto& entry) {
            return entry.second.state == State::outstanding;
        }));
    std::vector<std::string> uids;
    for (auto& [uid, pod] : pods_) {
        if (outstanding == fence_outstanding_max) {
            break;
        }
        if (pod.state != State::outstanding && pod.at_ms <= now_ms) {
            pod.state = State::outstanding;
            ++outstanding;
            uids.push_back(uid);
        }
    }
    return uids;
}

std::optional<std::int64_t> Fence::next_due_ms() const {
    std::optional<std::int64_t> next;
    std::size_t outstanding = 0;
    for (const auto& [uid, pod] : pods_) {
        if (pod.state == State::outstanding) {
            ++outstanding;
            continue;
        }
        next = next ? std::min(*next, pod.at_ms) : pod.at_ms;
    }
    return outstanding == fence_outstanding_max ? std::nullopt : next;
}

}  // namespace gang
