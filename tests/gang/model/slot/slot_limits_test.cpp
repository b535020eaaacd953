// What slots leave behind, and cards of those who ask for some.
#include "gang/model/slot/card_policy.hpp"
#include "gang/model/slot/pending_releases.hpp"

#include "tests/gang/builders.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::Application;
using tests::Known;

TEST_CASE("pending releases: of each resource, what is left behind alone makes no node too full") {
    struct Case {
        std::string what;
        core::Resources executor;
        core::Resources left;
        bool is_too_full;
    };
    constexpr std::int64_t mi = tests::mebibyte;
    const std::vector<Case> cases = {
        {"nothing is short", {100, mi, 0, {}}, {100, mi, 0, {}}, false},
        {"cpu is left behind", {1'000, mi, 0, {}}, {8'000, mi, 0, {}}, false},
        {"cpu is short", {9'000, mi, 0, {}}, {8'000, mi, 0, {}}, true},
        {"memory is left behind", {100, mi, 0, {}}, {100, 1'024 * mi, 0, {}}, false},
        {"memory is short", {100, 1'025 * mi, 0, {}}, {100, 1'024 * mi, 0, {}}, true},
        {"disk is left behind", {100, mi, 10, {}}, {100, mi, 100, {}}, false},
        {"disk is short", {100, mi, 101, {}}, {100, mi, 100, {}}, true},
        {"dongles are left behind", {100, mi, 0, {{"ex.com/dongle", 1}}}, {100, mi, 0, {{"ex.com/dongle", 2}}}, false},
        {"dongles are short", {100, mi, 0, {{"ex.com/dongle", 3}}}, {100, mi, 0, {{"ex.com/dongle", 2}}}, true},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        Known known;
        core::Node node = tests::node("n1", 8, 1'024);
        node.allocatable.ephemeral_bytes = 100;
        node.allocatable.extended = {{"ex.com/dongle", 2}};
        known.model.cluster_model.upsert_node(node);
        core::Pod made = tests::driver("d1");
        gang::PodEntry& entry = known.add(made);
        Application& app = known.model.gangs.ensure(entry, true);
        known.model.shapes.add(app, {0, 1, 0, {}, false}, one.executor, {});
        const core::NodeIndex index = *known.model.cluster.nodes().find("n1");
        known.model.ledger.add_open(app, 0, index, 1);
        known.model.ledger.releases().hold(app, "n1", one.left, 2);
        CHECK(known.model.ledger.releases().is_overcommitted_for(index, app.declared.shapes[0].id) == one.is_too_full);
    }
}

TEST_CASE("pending releases: pods that are left behind alone make no node too full") {
    for (const int pods : {1, 2}) {
        CAPTURE(pods);
        Known known;
        core::Node node = tests::node("n1", 64, 65'536);
        node.pods = 2;  // the driver is one of them
        known.model.cluster_model.upsert_node(node);
        Application& app = known.add_gang("d1", "n1", pods);
        const core::NodeIndex index = *known.model.cluster.nodes().find("n1");
        known.model.ledger.releases().hold(app, app.slots[0], 2);
        CHECK(known.model.ledger.releases().is_overcommitted_for(index, app.declared.shapes[0].id) == (pods == 2));
    }
}

TEST_CASE("pending releases: room is free with what is written, and not with what was written before") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 1);
    gang::PendingReleases& releases = known.model.ledger.releases();
    releases.finish(app, 9);  // there are none
    CHECK_FALSE(app.pending_releases.is_made());
    releases.hold(app, app.slots[0], 2);
    releases.finish(app, 1);
    CHECK(releases.size() == 1);
    releases.finish(app, 2);
    CHECK(releases.size() == 0);
    CHECK_FALSE(app.pending_releases.is_made());
}

TEST_CASE("card policy: a gang's own packing says which card, else that of its profile, if there is one") {
    config::Schema schema;
    config::Schema without;
    without.profiles.clear();
    schema.profiles.resize(1);
    config::Profile& profile = schema.profiles.front();
    profile.scheduler_name = "gang-scheduler";
    profile.packing = core::PackingPolicy::least_allocated;
    profile.scores.clear();
    for (const bool has_profile : {false, true}) {
        CAPTURE(has_profile);
        Known known(has_profile ? schema : without);
        known.add_node("n1", 8);
        Application& app = known.add_gang("d1", "n1", 1);
        core::Resources ask{100, 1, 0, {{"volcano.sh/gpu-memory", 4}}};
        core::add_card_ask(ask);
        known.model.shapes.add(app, {1, 1, 0, {}, false}, ask, {});
        app.slots.emplace_back().shape = 1;
        const gang::CardPolicy policy(known.model.cluster, known.model.pods, known.model.schema);
        const auto of_profile = core::card_choice(core::PackingPolicy::least_allocated, nullptr);
        CHECK(of_profile != core::CardChoice::least_left);
        CHECK(policy.choice_of(app, app.slots[0]) == core::CardChoice::least_left);
        CHECK(policy.choice_of(app, app.slots[1]) == (has_profile ? of_profile : core::CardChoice::least_left));
        app.declared.packing = core::PackingPolicy::tightest;
        CHECK(policy.choice_of(app, app.slots[1]) == core::CardChoice::least_left);
        app.declared.packing = core::PackingPolicy::least_allocated;
        CHECK(policy.choice_of(app, app.slots[1]) == of_profile);
        CHECK(policy.choice_of(app, app.slots[0]) == core::CardChoice::least_left);
        app.slots.pop_back();
    }
}
