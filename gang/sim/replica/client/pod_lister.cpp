#include "gang/sim/replica/client/pod_lister.hpp"

#include "gang/sim/world.hpp"

#include <utility>

namespace gang::sim {

void PodLister::list() {
    process_.wakeups.pod_lister(world_.random.between(1, 250));
}

std::vector<PodListed> PodLister::read() const {
    std::vector<PodListed> listed;
    for (const auto& pod : world_.store.pods) {
        if (pod && !pod->node_name.empty() && !core::is_terminal(*pod)) {
            listed.push_back(PodListed{pod->uid, pod->namespace_name, pod->labels, pod->deleting});
        }
    }
    return listed;
}

void PodLister::wakes() {
    if (!listed_) {
        listed_ = read();
        return list();
    }
    const std::vector<PodListed> listed = *std::exchange(listed_, std::nullopt);
    const bool is_complete = world_.faults.is_calm() || !world_.random.percent(20);
    for (const PodListed& pod : listed) {
        if (is_complete) {
            process_.push_answer(pod);
        }
    }
    process_.push_answer(PodsListed{is_complete});
}

}  // namespace gang::sim
