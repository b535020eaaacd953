#include "core/cluster/allocation/amount_table.hpp"

#include "core/value/exclusive.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

TEST_CASE("amount table: equal ones have one number, and hold their names once") {
    core::AmountTable amounts;
    core::ExtendedNames names;
    core::Resources gpus = build::resources("2", "1Gi");
    gpus.extended = {{"nvidia.com/gpu", 3}};
    const core::ResourcesId id = amounts.intern(gpus, names);
    CHECK(amounts.intern(gpus, names) == id);
    CHECK(amounts[id] == gpus);
    CHECK(amounts.demand(id).cpu_milli == 2000);
    REQUIRE(amounts.demand(id).extended.size() == 1);
    CHECK(amounts.demand(id).extended[0].amount == 3);
    CHECK(amounts.demand(id).wants_listed);
    CHECK(names.references() == 1);
    CHECK(amounts.names_held() == 1);
    amounts.release(id, names);
    CHECK(names.references() == 1);
    amounts.release(id, names);
    CHECK(names.references() == 0);
    CHECK(amounts.references() == 0);
}

TEST_CASE("amount table: those with cards hold those without") {
    core::AmountTable amounts;
    core::ExtendedNames names;
    core::Resources units = build::resources("1");
    units.extended = {{"alnair/vgpu-memory", 4}};
    const core::ResourcesId plain = amounts.intern(units, names);
    CHECK(amounts.demand(plain).wants_cards);
    CHECK(amounts.without_cards(plain) == plain);
    CHECK(amounts.add_cards(plain, {}, names) == plain);
    const core::ResourcesId with =
        amounts.add_cards(plain, {{core::card_name("alnair/vgpu-memory", "U1"), 4}}, names);
    CHECK(with != plain);
    CHECK(amounts.without_cards(with) == plain);
    CHECK(amounts.held_by_amounts() == 1);
    CHECK(amounts.references() == 2);
    amounts.release(with, names);
    CHECK(amounts.references() == 0);
    CHECK(names.references() == 0);
}

TEST_CASE("amount table: of what every node offers a node takes so many pods at most") {
    core::AmountTable amounts;
    core::ExtendedNames names;
    core::Resources port = build::resources("1");
    port.extended = {{"host port 80", core::exclusive_all}};
    const core::Demand& demand = amounts.demand(amounts.intern(port, names));
    CHECK(demand.wants_exclusive);
    CHECK_FALSE(demand.wants_listed);
    CHECK(demand.at_most == 1);
}
