#include "gang/model/slot/pod_allocations.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

using tests::Known;

TEST_CASE("pod allocations: a pod takes room by itself unless a slot does, until it is gone") {
    Known known;
    known.add_node("n1", 8);
    gang::Application& app = known.add_gang("d1", "n1", 1);
    gang::PodAllocations& allocations = known.model.ledger.pod_allocations();
    const auto& pods = known.model.cluster.pods();
    gang::PodEntry& executor = known.add_executor("e1", app, "n1");
    allocations.settle(executor);
    CHECK(pods.find("e1").has_value());
    known.model.ledger.assign(app, 0, executor);
    allocations.settle(executor);
    CHECK_FALSE(pods.find("e1").has_value());
    known.model.ledger.take_out(app, 0);
    CHECK(pods.find("e1").has_value());
    allocations.forget(executor);
    CHECK_FALSE(pods.find("e1").has_value());
}
