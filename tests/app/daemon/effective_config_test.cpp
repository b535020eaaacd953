// What the scheduler goes by: the file's configuration with the Queue objects.
#include "gang/app/daemon/queues/effective_config.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using gang::app::EffectiveConfig;

namespace {

struct ConfigRig {
    config::Schema with_objects(config::Schema one) const {
        for (const config::Queue& queue : objects) {
            one.queues.push_back(queue);
        }
        return one;
    }

    config::Schema file;
    std::vector<config::Queue> objects;
    std::vector<config::Schema> told;
    EffectiveConfig effective{
        file,
        [this](const config::Schema& one) { return with_objects(one); },
        [this](config::Schema now) { told.push_back(std::move(now)); }};
};

}  // namespace

TEST_CASE("effective config: an object that comes is told once") {
    ConfigRig rig;
    rig.objects.emplace_back().name.append("root.etl");
    rig.effective.refresh(rig.file);
    rig.effective.refresh(rig.file);
    REQUIRE(rig.told.size() == 1);
    REQUIRE(rig.told[0].queues.size() == 1);
    CHECK(rig.told[0].queues[0].name == "root.etl");
    CHECK(rig.effective.get() == rig.told[0]);
}

TEST_CASE("effective config: where the kubeconfig is is told to nobody") {
    ConfigRig rig;
    rig.file.kubeconfig.append("/home/me/.kube/config");
    rig.effective.refresh(rig.file);
    CHECK(rig.told.empty());

    rig.file.events_per_second += 1;
    rig.effective.refresh(rig.file);
    REQUIRE(rig.told.size() == 1);
    CHECK(rig.told[0].kubeconfig.empty());
}
