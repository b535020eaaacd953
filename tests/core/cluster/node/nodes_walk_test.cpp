// Nodes that come, change and go on a walk by chance: which of them pods may go to and why not to others, what speaks
// for each, what there would be if closed ones were open, and what kinds of nodes there are.

#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cluster/node/node_preferences.hpp"
#include "core/cluster/node/open_capacity.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace core;

namespace {
namespace nodes_walk {

using tests::Walk;
using Amounts = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

constexpr std::int64_t mebibyte = 1024 * 1024;

Node draw_node(Walk& walk, const std::string& name) {
    Node node = build::node(name).cpu(static_cast<std::int64_t>(walk.pick(5))).pods(walk.of(Amounts{110, 110, 2}));
    const std::string zone = walk.of(Words{"a", "a", "b", ""});
    if (!zone.empty()) build::put(node.labels, "zone", zone);
    const auto taint = [&](const char* key, const char* value, TaintEffect effect) {
        if (walk.pick(5) == 0) node.taints.push_back({key, value, effect});
    };
    taint("dedicated", "gpu", TaintEffect::no_schedule);
    taint("dedicated", "tpu", TaintEffect::no_execute);
    taint("spot", "", TaintEffect::prefer_no_schedule);
    taint("old", "", TaintEffect::prefer_no_schedule);
    taint("node.kubernetes.io/disk-pressure", "", TaintEffect::no_schedule);
    node.unschedulable = walk.pick(7) == 0;
    node.ready = walk.pick(7) != 0;
    node.is_quarantined = walk.pick(9) == 0;
    node.refuses_host_ports = walk.pick(7) == 0;
    node.cost = walk.of(Amounts{0, 0, 0, 5, -1});
    node.is_scarce = walk.pick(4) == 0;
    if (walk.pick(2) == 0) {
        NodeImages images;
        for (const char* image : {"a:1", "b:1"}) {
            if (walk.pick(2) == 0) images.push_back({image, walk.of(Amounts{2'000, 600, 24, 23}) * mebibyte});
        }
        node.images = images;
    }
    return node;
}

std::vector<Constraints> all_constraints() {
    std::vector<Constraints> all(6);
    all[1].node_selector = {{"zone", "a"}};
    all[1].has_host_ports = true;
    NodeSelectorTerm in_b;
    in_b.match_expressions.push_back({"zone", SelectorOperator::in, {"b"}});
    NodeSelectorTerm somewhere;
    somewhere.match_expressions.push_back({"zone", SelectorOperator::exists, {}});
    all[2].preferred_affinity = {{10, in_b}, {5, somewhere}};
    all[3].images = {"a:1", "b:1"};
    all[3].tolerations.emplace_back().key = "dedicated";
    all[3].tolerations.back().exists = true;
    all[4].points = {{"n1", 7}, {"n2", 7}, {"n3", 9}};
    all[4].left_out = FilterSet{}.with(FilterId::taint_toleration).with(FilterId::node_affinity);
    all[5].has_required_affinity = true;
    all[5].required_affinity = {in_b};
    all[5].volumes = {{VolumeRule::affinity, {somewhere}, {}}};
    return all;
}

std::string text_of(const std::vector<ReasonCount>& reasons) {
    std::string text;
    for (const ReasonCount& one : reasons)
        text += (text.empty() ? " " : ", ") + std::to_string(one.count) + " " + one.reason;
    return text.empty() ? " nobody" : text;
}

std::string text_of(const Preferences* preferences) {
    if (preferences == nullptr) return " none";
    std::string text;
    for (const Preference& one : preferences->by_position) {
        text += " " + std::to_string(one.taints) + "/" + std::to_string(one.weight) + "/" + std::to_string(one.points);
    }
    for (const std::uint8_t one : preferences->images) text += " i" + std::to_string(one);
    return text + " most " + std::to_string(preferences->most.taints) + "/" + std::to_string(preferences->most.weight);
}

std::string text_of(const NodeBitmap& nodes) {
    std::string text;
    nodes.for_each([&](std::size_t at) { text += " " + std::to_string(at); });
    return text.empty() ? " -" : text;
}

class Life {
public:
    explicit Life(std::uint64_t seed) : walk_(seed) {
        for (const Constraints& one : all_constraints()) {
            shapes_.push_back(cluster_.intern_shape(build::resources("1"), one));
        }
        cluster_.set_scarce({"example.com/d"});
    }
    std::string run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            tell_all();
            for (const Account& account : accounts_of(cluster_)) CHECK_MESSAGE(account.adds_up(), account.what);
        }
        return std::move(told_);
    }

private:
    void step() {
        const std::string name = "n" + std::to_string(walk_.pick(6));
        switch (walk_.pick(8)) {
            case 0:
                told_ += "without " + name + (cluster_.remove_node(name) ? "" : ", which was not there") + "\n";
                return;
            case 1: {
                const std::string uid = "p" + std::to_string(walk_.pick(3));
                told_ += "pod " + uid + " on " + name + "\n";
                cluster_.upsert_pod(
                    uid, name, build::resources("1"), walk_.pick(2) == 0 ? UsedBy::gang : UsedBy::other_scheduler);
                return;
            }
            case 2:
                return restrict();
            case 3: {
                // Only what filters do not look at.
                const auto index = cluster_.nodes().find(name);
                if (!index) return;
                Node node = cluster_.room().node_as_told(*index);
                node.cost = walk_.of(Amounts{0, 5, 9});
                node.is_scarce = walk_.pick(2) == 0;
                node.images = NodeImages{{"a:1", walk_.of(Amounts{700, 40}) * mebibyte}};
                told_ += name + (cluster_.upsert_node(node) ? " has other images" : " has the same images") + "\n";
                return;
            }
            default:
                told_ += "node " + name + (cluster_.upsert_node(draw_node(walk_, name)) ? "" : ", as before") + "\n";
        }
    }
    /// For one question a shape has fewer nodes, and then fewer still.
    void restrict() {
        const ShapeId shape = shapes_[walk_.pick(shapes_.size())];
        const auto draw = [&] {
            NodeBitmap some;
            for (std::size_t i = 0; i < cluster_.nodes().count(); ++i) some.set(i, walk_.pick(3) != 0);
            return some;
        };
        const auto tell = [&](ShapeId of) {
            const ClassId id = cluster_.shapes().class_of(of);
            const ConstraintClasses& classes = cluster_.shapes().classes();
            told_ += "    has" + text_of(classes.eligible(id)) + ", not" + text_of(find_exclusions(cluster_, id)) +
                     ", prefers" + text_of(find_preferences(cluster_, id));
            if (ConstraintClasses::is_restricted(id)) told_ += ", restricted by" + text_of(classes.restrictions(id));
            if (const PodScores* scores = classes.find_pod_scores(id)) {
                told_ +=
                    ", scores " + std::to_string(scores->affinity.size()) + " " + std::to_string(scores->spread.size());
            }
            told_ += cluster_.shapes().find_unrestricted(of) == shape ? ", of it\n" : "\n";
            CHECK(&classes.constraints(id) == &cluster_.shapes().constraints(shape));
        };
        told_ += "restricted " + std::to_string(shape.value) + "\n";
        tell(shape);
        PodScores scores;
        if (walk_.pick(3) == 0) scores.spread = {1};
        if (walk_.pick(3) == 0) scores.affinity = {1, 2};
        const ShapeId first = cluster_.restrict_shape(shape, draw(), {{"too close", 2}, {"not ready", 1}}, scores);
        tell(first);
        PodScores more;
        if (walk_.pick(3) == 0) more.affinity = {1, 2, 3};
        const ShapeId second =
            cluster_.restrict_shape(first, draw(), {{"too far", static_cast<std::int64_t>(walk_.pick(4))}}, more);
        tell(second);
        for (const Account& account : accounts_of(cluster_)) CHECK_MESSAGE(account.adds_up(), account.what);
        const bool is_first = walk_.pick(2) == 0;
        CHECK(cluster_.release_shape(is_first ? first : second));
        tell(is_first ? second : first);
        CHECK(cluster_.release_shape(is_first ? second : first));
        tell(shape);
    }
    void tell_change(const std::string& key, const std::string& text) {
        std::string& before = last_[key];
        if (before == text) return;
        before = text;
        told_ += "    " + key + ":" + text + "\n";
    }
    void tell_all() {
        const NodeTable& nodes = cluster_.nodes();
        std::string names;
        for (const NodeIndex node : nodes.by_name()) {
            names += " " + nodes.name(node) + "#" + std::to_string(node.value) + "x" +
                     std::to_string(nodes.allocations(node));
            CHECK(nodes.find(nodes.name(node)) == node);
        }
        tell_change("nodes", names + " of " + std::to_string(nodes.size()));
        std::string kinds;
        if (nodes.has_costs()) kinds += " costs";
        if (nodes.has_closed()) kinds += " closed";
        if (nodes.has_avoided()) kinds += " avoided";
        if (nodes.keeps_off_scarce(build::resources("1"))) kinds += " scarce";
        CHECK_FALSE(nodes.keeps_off_scarce({0, 0, 0, {{"example.com/d", 1}}}));
        for (const CostLevel& level : nodes.cost_levels())
            kinds += ", " + std::to_string(level.cost) + ":" + text_of(level.nodes);
        tell_change("kinds", kinds);
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            const ClassId id = cluster_.shapes().class_of(shapes_[i]);
            const std::string number = std::to_string(i);
            tell_change(number + " may go to", text_of(cluster_.shapes().eligible(shapes_[i])));
            tell_change(number + " may not for", text_of(find_exclusions(cluster_, id)));
            tell_change(number + " prefers", text_of(find_preferences(cluster_, id)));
            const OpenCapacity open = capacity_if_open(cluster_, shapes_[i], View::free);
            tell_change(
                number + " if open",
                " " + std::to_string(open.nodes) + " " + std::to_string(open.pods) + " " + std::to_string(open.closed));
            for (std::size_t at = 0; at < nodes.count(); ++at) {
                const NodeIndex node = nodes.by_name()[at];
                const bool passes = filter_node(nodes.node(node), all_[i]).passes();
                CHECK(is_eligible(cluster_, node, shapes_[i]) == passes);
                CHECK(cluster_.position_of(node) == at);
            }
        }
        tell_change("version", " " + std::to_string(cluster_.room().gains().version()));
    }

    Walk walk_;
    Cluster cluster_;
    const std::vector<Constraints> all_ = all_constraints();
    std::vector<ShapeId> shapes_;
    std::map<std::string, std::string> last_;
    std::string told_;
};

TEST_CASE("nodes: a walk with all that filters and preferences look at") {
    tests::check_transcript("core/cluster/transcripts/nodes_walk", nodes_walk::Life(41).run(230));
}

TEST_CASE("node table: 64 levels of cost are kept, and not one more") {
    NodeTable table;
    for (int i = 0; i < 65; ++i) {
        if (i > 0) CHECK(table.cost_levels().size() == static_cast<std::size_t>(i));
        Node node = build::node("n" + std::to_string(i));
        node.cost = i;
        table.put(table.find_or_add(node.name), node);
    }
    CHECK(table.cost_levels().empty());
    Node node = build::node("n64");
    node.cost = 3;
    table.put(*table.find("n64"), node);
    CHECK(table.cost_levels().size() == 64);
    table.remove(*table.find("n7"));
    CHECK(table.cost_levels().size() == 63);
}

TEST_CASE("restricted class: several at once, given back in any order") {
    Cluster cluster;
    for (const char* name : {"n1", "n2", "n3"}) cluster.upsert_node(build::node(name));
    const ShapeId shape = cluster.intern_shape(build::resources("1"), {});
    const auto only = [](std::size_t at) {
        NodeBitmap nodes;
        nodes.set(at, true);
        return nodes;
    };
    std::vector<ShapeId> restricted;
    for (std::size_t i = 0; i < 3; ++i) restricted.push_back(cluster.restrict_shape(shape, only(i), {}));
    cluster.release_shape(restricted[1]);
    CHECK(cluster.shapes().eligible(restricted[2]).find_only() == 2U);
    const ShapeId more = cluster.restrict_shape(shape, only(1), {});
    CHECK(cluster.shapes().eligible(more).find_only() == 1U);
    CHECK(cluster.shapes().eligible(restricted[0]).find_only() == 0U);
    for (const ShapeId one : {restricted[0], restricted[2], more}) cluster.release_shape(one);
    CHECK(cluster.upsert_node(build::node("n4")));  // nothing stands still any more
    CHECK(cluster.shapes().eligible(shape).count() == 4);
    CHECK(cluster.release_shape(shape));
    for (const Account& account : accounts_of(cluster)) CHECK(account.adds_up());
}

}  // namespace nodes_walk
}  // namespace
