#include "gang/model/slot/card_policy.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

using tests::Known;

TEST_CASE("card policy: cards matter to those alone who ask for some") {
    Known known;
    known.add_node("n1", 8);
    gang::Application& app = known.add_gang("d1", "n1", 1);
    app.declared.packing = core::PackingPolicy::fewest_nodes;
    const gang::CardPolicy policy(known.model.cluster, known.model.pods, known.model.schema);
    CHECK(policy.choice_of(app, app.slots[0]) == core::CardChoice::least_left);
    CHECK(policy.use_of(known.model.pods.at("d1").pod).said.empty());
}
