#pragma once
// How many volumes of which driver nodes can attach, and which volumes the pods that are there have
// (kube-scheduler's NodeVolumeLimits). Nothing of it is asked for before a pod of ours waits with a
// claim; and the claims of pods that are placed are read only from the time on when a volume is
// wanted whose driver some node limits.
//
//   unasked --a pod with a claim waits--> asked --> known --a limited driver is wanted--> counting
//                                           '-----> nothing is limited: we may not list them

#include "core/value/node.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class VolumeCounts {
public:
    /// True: the limits are to be asked for now, which happens once.
    bool ask();

    // --- answers: names of the nodes of which something is another ---
    std::vector<std::string> listed(const VolumeLimitsListed& event);
    std::vector<std::string> changed(const VolumeLimitsChanged& event);
    void missing() { are_known_ = true; }

    /// The node with what it can attach.
    void offer(core::Node& node) const;
    /// Of these volumes, those that count: some node limits their drivers, or has done so.
    std::vector<core::DriverVolume> limited(std::vector<core::DriverVolume> volumes) const;
    /// Whether it cannot be said yet where a pod with these volumes has room.
    bool is_awaited_for(const std::vector<core::DriverVolume>& volumes) const;

    /// A pod that waits wants these volumes: whoever is placed is counted from now on, if they are
    /// limited.
    void want(const std::vector<core::DriverVolume>& volumes);
    bool is_counting() const { return is_counting_; }
    /// Claims that were held when counting began have not all been read.
    bool awaits_first() const { return is_counting_ && (!has_begun_ || !first_.empty()); }

    // --- claims of placed pods, as namespace/name ---
    /// All that are held by now: those that are new are to be read.
    void hold(const std::set<std::string>& claims, std::int64_t now_ms);
    void found(const ClaimFound& event, std::int64_t now_ms);
    void missing(const ClaimMissing& event, std::int64_t now_ms);
    /// What these have attached. Nothing: some have not been read yet.
    std::optional<std::vector<core::DriverVolume>> volumes_of(
        const std::vector<std::string>& claims) const;
    std::vector<std::string> due(std::int64_t now_ms) { return asker_.due(now_ms); }
    std::optional<std::int64_t> next_due_ms(std::int64_t now_ms) const {
        return asker_.next_due_ms(now_ms);
    }
    /// True, once: what is known of claims or drivers is another than when this was last asked.
    bool take_news();

    /// 0 when no pod holds any.
    std::size_t remembered() const { return held_.size() + asker_.remembered(); }

private:
    struct Held {
        bool is_read = false;
        std::optional<core::DriverVolume> volume;  ///< nothing: no driver attaches it
    };

    void set(const core::NodeVolumeLimits& node, std::vector<std::string>& changed);
    void read(const std::string& claim, std::optional<core::DriverVolume> volume);

    bool is_asked_ = false;
    bool are_known_ = false;
    bool is_counting_ = false;
    bool has_news_ = false;
    std::map<std::string, std::vector<core::VolumeLimit>, std::less<>> limits_;  ///< by node
    std::set<std::string, std::less<>> limited_;                                 ///< drivers
    std::map<std::string, Held> held_;                                           ///< by claim
    std::set<std::string> first_;  ///< held when counting began, and not read yet
    bool has_begun_ = false;       ///< `first_` is known
    ConfAsker asker_;
};

}  // namespace gang
