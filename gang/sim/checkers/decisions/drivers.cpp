#include "gang/sim/checkers/decisions/drivers.hpp"

#include "gang/sim/world.hpp"

namespace gang::sim {

bool is_driver(World& world, PodId pod) {
    const ApplicationId application = world.cluster.applications.find(pod);
    return application != nobody && world.cluster.applications.at(application).driver == pod;
}

bool was_tampered(World& world, PodId driver) {
    const core::Pod* pod = world.store.find_pod(driver);
    const ApplicationId application = world.cluster.applications.find(driver);
    return pod == nullptr || application == nobody ||
           world.cluster.applications.at(application).was_tampered ||
           world.cluster.applications.at(application).conf_was_edited ||
           core::find_value(pod->labels, "edited") != nullptr;
}

}  // namespace gang::sim
