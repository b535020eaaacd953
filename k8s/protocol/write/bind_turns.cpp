#include "k8s/protocol/write/bind_turns.hpp"

#include <iterator>
#include <utility>

namespace k8s {
namespace {

// The turn has the name once for all of its binds. A slash is in no uid.
std::string take_gang(BindRequest& request) {
    std::string gang = std::exchange(request.gang, std::string());
    return gang.empty() ? "/" + request.pod.namespace_name : gang;
}

std::optional<BindJob> take_first(std::list<BindJob>& jobs, const BindTurns::MayStart& may_start) {
    for (auto it = jobs.begin(); it != jobs.end(); ++it) {
        if (!may_start(*it)) continue;
        BindJob taken = std::move(*it);
        jobs.erase(it);
        return taken;
    }
    return std::nullopt;
}

}  // namespace

void BindTurns::add(BindJob&& job) {
    std::string name = take_gang(job.request);
    auto known = places_.find(name);
    if (known == places_.end()) {
        const Place place = gangs_.emplace(gangs_.end());
        place->name = std::move(name);
        known = places_.emplace(place->name, place).first;
    }
    Gang& gang = *known->second;
    (job.request.starts_gang ? gang.starters : gang.others).push_back(std::move(job));
    ++size_;
}

std::optional<BindJob> BindTurns::take_of(Place gang, const MayStart& may_start) {
    auto job = take_first(gang->starters, may_start);
    if (!job) job = take_first(gang->others, may_start);
    if (!job) return job;
    --size_;
    if (gang->starters.empty() && gang->others.empty()) {
        places_.erase(gang->name);
        gangs_.erase(gang);
    } else if (--gang->left == 0) {
        gang->left = binds_per_turn;
        gangs_.splice(gangs_.end(), gangs_, gang);
    }
    return job;
}

std::optional<BindJob> BindTurns::take(const MayStart& may_start) {
    for (auto gang = gangs_.begin(); gang != gangs_.end(); ++gang) {
        if (auto job = take_of(gang, may_start)) return job;
    }
    return std::nullopt;
}

}  // namespace k8s
