#include "gang/lead/fence.hpp"

#include <algorithm>

namespace gang {

void Fence::raise() {
    pods_.clear();
    known_.clear();
    view_is_current_ = false;
}

void Fence::add(const std::string& uid, std::int64_t now_ms) {
    if (known_.insert(uid).second) {
        pods_[uid] = Pod{State::added, now_ms, now_ms, {}};
    }
}

/// nullptr: it is in another state, or not to be written to.
Fence::Pod* Fence::find(const std::string& uid, State state) {
    const auto it = pods_.find(uid);
    return it == pods_.end() || it->second.state != state ? nullptr : &it->second;
}

void Fence::answered(const std::string& uid, bool written, std::int64_t now_ms) {
    Pod* const pod = find(uid, State::outstanding);
    if (pod == nullptr) {
        return;
    }
    if (written) {
        pod->state = State::awaited;
        pod->at_ms = now_ms + fence_unseen_ms;
        return;
    }
    pod->refusals.refused();
    if (!give_up_if_hopeless(uid, *pod, now_ms)) {
        repeat(*pod, now_ms, pod->refusals.count());
    }
}

void Fence::conflicted(const std::string& uid, std::int64_t now_ms) {
    if (Pod* const pod = find(uid, State::outstanding)) {
        pod->refusals.conflicted();
        repeat(*pod, now_ms, pod->refusals.count() + 1);
    }
}

void Fence::repeat(Pod& pod, std::int64_t now_ms, int times) {
    pod.state = State::added;
    pod.at_ms = now_ms + (fence_pause_ms_min << std::min(times, fence_refusals_max));
}

/// Half a minute is taken for enough: what the watch has not shown by then of older leaders is
/// taken for nothing.
bool Fence::give_up_if_hopeless(const std::string& uid, const Pod& pod, std::int64_t now_ms) {
    if (!pod.refusals.are_hopeless(pod.added_ms, now_ms)) {
        return false;
    }
    pods_.erase(uid);
    view_is_current_ = true;
    return true;
}

void Fence::seen(const std::string& uid) {
    if (pods_.erase(uid) > 0) {
        view_is_current_ = true;
    }
}

void Fence::changed(const std::string& uid, std::int64_t now_ms) {
    Pod* const pod = find(uid, State::added);
    if (pod == nullptr) {
        return;
    }
    pod->refusals.newer_state_shown();
    if (!give_up_if_hopeless(uid, *pod, now_ms)) {
        pod->at_ms = std::min(pod->at_ms, now_ms);
    }
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
