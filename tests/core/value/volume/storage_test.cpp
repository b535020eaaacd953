#include "core/value/volume/storage.hpp"

#include "core/filter/filters.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::LabelOperator;
using core::LabelRequirement;
using core::StorageSegment;

namespace {

StorageSegment segment_of(std::int64_t bytes, const std::vector<LabelRequirement>& requirements) {
    StorageSegment segment{"ns/s", "fast", {}, bytes};
    segment.nodes.is_set = true;
    for (const LabelRequirement& one : requirements) segment.nodes.require(one);
    return segment;
}

core::Node labelled(const core::StringMap& labels) {
    core::Node node = build::node("n1").cpu(4).pods(10);
    node.labels = labels;
    return node;
}

/// Of a volume of 10 bytes.
bool is_room(const std::vector<StorageSegment>& segments, const core::StringMap& labels) {
    std::vector<const StorageSegment*> all;
    for (const StorageSegment& one : segments) all.push_back(&one);
    core::Constraints constraints;
    constraints.volumes = {core::nodes_with_storage(all, 10)};
    const auto verdict = core::filter_node(labelled(labels), constraints);
    CHECK((verdict.passes() || verdict.reason == core::FilterReason::volume_storage));
    return verdict.passes();
}

core::Claim counted() {
    core::Claim claim;
    claim.state = core::ClaimState::consumer;
    claim.is_storage_counted = true;
    claim.bytes = 10;
    return claim;
}

}  // namespace

TEST_CASE("storage: nodes of a segment with enough for one volume") {
    const LabelRequirement in_a{"zone", LabelOperator::in, {"a"}};
    CHECK(is_room({segment_of(10, {in_a})}, {{"zone", "a"}}));
    CHECK_FALSE(is_room({segment_of(9, {in_a})}, {{"zone", "a"}}));
    CHECK_FALSE(is_room({segment_of(-1, {in_a})}, {{"zone", "a"}}));
    CHECK_FALSE(is_room({segment_of(10, {in_a})}, {{"zone", "b"}}));
    CHECK_FALSE(is_room({segment_of(10, {in_a})}, {}));
    CHECK_FALSE(is_room({}, {{"zone", "a"}}));
    // What is left in two segments is not added up.
    CHECK_FALSE(is_room({segment_of(9, {in_a}), segment_of(9, {in_a})}, {{"zone", "a"}}));
}

TEST_CASE("storage: any segment will do, however its nodes are selected") {
    const std::vector<StorageSegment> several = {
        segment_of(10, {{"host", LabelOperator::in, {"h3"}}}),
        segment_of(10, {{"host", LabelOperator::in, {"h1", "h2"}}}),
        segment_of(10, {{"zone", LabelOperator::in, {"a"}}, {"disk", LabelOperator::exists, {}}}),
        segment_of(10, {{"rank", LabelOperator::does_not_exist, {}}, {"zone", LabelOperator::not_in, {"a", "b"}}})};
    for (const char* host : {"h1", "h2", "h3"}) {
        CHECK(is_room(several, {{"host", host}, {"rank", "1"}}));
    }
    CHECK_FALSE(is_room(several, {{"host", "h4"}, {"rank", "1"}}));
    CHECK(is_room(several, {{"disk", "ssd"}, {"rank", "1"}, {"zone", "a"}}));
    CHECK_FALSE(is_room(several, {{"rank", "1"}, {"zone", "a"}}));
    CHECK(is_room(several, {{"zone", "c"}}));
    CHECK(is_room(several, {}));
    CHECK_FALSE(is_room(several, {{"zone", "b"}}));
    CHECK(is_room({segment_of(10, {})}, {}));
    CHECK(is_room({segment_of(10, {}), segment_of(10, {{"zone", LabelOperator::in, {"a"}}})}, {}));
}

TEST_CASE("storage: of one who cannot make it, a volume that is there does as well") {
    const core::VolumeNodes nowhere = core::nodes_with_storage({}, 10);
    core::Claim claim = counted();
    std::vector<core::VolumeNodes> nodes;
    core::add_storage_nodes(claim, nowhere, nodes);
    REQUIRE(nodes.size() == 1);
    CHECK(nodes[0].terms.empty());
    claim.available = {{"v", {{{{"zone", core::SelectorOperator::in, {"b"}}}, {}}}}};
    nodes.clear();
    core::add_storage_nodes(claim, nowhere, nodes);
    core::Constraints constraints;
    constraints.volumes = nodes;
    CHECK(core::filter_node(labelled({{"zone", "b"}}), constraints).passes());
    CHECK_FALSE(core::filter_node(labelled({{"zone", "a"}}), constraints).passes());
    claim.available.push_back({"w", {}});
    nodes.clear();
    core::add_storage_nodes(claim, nowhere, nodes);
    CHECK(nodes.empty());
}

TEST_CASE("storage: which claims need it") {
    CHECK(core::needs_storage(counted()));
    core::Claim claim = counted();
    claim.state = core::ClaimState::bound;
    CHECK_FALSE(core::needs_storage(claim));
    claim = counted();
    claim.is_never_made = true;  // a volume is promised to it
    CHECK_FALSE(core::needs_storage(claim));
    claim = counted();
    claim.is_storage_counted = false;
    CHECK_FALSE(core::needs_storage(claim));
    claim = counted();
    claim.bytes = 0;
    CHECK_FALSE(core::needs_storage(claim));
}
