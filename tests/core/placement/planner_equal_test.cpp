// The planner against the naive one, plan by plan: the same node for the driver, the same count on
// each node, for every policy, on clusters that live: nodes come, go and change, room is taken and
// given back, trials are begun and rolled back. One cluster and one planner for a whole life, so
// that everything that is kept from one question to the next has its chance to be wrong.

#include "core/cluster/allocation/trial.hpp"
#include "core/placement/rejection.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/core/placement/naive_planner.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace core;
using tests::NaivePlan;
using tests::NaiveShape;

namespace {

constexpr std::int64_t too_wide = (std::int64_t{1} << 52) + 1;

class Life {
public:
    explicit Life(tests::Random& random, std::int64_t names) : random_(random), names_(names) {
        if (random.one_in(2)) {
            headroom_ = {random.between(0, 2) * 250, random.between(0, 2) << 28};
            cluster_.set_headroom(headroom_);
        }
        has_costs_ = random.one_in(4);
        has_scarce_ = random.one_in(4);
        if (has_scarce_) cluster_.set_scarce({tests::naive_scarce});
        has_preferences_ = random.one_in(4);
        is_roomy_ = names < 100 && random.one_in(6);
        for (std::int64_t i = random.between(0, names); i > 0; --i) upsert_node();
    }

    void change() {
        switch (random_.between(0, 6)) {
            case 0:
                return upsert_node();
            case 1:
                if (random_.one_in(3)) remove_node();
                return;
            case 2:
                return relabel_node();
            case 3:
            case 4:
                return allocation();
            default:
                return release();
        }
    }

    void check(Planner& planner) {
        const NaiveShape driver = shape_to_ask();
        const NaiveShape executor = shape_to_ask();
        const std::int64_t wanted = random_.between(
            0,
            random_.one_in(2) ? 6
            : is_roomy_       ? 600 * names_
                              : 4 * names_);
        const bool with_driver = names_ < 1'000 && !random_.one_in(4);
        PlacementRequest request;
        const ShapeId driver_shape = cluster_.intern_shape(driver.amount, driver.constraints);
        const ShapeId executor_shape = cluster_.intern_shape(executor.amount, executor.constraints);
        if (with_driver) request.driver = driver_shape;
        request.executors = {{executor_shape, wanted}};
        for (const View view : {View::free, View::without_gangs, View::allocatable}) {
            auto nodes = tests::naive_nodes(nodes_, pods_, view, headroom_);
            request.view = view;
            request.excluded.clear();
            for (auto& node : nodes) {
                if (!random_.one_in(12)) continue;
                node.is_excluded = true;
                request.excluded.push_back(*cluster_.nodes().find(node.node.name));
            }
            for (const auto policy : policies_to_ask(wanted)) {
                request.policy = policy;
                const auto expected = tests::naive_plan(
                    nodes, with_driver ? &driver : nullptr, executor, wanted, policy);
                const Placement placement = planner.place(cluster_, request);
                const auto* plan = std::get_if<Plan>(&placement);
                REQUIRE((plan != nullptr) == expected.has_value());
                REQUIRE(planner.fits(cluster_, request) == expected.has_value());
                const auto found = planner.find(cluster_, request);
                REQUIRE(found.has_value() == (plan != nullptr));
                if (found) REQUIRE(*found == *plan);
                if (plan != nullptr) {
                    ++plans;
                    plans_by_score += find_score(policy) != nullptr ? 1 : 0;
                    REQUIRE(readable(*plan) == *expected);
                    continue;
                }
                const auto shortage =
                    tests::naive_shortage(nodes, with_driver ? &driver : nullptr, executor);
                if (shortage.executors_fit >= wanted) continue;  // only the driver is too many
                ++refusals;
                REQUIRE(readable(std::get<Rejection>(placement)) == shortage);
            }
        }
        for (const auto& naive : tests::naive_nodes(nodes_, pods_, View::free, headroom_)) {
            const NodeIndex node = *cluster_.nodes().find(naive.node.name);
            REQUIRE(
                cluster_.capacity(node, executor_shape, View::free) ==
                tests::naive_capacity(naive, executor));
        }
        cluster_.release_shape(driver_shape);
        cluster_.release_shape(executor_shape);
    }

    /// A gang of several executor shapes; the same shape may be among them twice.
    void check_several(Planner& planner) {
        const NaiveShape driver = shape_to_ask();
        const bool with_driver = !random_.one_in(4);
        PlacementRequest request;
        std::vector<ShapeId> ids;
        const auto intern = [&](const NaiveShape& shape) {
            ids.push_back(cluster_.intern_shape(shape.amount, shape.constraints));
            return ids.back();
        };
        if (with_driver) request.driver = intern(driver);
        std::vector<tests::NaivePart> parts;
        const auto nodes = tests::naive_nodes(nodes_, pods_, View::free, headroom_);
        for (std::int64_t i = random_.between(2, 3); i > 0; --i) {
            // Few, or so many that they are in each other's way.
            const NaiveShape shape = shape_to_ask();
            const std::int64_t most = random_.one_in(3) ? 3 : tests::naive_total(nodes, shape) / 2;
            parts.push_back({shape, random_.between(0, most)});
            request.executors.push_back({intern(parts.back().shape), parts.back().wanted});
        }
        // What is looked for first is not this test's matter.
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].wanted > 0) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return is_larger(cluster_, request.executors[a].shape, request.executors[b].shape);
        });
        std::vector<tests::NaivePart> ordered;
        for (const std::size_t i : order) ordered.push_back(parts[i]);
        for (const auto policy : policies_to_ask(0)) {
            request.policy = policy;
            const auto expected =
                tests::naive_plan_of_parts(nodes, with_driver ? &driver : nullptr, ordered, policy);
            const auto found = planner.find(cluster_, request);
            REQUIRE(found.has_value() == expected.has_value());
            REQUIRE(planner.fits(cluster_, request) == expected.has_value());
            if (!found) continue;
            ++plans;
            plans_by_score += find_score(policy) != nullptr ? 1 : 0;
            REQUIRE(expected->driver == (with_driver ? cluster_.nodes().name(found->driver) : ""));
            for (std::size_t i = 0; i < order.size(); ++i) {
                REQUIRE(readable(found->executors[order[i]]) == expected->executors[i]);
            }
        }
        for (const ShapeId id : ids) cluster_.release_shape(id);
    }

    /// Plans are equal inside a trial, too, and afterwards it never was.
    void check_in_trial(Planner& planner) {
        const Cluster before = cluster_;
        const auto pods = pods_;
        {
            Trial trial(cluster_);
            for (std::int64_t i = random_.between(1, 8); i > 0 && !nodes_.empty(); --i) {
                if (!tokens_.empty() && random_.one_in(3)) {
                    const auto at = pick(tokens_.size());
                    if (released_.insert(at).second) trial.release(tokens_[at].first);
                    continue;
                }
                const NaiveShape taken = shape();
                const ShapeId id = cluster_.intern_shape(taken.amount, {});
                held_.push_back(id);
                const std::string name = node_name();
                const auto node = cluster_.nodes().find(name);
                if (!node) continue;
                trial.allocate(*node, id, UsedBy::gang);
                pods_.push_back({name, taken.amount, UsedBy::gang});
            }
            std::vector<tests::NaivePod> left;
            for (std::size_t i = 0; i < pods_.size(); ++i) {
                if (!released_.contains(i)) left.push_back(pods_[i]);
            }
            pods_ = left;
            if (random_.one_in(2)) check(planner);
        }
        pods_ = pods;
        released_.clear();
        for (const ShapeId id : held_) cluster_.release_shape(id);
        held_.clear();
        check(planner);
    }

    int plans = 0;
    int plans_by_score = 0;
    int refusals = 0;

private:
    /// Those by capacity, and one by a score, unless so many pods are too many to look at all nodes
    /// for each of them.
    std::vector<PackingPolicy> policies_to_ask(std::int64_t wanted) {
        std::vector<PackingPolicy> asked = {PackingPolicy::tightest, PackingPolicy::fewest_nodes};
        const auto all = packing_policies();
        if (wanted * names_ <= 20'000) asked.push_back(all[2 + pick(all.size() - 2)]);
        return asked;
    }

    /// Some are held all the time and asked about again and again; when they are exchanged, another
    /// shape gets their number.
    NaiveShape shape_to_ask() {
        if (random_.one_in(3)) return shape();
        if (kept_.size() < 3) {
            const NaiveShape made = shape();
            kept_.push_back({made, cluster_.intern_shape(made.amount, made.constraints)});
        }
        auto& [made, id] = kept_[pick(kept_.size())];
        if (random_.one_in(8)) {
            cluster_.release_shape(id);
            made = shape();
            id = cluster_.intern_shape(made.amount, made.constraints);
        }
        return made;
    }

    std::string node_name() { return fmt::format("n{:03}", random_.between(1, names_)); }
    std::size_t pick(std::size_t size) {
        return static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(size) - 1));
    }

    /// Few enough to meet each other: of all addresses, of one, or of both.
    std::vector<core::HostPort> ports() {
        const std::array<std::string, 3> addresses = {"", "10.0.0.1", "10.0.0.2"};
        std::vector<core::HostPort> made;
        for (std::int64_t i = random_.between(1, 2); i > 0; --i) {
            made.push_back({addresses[pick(3)], random_.one_in(3) ? "UDP" : "TCP", 80});
        }
        return made;
    }

    /// Of two drivers: a pod's own, and some that pods share.
    std::vector<core::DriverVolume> volumes() {
        std::vector<core::DriverVolume> made;
        for (std::int64_t i = random_.between(1, 3); i > 0; --i) {
            const std::string handle = random_.one_in(2) ? "" : fmt::format("v{}", pick(3));
            made.push_back({random_.one_in(3) ? "b.example.com" : "a.example.com", handle});
        }
        return made;
    }

    Resources amount() {
        Resources made;
        made.cpu_milli = random_.one_in(6) ? 0 : random_.between(1, 8) * 500;
        // Not only round numbers: 3 does not divide what a double holds well.
        made.memory_bytes = random_.one_in(6) ? 0 : (random_.between(1, 8) << 30) / 3;
        if (is_roomy_ && random_.one_in(2)) {
            made.cpu_milli = random_.between(1, 12);
            made.memory_bytes = random_.between(0, 1) << 20;
        }
        made.ephemeral_bytes = random_.one_in(4) ? random_.between(1, 4) << 30 : 0;
        if (random_.one_in(8)) made.extended = {{"example.com/gpu", random_.between(1, 2)}};
        if (random_.one_in(8)) made.extended.push_back({"example.com/x", random_.between(1, 2)});
        if (random_.one_in(8)) {
            // So many that not all of them have columns; and some too large for those.
            const std::string name = fmt::format("example.com/y{}", random_.between(0, 9));
            made.extended.push_back({name, random_.one_in(8) ? too_wide : random_.between(1, 2)});
        }
        if (random_.one_in(8)) core::add_host_ports(made, ports());
        if (random_.one_in(6)) core::add_volumes(made, volumes());
        if (random_.one_in(60)) made.memory_bytes = (std::int64_t{1} << 53) + 1;
        if (random_.one_in(60)) made.memory_bytes = (std::int64_t{1} << 51) + 1;
        return made;
    }

    NaiveShape shape() {
        NaiveShape made{amount(), {}};
        if (random_.one_in(4)) made.constraints.node_selector = {{"pool", "a"}};
        if (!has_preferences_) return made;
        for (const char* value : {"a", "b"}) {
            if (random_.one_in(2)) continue;
            made.constraints.preferred_affinity.push_back(
                {static_cast<std::int32_t>(random_.between(1, 100)),
                 {{{"pool", SelectorOperator::in, {value}}}, {}}});
        }
        if (random_.one_in(3)) {
            made.constraints.tolerations.emplace_back().key = "slow";
            made.constraints.tolerations.back().exists = true;
        }
        return made;
    }

    void upsert_node() {
        auto made = build::node(node_name())
                        .cpu_milli(random_.between(0, 16) * 500)
                        .memory(fmt::format("{}Mi", random_.between(0, 16) * 777))
                        .ephemeral(fmt::format("{}Gi", random_.between(0, 20)))
                        .pods(random_.between(0, is_roomy_ ? 1'500 : 12))
                        .label("pool", random_.one_in(2) ? "a" : "b")
                        .ready(!random_.one_in(12));
        if (random_.one_in(3)) made.extended("example.com/x", "3");
        if (random_.one_in(3)) made.extended("example.com/gpu", "4");
        for (int i = random_.one_in(2) ? 10 : 0; i-- > 0;) {
            if (random_.one_in(2)) {
                made.extended(fmt::format("example.com/y{}", i), random_.one_in(6) ? "9Pi" : "3");
            }
        }
        if (has_preferences_) {
            for (const char* key : {"slow", "old"}) {
                if (random_.one_in(3)) made.taint(key, "", TaintEffect::prefer_no_schedule);
            }
        }
        if (random_.one_in(40)) made.memory("7Pi");
        Node node = made;
        node.cost = has_costs_ ? random_.between(-1, 2) : 0;
        node.is_scarce = has_scarce_ && node.allocatable.extended_amount(tests::naive_scarce) > 0;
        if (random_.one_in(3)) {
            core::set_volume_limits(
                node.allocatable,
                {{"a.example.com", random_.between(0, 5)}, {"b.example.com", random_.between(0, 2)}});
        }
        cluster_.upsert_node(node);
        nodes_[node.name] = node;
    }

    /// Its room stays as it is.
    void relabel_node() {
        const auto found = nodes_.find(node_name());
        if (found == nodes_.end()) return;
        Node& node = found->second;
        for (auto& [key, value] : node.labels) {
            if (key == "pool") value = value == "a" ? "b" : "a";
        }
        cluster_.upsert_node(node);
    }

    void remove_node() {
        const std::string name = node_name();
        cluster_.remove_node(name);
        nodes_.erase(name);
    }

    /// On placeholders as well; whether or not there is room.
    void allocation() {
        const auto used_by = random_.one_in(2) ? UsedBy::gang : UsedBy::other_scheduler;
        const tests::NaivePod pod{node_name(), amount(), used_by};
        tokens_.emplace_back(
            cluster_.allocations().allocate(cluster_.node_or_placeholder(pod.node), pod.amount, used_by),
            pod.node);
        pods_.push_back(pod);
    }

    void release() {
        if (tokens_.empty()) return;
        const std::size_t at = pick(tokens_.size());
        cluster_.allocations().release(tokens_[at].first);
        tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(at));
        pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    NaivePlan readable(const Plan& plan) const {
        NaivePlan made;
        if (!plan.driver.is_none()) made.driver = cluster_.nodes().name(plan.driver);
        made.executors = readable(plan.executors[0]);
        return made;
    }

    tests::NaiveCounts readable(const std::vector<NodeCount>& counts) const {
        tests::NaiveCounts made;
        for (const NodeCount& found : counts) {
            const std::string& name = cluster_.nodes().name(found.node);
            REQUIRE((made.empty() || made.rbegin()->first < name));  // in order of names
            made[name] = found.count;
        }
        return made;
    }

    static tests::NaiveShortage readable(const Rejection& rejection) {
        tests::NaiveShortage made{
            rejection.driver_fits, rejection.executors_fit, rejection.eligible_nodes, {}};
        for (const ReasonCount& reason : rejection.reasons) {
            constexpr std::string_view insufficient = "Insufficient ";
            constexpr std::string_view taken = " taken";
            constexpr std::string_view at_limit = "at the limit of ";
            if (reason.reason.starts_with(at_limit)) {
                made.short_nodes[reason.reason.substr(at_limit.size())] = reason.count;
            }
            if (reason.reason == "Too many pods") made.short_nodes["pods"] = reason.count;
            if (reason.reason.ends_with(taken)) {
                const std::size_t name = reason.reason.size() - taken.size();
                made.short_nodes[reason.reason.substr(0, name)] = reason.count;
            }
            if (reason.reason.starts_with(insufficient)) {
                made.short_nodes[reason.reason.substr(insufficient.size())] = reason.count;
            }
        }
        return made;
    }

    tests::Random& random_;
    std::int64_t names_;
    Headroom headroom_;
    bool has_costs_ = false;
    bool has_scarce_ = false;
    bool has_preferences_ = false;
    bool is_roomy_ = false;  ///< nodes that take hundreds of pods
    Cluster cluster_;
    std::map<std::string, Node> nodes_;
    std::vector<std::pair<AllocationId, std::string>> tokens_;  ///< parallel to pods_
    std::vector<tests::NaivePod> pods_;
    std::set<std::size_t> released_;
    std::vector<ShapeId> held_;
    std::vector<std::pair<NaiveShape, ShapeId>> kept_;
};

struct Counts {
    int plans = 0;
    int plans_by_score = 0;
    int refusals = 0;
};

void live_with_several(
    tests::Random& random, Planner& planner, std::int64_t names, Counts& counts) {
    Life life(random, names);
    for (int i = 0; i < 12; ++i) {
        for (std::int64_t n = random.between(0, 5); n > 0; --n) life.change();
        life.check_several(planner);
    }
    counts.plans += life.plans;
    counts.plans_by_score += life.plans_by_score;
}

void live(
    tests::Random& random, Planner& planner, std::int64_t names, int changes, Counts& counts) {
    Life life(random, names);
    for (int i = 0; i < changes; ++i) {
        for (std::int64_t n = random.between(0, 5); n > 0; --n) life.change();
        if (random.one_in(3)) {
            life.check_in_trial(planner);
        } else {
            life.check(planner);
        }
    }
    counts.plans += life.plans;
    counts.plans_by_score += life.plans_by_score;
    counts.refusals += life.refusals;
}

}  // namespace

TEST_CASE("planner: plans what the naive planner plans, in clusters that live") {
    tests::Random random;
    CAPTURE(random.seed());
    Planner planner;  // one for all: nothing of an earlier cluster may show
    Counts counts;
    for (int round = 0; round < 60; ++round) live(random, planner, 9, 12, counts);
    CHECK(counts.plans > 500);
    CHECK(counts.plans_by_score > 150);
    CHECK(counts.refusals > 100);
}

TEST_CASE("planner: the same where there are many blocks of nodes, and more than one region") {
    tests::Random random;
    CAPTURE(random.seed());
    Planner planner;
    Counts counts;
    for (int round = 0; round < 6; ++round) live(random, planner, 130, 8, counts);
    live(random, planner, 9'000, 3, counts);
    CHECK(counts.plans > 5);
}

TEST_CASE("planner: the same for gangs of several shapes") {
    tests::Random random;
    CAPTURE(random.seed());
    Planner planner;
    Counts counts;
    for (int round = 0; round < 60; ++round) live_with_several(random, planner, 9, counts);
    for (int round = 0; round < 6; ++round) live_with_several(random, planner, 130, counts);
    CHECK(counts.plans > 300);
    CHECK(counts.plans_by_score > 80);
}
