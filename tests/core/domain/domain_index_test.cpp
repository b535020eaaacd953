// The map of a topology key against a look at every node, while nodes come, change and go.
#include "core/domain/domain_index.hpp"

#include "tests/core/random.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace core;

namespace {

struct World {
    Cluster cluster;
    DomainIndex index;
    TopologyKeyId zone = index.retain("zone", cluster);

    void upsert(const std::string& name, const std::string& value) {
        Node node;
        node.name = name;
        if (!value.empty()) node.labels = {{"zone", value}};
        cluster.upsert_node(node);
        index.node_changed(*cluster.nodes().find(name), node);
    }
    void remove(const std::string& name) {
        const auto node = cluster.nodes().find(name);
        if (!node) return;
        index.node_went(*node);
        cluster.remove_node(name);
    }
    std::string value_at(std::size_t position) const {
        const auto* value =
            find_value(cluster.nodes().node(cluster.nodes().by_name()[position]).labels, "zone");
        return value == nullptr ? "" : *value;
    }
    void check() const;
};

void World::check() const {
    std::map<std::string, std::vector<Position>> by_value;
    for (std::size_t i = 0; i < cluster.nodes().count(); ++i) {
        by_value[value_at(i)].push_back(static_cast<Position>(i));
    }
    const DomainMap& map = index.map(zone, cluster);
    bool has_one_each = true;
    std::vector<std::string> names;
    for (const DomainId domain : index.by_name(zone)) names.push_back(index.name(zone, domain));
    std::vector<std::string> expected;
    for (const auto& [value, positions] : by_value) {
        const auto in_map = [&](DomainId domain) {
            const NodeBitmap nodes = index.nodes_of(zone, domain, cluster);
            CHECK(nodes.count() == static_cast<std::int64_t>(positions.size()));
            for (const Position at : positions) CHECK(nodes.test(at));
        };
        if (value.empty()) {
            in_map({});
            continue;
        }
        expected.push_back(value);
        has_one_each = has_one_each && positions.size() == 1;
        const DomainId domain = map.by_position[positions[0]];
        CHECK(index.name(zone, domain) == value);
        CHECK(std::vector(map.nodes_of(domain).begin(), map.nodes_of(domain).end()) == positions);
        in_map(domain);
    }
    CHECK(names == expected);
    CHECK(map.has_one_node_each == has_one_each);
}

}  // namespace

TEST_CASE("domain index: the map is what a look at every node finds") {
    tests::Random random;
    CAPTURE(random.seed());
    for (const int values : {1, 3, 200}) {  // the last: too many for bitmaps
        World world;
        for (int round = 0; round < 400; ++round) {
            const std::string name = fmt::format("n{}", random.between(0, 150));
            const bool has_label = !random.one_in(5);
            if (random.one_in(4)) {
                world.remove(name);
            } else {
                world.upsert(
                    name,
                    has_label ? fmt::format("z{}", random.between(1, values)) : std::string());
            }
            if (round > 350 || random.one_in(10)) world.check();
        }
    }
}
