// Which nodes each packing chooses, by small clusters that can be worked out by hand.

#include "core/placement/packing_policy.hpp"
#include "core/placement/placement.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

using build::node;
using build::resources;
using core::PackingPolicy;
using core::Resources;
using core::ShapeId;

namespace {

const std::string gpu = "nvidia.com/gpu";

Resources with_gpus(Resources of, std::int64_t gpus) {
    of.extended = {{gpu, gpus}};
    return of;
}

struct Setup {
    core::Cluster cluster;
    core::Planner planner;

    void add(const core::Node& made) { cluster.upsert_node(made); }
    void take(const std::string& name, const Resources& amount) {
        cluster.allocations().allocate(*cluster.nodes().find(name), amount, core::UsedBy::other_scheduler);
    }
    ShapeId shape(const Resources& request, const core::Constraints& constraints = {}) {
        return cluster.intern_shape(request, constraints);
    }

    /// "n1:2 n3:1", "driver n1; n1:2", or "no".
    std::string place(
        PackingPolicy policy,
        std::optional<ShapeId> driver,
        const std::vector<core::ShapeCount>& executors) {
        core::PlacementRequest request;
        request.driver = driver;
        request.executors = executors;
        request.policy = policy;
        const auto plan = planner.find(cluster, request);
        CHECK(planner.fits(cluster, request) == plan.has_value());
        if (!plan) return "no";
        std::string text = driver ? "driver " + cluster.nodes().name(plan->driver) + ";" : "";
        for (const auto& nodes : plan->executors) {
            for (const core::NodeCount& entry : nodes) {
                text += fmt::format(" {}:{}", cluster.nodes().name(entry.node), entry.count);
            }
        }
        return text;
    }
    /// Lone pods, each of which stays: "n1 n2".
    std::string place_each(PackingPolicy policy, const Resources& request, int count) {
        std::string names;
        for (; count > 0; --count) {
            core::PlacementRequest one;
            one.driver = shape(request);
            one.policy = policy;
            const auto plan = planner.find(cluster, one);
            if (!plan) return names + " no";
            cluster.allocate(plan->driver, *one.driver, core::UsedBy::gang);
            names += (names.empty() ? "" : " ") + cluster.nodes().name(plan->driver);
        }
        return names;
    }
};

/// n1 and n3 with 4 cores and 8Gi, n2 twice as large.
Setup three_nodes() {
    Setup s;
    s.add(node("n1").cpu(4).memory("8Gi"));
    s.add(node("n2").cpu(8).memory("16Gi"));
    s.add(node("n3").cpu(4).memory("8Gi"));
    return s;
}

/// Two nodes with GPUs in use, and one without any.
Setup gpu_nodes() {
    Setup s;
    s.add(node("n1").extended(gpu, "8"));
    s.add(node("n2").extended(gpu, "4"));
    s.add(node("n3"));
    s.take("n1", with_gpus({}, 4));
    s.take("n2", with_gpus({}, 2));
    return s;
}

}  // namespace

TEST_CASE("packing: every name is found again, and no other") {
    for (const PackingPolicy policy : core::packing_policies()) {
        CHECK(core::find_packing_policy(core::to_string(policy)) == policy);
    }
    CHECK(core::to_string(PackingPolicy::gpu_bestfit) == "gpu-bestfit");
    CHECK(core::to_string(PackingPolicy::least_allocated) == "least-allocated");
    CHECK(core::to_string(PackingPolicy::first_by_name) == "first-by-name");
    CHECK_FALSE(core::find_packing_policy("gpubestfit"));
    CHECK(core::packing_names().starts_with("tightest, fewest-nodes, least-allocated, "));
}

TEST_CASE("packing: least-allocated spreads, pod by pod and as a gang") {
    const Resources pod = resources("1", "2Gi");
    Setup alone = three_nodes();
    CHECK(alone.place_each(PackingPolicy::least_allocated, pod, 6) == "n2 n1 n2 n3 n2 n1");
    Setup s = three_nodes();
    CHECK(s.place(PackingPolicy::least_allocated, {}, {{s.shape(pod), 6}}) == " n1:2 n2:3 n3:1");
}

TEST_CASE("packing: most-allocated fills, pod by pod and as a gang") {
    const Resources pod = resources("1", "2Gi");
    Setup alone = three_nodes();
    CHECK(alone.place_each(PackingPolicy::most_allocated, pod, 6) == "n1 n1 n1 n1 n3 n3");
    Setup s = three_nodes();
    CHECK(s.place(PackingPolicy::most_allocated, {}, {{s.shape(pod), 6}}) == " n1:4 n3:2");
}

TEST_CASE("packing: balanced-allocation evens out what is lopsided") {
    Setup s = three_nodes();
    s.take("n3", resources("3", "1Gi"));
    // Much memory and little CPU: on n3 the shares come together.
    CHECK(
        s.place(PackingPolicy::balanced_allocation, {}, {{s.shape(resources("100m", "4Gi")), 1}}) ==
        " n3:1");
    // Both alike change nothing anywhere: the first by name.
    Setup even = three_nodes();
    CHECK(
        even.place(
            PackingPolicy::balanced_allocation, {}, {{even.shape(resources("1", "2Gi")), 2}}) ==
        " n1:2");
}

TEST_CASE("TOY-1: packing: gpu-bestfit leaves the fewest GPUs over, most-requested follows those in use") {
    Setup s = gpu_nodes();
    const ShapeId one = s.shape(with_gpus(resources("100m"), 1));
    CHECK(s.place(PackingPolicy::gpu_bestfit, one, {}) == "driver n2;");
    CHECK(s.place(PackingPolicy::most_requested, one, {}) == "driver n1;");
}

TEST_CASE("TOY-1b: packing: gpu-bestfit looks at GPUs, not at what is tightest") {
    Setup s;
    s.add(node("n1").cpu(1).extended(gpu, "8"));
    s.add(node("n2").cpu(10).extended(gpu, "2"));
    const ShapeId one = s.shape(with_gpus(resources("1"), 1));
    CHECK(s.place(PackingPolicy::gpu_bestfit, one, {}) == "driver n2;");
    CHECK(s.place(PackingPolicy::tightest, one, {}) == "driver n1;");
}

TEST_CASE("TOY-2: packing: five pods of one GPU, one after another") {
    const auto two_nodes = [] {
        Setup s;
        s.add(node("n1").cpu(8).memory("16Gi").extended(gpu, "4"));
        s.add(node("n2").cpu(8).memory("16Gi").extended(gpu, "2"));
        return s;
    };
    const Resources pod = with_gpus(resources("1", "1Gi"), 1);
    Setup best_fit = two_nodes();
    CHECK(best_fit.place_each(PackingPolicy::gpu_bestfit, pod, 5) == "n2 n2 n1 n1 n1");
    Setup most_requested = two_nodes();
    CHECK(most_requested.place_each(PackingPolicy::most_requested, pod, 5) == "n1 n1 n1 n1 n2");
}

TEST_CASE("packing: gpu-bestfit keeps a gang whole") {
    Setup s;
    s.add(node("n1").extended(gpu, "4"));
    s.add(node("n2").extended(gpu, "2"));
    s.add(node("n3").extended(gpu, "1"));
    const ShapeId driver = s.shape(resources("500m"));
    const ShapeId executor = s.shape(with_gpus(resources("500m"), 1));
    CHECK(s.place(PackingPolicy::gpu_bestfit, driver, {{executor, 3}}) == "driver n1; n2:2 n3:1");
    CHECK(
        s.place(PackingPolicy::gpu_bestfit, driver, {{executor, 7}}) ==
        "driver n1; n1:4 n2:2 n3:1");
    CHECK(s.place(PackingPolicy::gpu_bestfit, driver, {{executor, 8}}) == "no");
}

TEST_CASE("packing: GPUs count alone where other extended resources are asked for as well") {
    Setup s;
    s.add(node("n1").extended(gpu, "2").extended("hugepages-2Mi", "1Gi"));
    s.add(node("n2").extended(gpu, "1").extended("hugepages-2Mi", "8Gi"));
    Resources both = with_gpus(resources("1"), 1);
    both.extended.insert(both.extended.begin(), {"hugepages-2Mi", build::bytes("1Gi")});
    CHECK(s.place(PackingPolicy::gpu_bestfit, s.shape(both), {}) == "driver n2;");
    both.extended = {{"hugepages-2Mi", build::bytes("1Gi")}};
    CHECK(s.place(PackingPolicy::gpu_bestfit, s.shape(both), {}) == "driver n1;");
}

TEST_CASE("packing: first-by-name fills nodes by name, the driver first") {
    Setup s = three_nodes();
    const ShapeId one = s.shape(resources("1"));
    CHECK(s.place(PackingPolicy::first_by_name, one, {{one, 12}}) == "driver n1; n1:3 n2:8 n3:1");
}

TEST_CASE("packing: the driver goes to the best node beside which its executors fit") {
    Setup s;
    s.add(node("n1").cpu(4));
    s.add(node("n2").cpu(5));
    const ShapeId driver = s.shape(resources("1"));
    const ShapeId executor = s.shape(resources("4"));
    CHECK(s.place(PackingPolicy::first_by_name, driver, {{executor, 1}}) == "driver n1; n2:1");
    CHECK(s.place(PackingPolicy::first_by_name, driver, {{executor, 2}}) == "driver n2; n1:1 n2:1");
}

TEST_CASE("packing: what the driver takes counts for its executors' scores") {
    Setup s;
    s.add(node("n1").cpu(8));
    s.add(node("n2").cpu(8));
    const ShapeId driver = s.shape(resources("2"));
    const ShapeId executor = s.shape(resources("2"));
    CHECK(s.place(PackingPolicy::least_allocated, driver, {{executor, 1}}) == "driver n1; n2:1");
    CHECK(s.place(PackingPolicy::most_allocated, driver, {{executor, 1}}) == "driver n1; n1:1");
}

TEST_CASE("packing: what spreads does not keep the next shape out") {
    Setup s;
    s.add(node("n1").cpu(4).extended(gpu, "2"));
    s.add(node("n2").cpu(4).extended(gpu, "2"));
    const ShapeId first = s.shape(with_gpus(resources("1"), 1));
    const auto place = [&](const char* cores) {
        const ShapeId next = s.shape(resources(cores));
        return s.place(PackingPolicy::least_allocated, {}, {{first, 2}, {next, 1}});
    };
    CHECK(place("3") == " n1:1 n2:1 n1:1");
    CHECK(place("4") == " n1:2 n2:1");
}

TEST_CASE("packing: costs come before every score") {
    Setup s = three_nodes();
    core::Node dear = node("n2").cpu(8).memory("16Gi");
    dear.cost = 5;
    s.add(dear);
    const ShapeId one = s.shape(resources("1", "2Gi"));
    CHECK(s.place(PackingPolicy::least_allocated, {}, {{one, 9}}) == " n1:4 n2:1 n3:4");
}

TEST_CASE("packing: nodes with soft taints come last, in every order") {
    for (const PackingPolicy policy : core::packing_policies()) {
        CAPTURE(core::to_string(policy));
        Setup s;
        const auto soft = core::TaintEffect::prefer_no_schedule;
        s.add(node("n0").taint("slow", "", soft));
        s.add(node("n1"));
        s.add(node("n2").taint("slow", "", soft).taint("old", "", soft));
        const ShapeId one = s.shape(resources("1"));
        CHECK(s.place(policy, one, {{one, 3}}) == "driver n1; n1:3");
        CHECK(s.place(policy, one, {{one, 6}}) == "driver n1; n0:3 n1:3");
        core::Constraints tolerant;
        tolerant.tolerations.emplace_back().exists = true;
        CHECK(s.place(policy, s.shape(resources("1"), tolerant), {}) == "driver n0;");
    }
}

TEST_CASE("packing: preferred nodes come first, in every order") {
    core::Constraints wishes;
    const auto wish = [&wishes](std::int32_t weight, const char* disk) {
        wishes.preferred_affinity.push_back(
            {weight, {{{"disk", core::SelectorOperator::in, {disk}}}, {}}});
    };
    wish(20, "ssd");
    wish(80, "nvme");
    for (const PackingPolicy policy : core::packing_policies()) {
        CAPTURE(core::to_string(policy));
        Setup s;
        s.add(node("n0"));
        s.add(node("n1").label("disk", "nvme"));
        s.add(node("n2").label("disk", "ssd"));
        const ShapeId one = s.shape(resources("1"), wishes);
        CHECK(s.place(policy, {}, {{one, 9}}) == " n0:1 n1:4 n2:4");
        // A label that changes is seen.
        s.add(node("n1"));
        CHECK(s.place(policy, one, {}) == "driver n2;");
        // So is a node that comes, before all others.
        s.add(node("a").label("disk", "nvme"));
        CHECK(s.place(policy, one, {}) == "driver a;");
    }
}

TEST_CASE("packing: no node is ranked where nothing asks for it") {
    Setup s = three_nodes();
    const ShapeId one = s.shape(resources("1"));
    CHECK(s.place(PackingPolicy::tightest, one, {{one, 9}}) != "no");
    CHECK(s.place(PackingPolicy::fewest_nodes, one, {{one, 9}}) != "no");
    CHECK(s.planner.nodes_ranked() == 0);
    CHECK(s.place(PackingPolicy::first_by_name, one, {{one, 9}}) != "no");
    CHECK(s.planner.nodes_ranked() > 0);
}
