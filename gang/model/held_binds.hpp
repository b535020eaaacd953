#pragma once
// Binds that are decided, and sent only when kube-scheduler says that its pod goes there
// (gang/extender). For everybody else they are under way: the pods count on their nodes.

#include "gang/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gang {

struct HeldBind {
    /// Of what a driver's bind would write, where that is written before (ExtenderDesk).
    enum class Text : std::uint8_t { none, writing, refused, stored };

    BindPod bind;
    std::int64_t since_ms = 0;
    Text text = Text::none;
    std::string written_on = {};  ///< the resourceVersion that the last write of it named
};

class HeldBinds {
public:
    void hold(BindPod bind, std::int64_t now_ms) {
        std::string uid = bind.pod.uid;
        binds_.insert_or_assign(std::move(uid), HeldBind{std::move(bind), now_ms});
    }
    /// nullptr: none is held of this pod.
    HeldBind* find(const std::string& uid) {
        const auto found = binds_.find(uid);
        return found == binds_.end() ? nullptr : &found->second;
    }
    /// It is the caller's from now on; nothing: none was held.
    std::optional<HeldBind> take(const std::string& uid) {
        auto found = binds_.extract(uid);
        return found ? std::optional(std::move(found.mapped())) : std::nullopt;
    }
    /// Its text is on the way.
    void writes(HeldBind& held, std::string resource_version) {
        held.text = HeldBind::Text::writing;
        held.written_on = std::move(resource_version);
        ++unanswered_[held.bind.pod.uid];
    }
    /// A write of a text was answered. Answers come in the order of the writes: all but the last
    /// are about a bind that is held no more.
    void answered(const std::string& uid, bool is_stored) {
        const auto count = unanswered_.find(uid);
        if (count == unanswered_.end() || --count->second > 0) {
            return;
        }
        unanswered_.erase(count);
        if (HeldBind* held = find(uid); held != nullptr && held->text == HeldBind::Text::writing) {
            held->text = is_stored ? HeldBind::Text::stored : HeldBind::Text::refused;
        }
    }
    /// The pod is bound, or gone.
    void forget(const std::string& uid) {
        binds_.erase(uid);
        unanswered_.erase(uid);
    }
    /// By the pod's uid.
    std::map<std::string, HeldBind>& all() { return binds_; }
    std::size_t size() const { return binds_.size() + unanswered_.size(); }

private:
    std::map<std::string, HeldBind> binds_;
    std::map<std::string, int> unanswered_;  ///< writes of texts, by the pod's uid, none 0
};

}  // namespace gang
