#include "gang/model/shape/gang_shapes.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::Application;
using tests::Known;

TEST_CASE("gang shapes: the label of a gang's domain is held while the gang asks for it") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 1);
    known.model.shapes.set_topology(app, gang::DeclaredTopology{"zone", true});
    REQUIRE(app.declared.topology);
    CHECK(app.declared.topology->name.str() == "zone");
    CHECK(app.declared.topology->is_required);
    CHECK(known.model.domains.references() == 1);
    known.model.shapes.set_topology(app, gang::DeclaredTopology{"zone", false});
    CHECK_FALSE(app.declared.topology->is_required);
    CHECK(known.model.domains.references() == 1);
    known.model.shapes.set_topology(app, gang::DeclaredTopology{"rack", true});
    CHECK(known.model.domains.references() == 1);
    CHECK_FALSE(known.model.domains.find("zone"));
    CHECK(known.model.domains.find("rack") == app.declared.topology->key);
    known.model.shapes.set_topology(app, std::nullopt);
    CHECK_FALSE(app.declared.topology);
    CHECK(known.model.domains.size() == 0);
}

TEST_CASE("gang shapes: volumes make another shape, the same ones do not") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 0);
    gang::GangShape& shape = app.declared.shapes[0];
    const core::ShapeId before = shape.id;
    bool& changed = known.model.worklist.queue_changed;
    const auto set = [&](const std::vector<core::VolumeNodes>& nodes, const std::vector<core::DriverVolume>& volumes) {
        changed = false;
        known.model.shapes.set_volumes(app, shape, nodes, volumes);
        return changed;
    };
    const core::VolumeNodes in_a{core::VolumeRule::affinity, {{{{"zone", core::SelectorOperator::in, {"a"}}}, {}}}};
    CHECK_FALSE(set({}, {}));
    CHECK(shape.id == before);
    CHECK(set({in_a}, {}));
    CHECK_FALSE(set({in_a}, {}));
    CHECK(known.model.cluster.shapes().constraints(shape.id).volumes == std::vector<core::VolumeNodes>{in_a});
    CHECK(set({in_a}, {{"d1", ""}}));
    CHECK_FALSE(set({in_a}, {{"d1", ""}}));
    CHECK(core::has_volumes(known.model.cluster.resources(shape.id)));
    CHECK(set({}, {{"d1", ""}}));
    CHECK(set({}, {}));
    CHECK_FALSE(core::has_volumes(known.model.cluster.resources(shape.id)));
    CHECK(known.model.cluster.resources(shape.id).cpu_milli == 1'000);
}

TEST_CASE("gang shapes: images count for gangs whose profile goes by them alone") {
    const auto id_with = [&](bool has_images, bool has_driver) {
        Known known;
        known.add_node("n1", 8);
        Application& app = known.add_gang("d1", "n1", 0);
        if (!has_driver) app.uid = "unknown";
        core::Constraints asked;
        if (has_images) asked.images = {"spark:4"};
        known.model.shapes.add(app, {1, 1, 0, {}, false}, {100, 0, 0, {}}, asked);
        const bool kept = !known.model.cluster.shapes().constraints(app.declared.shapes[1].id).images.empty();
        app.uid = "d1";
        return kept;
    };
    CHECK_FALSE(id_with(false, true));
    CHECK_FALSE(id_with(true, true));
    CHECK_FALSE(id_with(true, false));
}
