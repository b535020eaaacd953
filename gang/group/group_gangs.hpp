#pragma once
// The gang that a pod group has: it begins with an anchor, follows what the group asks while it
// waits, takes members, and is dissolved when they are too few. Which members it is made of, others
// choose (group_former.hpp).

#include "gang/life/gang_life.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/model/model.hpp"
#include "gang/reservation/publisher.hpp"

#include <string>
#include <vector>

namespace gang {

class GroupGangs {
public:
    GroupGangs(Model& model, Publisher& publisher, GangLife& life)
        : model_(model), publisher_(publisher), life_(life) {}

    /// The first of `chosen` is its anchor, the others are to be its executors.
    void begin(const std::string& key, PodGroup& group, const std::vector<PodEntry*>& chosen);
    /// It waits, and is to be as these members and the group's object say now.
    void reshape(const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen);
    /// Its members wait for others to come, the anchor like any other.
    void dissolve(PodGroup& group, Application& gang);
    /// These are its members from now on.
    void follow(Application& gang, const std::vector<PodEntry*>& members);
    /// They wait, and are none of the gang's until they follow it again.
    void leave(Application& gang, const std::vector<PodEntry*>& members);
    /// Any of its members may ask that it waits, the anchor as well.
    void hold(Application& gang, bool member_asks);
    /// A member that has done its work leaves its slot for good, unless another one waits for it. Who
    /// failed will be made anew: its slot is kept.
    void give_up_done();

private:
    void keep_min_resources(
        const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen);

    Model& model_;
    Publisher& publisher_;
    GangLife& life_;
};

}  // namespace gang
