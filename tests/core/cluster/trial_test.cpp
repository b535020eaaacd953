#include "core/cluster/allocation/trial.hpp"

#include "tests/core/printing.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using build::node;
using build::resources;
using core::AllocationId;
using core::Cluster;
using core::NodeIndex;
using core::ShapeId;
using core::Trial;
using core::UsedBy;
using core::View;

namespace {

struct Setup {
    Cluster cluster;
    NodeIndex n1;
    NodeIndex n2;
    ShapeId shape;
    ShapeId gpu;

    Setup() {
        cluster.upsert_node(node("n1").cpu(8).extended("nvidia.com/gpu", "4"));
        cluster.upsert_node(node("n2").cpu(8));
        n1 = *cluster.nodes().find("n1");
        n2 = *cluster.nodes().find("n2");
        shape = cluster.intern_shape(resources("2"), {});
        core::Resources with_gpu = resources("1");
        build::set(with_gpu, "nvidia.com/gpu", "1");
        gpu = cluster.intern_shape(with_gpu, {});
    }
};

}  // namespace

TEST_CASE("trial: what is not committed never was") {
    Setup s;
    s.cluster.allocations().release(s.cluster.allocate(s.n1, s.shape, UsedBy::gang));  // a token on the free list
    const Cluster before = s.cluster;
    {
        Trial trial(s.cluster);
        trial.allocate(s.n1, s.shape, UsedBy::gang);
        trial.allocate(s.n2, s.shape, UsedBy::gang, 3);
        trial.allocate(s.n1, s.gpu, UsedBy::other_scheduler);
        CHECK(s.cluster.columns().cpu(View::free)[s.n2.value] == 2000);
        CHECK_FALSE(s.cluster == before);
    }
    CHECK(s.cluster == before);
}

TEST_CASE("trial: what is committed stays, and its tokens are the cluster's") {
    Setup s;
    AllocationId kept;
    {
        Trial trial(s.cluster);
        kept = trial.allocate(s.n1, s.shape, UsedBy::gang);
        trial.commit();
        trial.allocate(s.n2, s.shape, UsedBy::gang);
    }
    CHECK(s.cluster.columns().cpu(View::free)[s.n1.value] == 6000);
    CHECK(s.cluster.columns().cpu(View::free)[s.n2.value] == 8000);
    s.cluster.allocations().release(kept);
    CHECK(s.cluster.columns().cpu(View::free)[s.n1.value] == 8000);
}

TEST_CASE("trial: a release is undone, even of the last charge with its amounts") {
    Setup s;
    const AllocationId slot = s.cluster.allocations().allocate(s.n1, resources("3"), UsedBy::gang);
    const Cluster before = s.cluster;
    {
        Trial trial(s.cluster);
        trial.release(slot);
        CHECK(s.cluster.columns().cpu(View::free)[s.n1.value] == 8000);
        CHECK(s.cluster.room().gains().version() > before.room().gains().version());
    }
    CHECK(s.cluster == before);
    CHECK(s.cluster.allocations().resources_of(slot) == resources("3"));
    {
        Trial trial(s.cluster);
        trial.release(slot);
        trial.commit();
    }
    CHECK(s.cluster.columns().cpu(View::free)[s.n1.value] == 8000);
}

TEST_CASE("trial: the last charge of a node that is gone is released and undone") {
    Setup s;
    const AllocationId slot = s.cluster.allocate(s.n2, s.shape, UsedBy::gang);
    s.cluster.remove_node("n2");
    const Cluster before = s.cluster;
    {
        Trial trial(s.cluster);
        trial.release(slot);
    }
    CHECK(s.cluster == before);
    {
        Trial trial(s.cluster);
        trial.release(slot);
        trial.commit();
    }
    s.cluster.upsert_node(node("n3"));
    CHECK(s.cluster.nodes().find("n3") == s.n2);  // its number is free again
}

TEST_CASE("trial: trials nest") {
    Setup s;
    const Cluster before = s.cluster;
    {
        Trial outer(s.cluster);
        outer.allocate(s.n1, s.shape, UsedBy::gang);
        const Cluster middle = s.cluster;
        {
            Trial inner(s.cluster);
            inner.allocate(s.n1, s.shape, UsedBy::gang);
        }
        CHECK(s.cluster == middle);
    }
    CHECK(s.cluster == before);
}

TEST_CASE("trial: any sequence of charges and releases rolls back exactly") {
    tests::Random random;
    Setup s;
    std::vector<AllocationId> held;
    for (int round = 0; round < 300; ++round) {
        const Cluster before = s.cluster;
        std::vector<AllocationId> open = held;
        Trial trial(s.cluster);
        for (std::int64_t steps = random.between(0, 12); steps > 0; --steps) {
            if (!open.empty() && random.one_in(2)) {
                const auto at = random.between(0, static_cast<std::int64_t>(open.size()) - 1);
                trial.release(open[static_cast<std::size_t>(at)]);
                open.erase(open.begin() + at);
            } else {
                const NodeIndex where = random.one_in(2) ? s.n1 : s.n2;
                const ShapeId shape = random.one_in(2) ? s.shape : s.gpu;
                const UsedBy used_by = random.one_in(2) ? UsedBy::gang : UsedBy::other_scheduler;
                open.push_back(trial.allocate(where, shape, used_by));
            }
        }
        if (random.one_in(3)) {
            trial.commit();
            held = open;
        } else {
            trial.roll_back();
            CHECK(s.cluster == before);
        }
    }
    for (const AllocationId allocation : held) s.cluster.allocations().release(allocation);
    CHECK(s.cluster.columns().cpu(View::free)[s.n1.value] == 8000);
    CHECK(s.cluster.columns().cpu(View::without_gangs)[s.n2.value] == 8000);
}
