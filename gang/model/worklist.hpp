#pragma once
// What the next tick has to look at again, and why. Events add to these sets, each phase of a tick
// takes its own. All are ordered, so that the same events give the same decisions.

#include "gang/model/application.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

struct Worklist {
    std::set<std::string> dirty_pods;   ///< to be classified anew
    std::set<std::string> dirty_groups;  ///< pod groups to be formed anew, by key
    std::set<std::string> group_statuses;  ///< pod groups whose status may be another one, by key
    std::set<std::string> dirty_gangs;  ///< executors to be matched with slots
    std::set<Rank> to_adopt;            ///< bound drivers whose annotation is to be read
    std::set<Rank> degraded;            ///< gangs with slots without room
    std::set<std::string> oversized;    ///< gangs with an executor larger than its slots
    std::set<std::string> to_check;     ///< gangs whose slots may not be able to stay
    std::set<std::string> to_publish;   ///< gangs whose reservation is to be written
    /// Gang and index of slots whose pods, members of a pod group, have done their work.
    std::vector<std::pair<std::string, std::size_t>> done_slots;
    bool queue_changed = true;          ///< waiting gangs are to be tried anew

    /// The gang has ended. Its executors that still wait are told so: it may be dirty.
    void forget(const Rank& gang) {
        to_adopt.erase(gang);
        degraded.erase(gang);
        oversized.erase(gang.uid);
        to_check.erase(gang.uid);
        to_publish.erase(gang.uid);
    }
    std::size_t size() const {
        return dirty_pods.size() + dirty_groups.size() + group_statuses.size() +
               dirty_gangs.size() + to_adopt.size() + degraded.size() + oversized.size() + to_check.size() + to_publish.size() +
               done_slots.size();
    }
};

}  // namespace gang
