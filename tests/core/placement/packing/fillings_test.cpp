// Level by level the same nodes are chosen as one by one by rank.
#include "core/placement/packing/packing.hpp"

#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("level filling: the nodes that ranks choose, whatever the policy") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int round = 0; round < 60; ++round) {
        core::Cluster cluster;
        const int nodes = static_cast<int>(random.between(1, 150));
        for (int i = 0; i < nodes; ++i) {
            const std::int64_t cores = random.one_in(8) ? random.between(600, 900)
                                                        : random.between(0, 9);
            cluster.upsert_node(build::node("n" + std::to_string(1000 + i))
                                    .cpu(cores)
                                    .memory("64Ti")
                                    .pods(10'000));
        }
        const core::ShapeId shape = cluster.intern_shape(build::resources("1"), {});
        core::PlacementView view;
        core::PlannedPods planned(view);
        core::BorrowedCapacities borrowed(view);
        core::NodeRanking ranking(view, planned);
        core::RankedFilling by_rank(ranking);
        core::LevelFilling by_level(ranking, by_rank);
        view.begin(cluster, core::View::free, {}, core::CardChoice::least_left);
        planned.begin();
        const core::Capacities& capacities = borrowed.of(shape);
        if (capacities.total() == 0) continue;
        for (const auto policy :
             {core::PackingPolicy::tightest, core::PackingPolicy::fewest_nodes}) {
            const std::int64_t wanted = random.between(1, capacities.total());
            std::vector<core::PositionCount> ranked;
            ranking.begin(shape, policy);
            CHECK(by_rank.take(1, wanted, capacities, ranked) == 0);
            core::sort_by_position(ranked);
            CHECK(by_level.fill(wanted, capacities, shape, policy) == ranked);
        }
        borrowed.end();
    }
}
