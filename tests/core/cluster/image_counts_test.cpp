// ImageLocality: figures worked out by hand from kube-scheduler's formula, and random clusters
// against the definition. GANG_SEED=7 repeats a run.

#include "core/cluster/image/image_counts.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/node/node_preferences.hpp"
#include "core/value/image/node_images.hpp"
#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace {

using core::NodeImages;
using core::NodeIndex;

constexpr std::int64_t mib = 1024 * 1024;
constexpr NodeIndex n0{0};
constexpr NodeIndex n1{1};

using Held = std::map<std::string, std::int64_t>;

/// The formula of Kubernetes 1.37, with every node looked at.
std::int64_t naive_score(
    const std::vector<Held>& nodes, std::size_t at, const std::vector<std::string>& images) {
    std::int64_t sum = 0;
    for (const std::string& image : images) {
        std::int64_t having = 0;
        for (const Held& node : nodes) having += node.contains(image) ? 1 : 0;
        const auto found = nodes[at].find(image);
        if (found == nodes[at].end()) continue;
        const double share = static_cast<double>(having) / static_cast<double>(nodes.size());
        sum += static_cast<std::int64_t>(static_cast<double>(found->second) * share);
    }
    const std::int64_t most = 1000 * mib * static_cast<std::int64_t>(images.size());
    if (sum < 23 * mib) sum = 23 * mib;
    if (sum > most) sum = most;
    return 100 * (sum - 23 * mib) / (most - 23 * mib);
}

NodeImages images_of(const Held& held) {
    NodeImages images;
    for (const auto& [name, bytes] : held) images.push_back({name, bytes});
    return images;
}

core::Node ready_node(const std::string& name) {
    core::Node node;
    node.name = name;
    node.ready = true;
    return node;
}

}  // namespace

TEST_CASE("images: a name without a tag means latest, and a port is no tag") {
    CHECK(core::full_image_name("spark") == "spark:latest");
    CHECK(core::full_image_name("spark:4.1") == "spark:4.1");
    CHECK(core::full_image_name("host:5000/spark") == "host:5000/spark:latest");
    CHECK(core::full_image_name("host:5000/spark:4") == "host:5000/spark:4");
    CHECK(core::full_image_name("a/b@sha256:00ff") == "a/b@sha256:00ff");
}

TEST_CASE("images: less than 23 MiB is nothing, 1000 MiB for each container is all") {
    core::ImageCounts counts;
    counts.set(n0, {{"big:1", 5000 * mib}, {"half:1", 512 * mib}, {"small:1", 22 * mib}});
    CHECK(counts.score(n0, {"small:1"}, 1) == 0);
    CHECK(counts.score(n0, {"big:1"}, 1) == 100);
    CHECK(counts.score(n0, {"half:1"}, 1) == 50);  // (512 - 23) / 977
    CHECK(counts.score(n0, {"half:1", "other:1"}, 1) == 24);
    CHECK(counts.score(n0, {"half:1", "half:1"}, 1) == 50);  // (1024 - 23) / 1977
    CHECK(counts.score(n0, {"half:1"}, 2) == 23);            // one of two nodes has it
    CHECK(counts.score(n1, {"big:1"}, 2) == 0);
    CHECK(counts.score(n0, {}, 1) == 0);
}

TEST_CASE("images: the last node that has a name takes it along") {
    core::ImageCounts counts;
    CHECK(counts.set(n0, {{"a:1", mib}, {"b:1", mib}}));
    CHECK_FALSE(counts.set(n0, {{"a:1", mib}, {"b:1", mib}}));
    CHECK(counts.set(n1, {{"b:1", mib}}));
    CHECK(counts.account().adds_up());
    CHECK(counts.account().owned == 3);
    CHECK(counts.size() == 2);
    CHECK(counts.set(n0, {{"b:1", mib}}));
    CHECK(counts.size() == 1);
    counts.forget(n0);
    CHECK(counts.size() == 1);
    counts.forget(n1);
    CHECK(counts.size() == 0);
    CHECK(counts.account().owned == 0);
}

TEST_CASE("images: random nodes and pods against the definition") {
    tests::Random random;
    for (int round = 0; round < 200; ++round) {
        const auto number = [&random](std::int64_t least, std::int64_t most) {
            return random.between(least, most);
        };
        core::ImageCounts counts;
        std::vector<Held> nodes(static_cast<std::size_t>(number(1, 6)));
        for (int step = 0; step < 20; ++step) {
            const auto at = static_cast<std::size_t>(
                number(0, static_cast<std::int64_t>(nodes.size()) - 1));
            nodes[at].clear();
            for (std::int64_t i = number(0, 5); i > 0; --i) {
                nodes[at]["i" + std::to_string(number(0, 7)) + ":1"] = number(0, 3000) * mib / 2;
            }
            counts.set(NodeIndex{static_cast<std::uint32_t>(at)}, images_of(nodes[at]));
            std::vector<std::string> wanted;
            for (std::int64_t i = number(1, 3); i > 0; --i) {
                wanted.push_back("i" + std::to_string(number(0, 7)) + ":1");
            }
            for (std::size_t node = 0; node < nodes.size(); ++node) {
                REQUIRE_MESSAGE(
                    counts.score(NodeIndex{static_cast<std::uint32_t>(node)}, wanted, nodes.size()) ==
                        naive_score(nodes, node, wanted),
                    "GANG_SEED=" << random.seed());
            }
        }
    }
}

TEST_CASE("images: a cluster counts them by itself, and who is not told keeps what is known") {
    core::Cluster cluster;
    core::Node a = ready_node("a");
    core::Node b = ready_node("b");
    cluster.upsert_node(b);
    CHECK(cluster.nodes().images().size() == 0);
    a.images = NodeImages{{"spark:4", 900 * mib}};
    cluster.upsert_node(a);
    CHECK(cluster.nodes().images().size() == 1);
    core::Constraints constraints;
    constraints.images = {"spark:4"};
    const core::ShapeId shape = cluster.intern_shape({}, constraints);
    const core::Preferences* found = find_preferences(cluster, cluster.shapes().class_of(shape));
    REQUIRE(found != nullptr);
    CHECK(found->images == std::vector<std::uint8_t>{43, 0});  // half of the nodes have it
    const core::Node untold = cluster.nodes().node(*cluster.nodes().find("a"));
    CHECK_FALSE(cluster.upsert_node(untold));
    CHECK(cluster.nodes().images().size() == 1);
    b.images = a.images;
    CHECK(cluster.upsert_node(b));
    CHECK(find_preferences(cluster, cluster.shapes().class_of(shape)) == nullptr);  // all are alike
    a.images->clear();
    CHECK(cluster.upsert_node(a));
    found = find_preferences(cluster, cluster.shapes().class_of(shape));
    REQUIRE(found != nullptr);
    CHECK(found->images == std::vector<std::uint8_t>{0, 43});
    cluster.remove_node("b");
    CHECK(cluster.nodes().images().size() == 0);
    const core::ShapeId plain = cluster.intern_shape({}, {});
    CHECK(find_preferences(cluster, cluster.shapes().class_of(plain)) == nullptr);
}
