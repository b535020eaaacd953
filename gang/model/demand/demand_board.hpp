#pragma once
// What an autoscaler was asked for gangs, and is to be asked, by driver. Written by gang/demand;
// read wherever it is said why a gang waits.
//
//   noted --lacks room for a moment--> asked --no room is missing any more--> dropped --> forgotten
//     '------ admitted, gone -----> forgotten

#include "config/autoscaling.hpp"
#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/model/application.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

/// Gangs for which objects stand at one time. Who comes later has its turn when one of them is
/// gone.
inline constexpr std::size_t capacity_requests_max = 200;

/// For how long a gang that is about to be asked for is not called unschedulable: an autoscaler
/// that sees the driver alone buys a node for the driver alone.
inline constexpr std::int64_t capacity_patience_ms = 5'000;

struct CapacityRequest {
    PodRef driver;
    std::int64_t since_ms = 0;  ///< it lacks room since
    std::int64_t asked_ms = 0;  ///< when its objects were first written, Unix ms; 0: not yet
    std::vector<std::int64_t> stored = {};   ///< executors by shape, as last written; empty: none
    std::vector<std::int64_t> writing = {};  ///< likewise, while under way
    std::int64_t shapes = 0;                 ///< that may have objects
    bool is_under_way = false;
    bool is_answered = false;  ///< whatever the answer was
    /// Its queue's limit would not let it in once those before it have their nodes.
    bool is_beyond_quota = false;
    bool is_told = false;      ///< its user knows why nobody was asked
    bool is_news = false;      ///< what its user is told is to be told anew
    int failures = 0;          ///< in a row
    std::int64_t not_before_ms = 0;
};

class DemandBoard {
public:
    explicit DemandBoard(config::AutoscalingMode mode) : mode_(mode) {}

    bool is_on() const { return mode_ != config::AutoscalingMode::none; }
    config::AutoscalingMode mode() const { return mode_; }

    /// It lacks room. Called for whoever does, in their order, as often as that is found.
    void note(const Application& app, std::int64_t now_ms) {
        if (is_on()) add(app, now_ms);
    }
    /// Its nodes are on their way, or may be: it was asked for them.
    bool is_asked(const std::string& uid) const { return find_asked(uid) != nullptr; }
    const CapacityRequest* find_asked(const std::string& uid) const;
    /// It is about to be, so it is too early to call it unschedulable.
    bool is_about_to_ask(const std::string& uid, std::int64_t now_ms) const;
    /// Why it waits, by why it has no room.
    ReasonCode code_for(const std::string& uid, ReasonCode code) const {
        return is_on() && is_about_room(code) ? code_of(uid, code) : code;
    }
    /// Nobody is asked for it, for its queue's limit is used up by those before it.
    bool is_beyond_quota(const std::string& uid) const {
        const auto it = requests_.find(uid);
        return it != requests_.end() && it->second.is_beyond_quota;
    }
    /// Reasons that more nodes would do away with.
    static bool is_about_room(ReasonCode code);

    std::map<std::string, CapacityRequest>& all() { return requests_; }
    const std::map<std::string, CapacityRequest>& all() const { return requests_; }
    std::size_t remembered() const { return requests_.size(); }
    /// Those that an autoscaler can see.
    std::int64_t count_asked() const;

private:
    void add(const Application& app, std::int64_t now_ms);
    ReasonCode code_of(const std::string& uid, ReasonCode code) const;

    config::AutoscalingMode mode_;
    std::map<std::string, CapacityRequest> requests_;  ///< by the driver's uid
};

}  // namespace gang
