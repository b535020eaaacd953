#include "gang/life/cluster_events.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

using tests::Known;

TEST_CASE("cluster events: a node's cost is its label, and no whole number costs nothing") {
    Known known;
    gang::ClusterEvents events(known.model);
    const auto cost_of = [&](const char* text) {
        core::Node node = tests::node("n1", 4, 1'024);
        if (text != nullptr) {
            node.labels = {{"cost", text}};
        }
        events.on(gang::NodeUpserted{node});
        return known.model.cluster.nodes().node(*known.model.cluster.nodes().find("n1")).cost;
    };
    CHECK(cost_of(nullptr) == 0);
    CHECK(cost_of("7") == 7);
    CHECK(cost_of("-3") == -3);
    CHECK(cost_of("7.5") == 0);
    CHECK(cost_of("cheap") == 0);
    CHECK(cost_of("99999999999999999999") == 0);
}

TEST_CASE("cluster events: a list that is broken off and begun again is under way") {
    Known known;
    gang::ClusterEvents events(known.model);
    using gang::ListState;
    CHECK(known.model.pods_list == ListState::never);
    events.on(gang::RelistBegun{gang::Kind::pods});
    events.on(gang::RelistBegun{gang::Kind::pods});
    CHECK(known.model.pods_list == ListState::under_way);
    CHECK(known.model.nodes_list == ListState::never);
    events.on(gang::RelistEnded{gang::Kind::pods});
    CHECK(known.model.pods_list == ListState::complete);
}

TEST_CASE("cluster events: a node that goes is known no more") {
    Known known;
    gang::ClusterEvents events(known.model);
    events.on(gang::NodeUpserted{tests::node("n1", 4, 1'024)});
    events.on(gang::NodeDeleted{"n1"});
    CHECK_FALSE(known.model.cluster.nodes().find("n1"));
}

TEST_CASE("cluster events: cards that cannot be read are said once, and anew once they could be read") {
    Known known;
    gang::ClusterEvents events(known.model);
    const auto said_after = [&](const std::string& problem, const std::string& uid) {
        core::Node node = tests::node("n1", 4, 1'024);
        node.uid = uid;
        node.cards = core::NodeCards{"example.com/card", {}, problem};
        events.on(gang::NodeUpserted{node});
        std::vector<gang::Decision> decisions;
        events.report_unreadable(decisions);
        return decisions.size();
    };
    CHECK(said_after("no number", "a") == 1);
    CHECK(said_after("no number", "a") == 0);
    CHECK(said_after("too many", "a") == 1);
    CHECK(said_after("too many", "b") == 1);  // another node of that name
    CHECK(said_after("", "b") == 0);
    CHECK(said_after("too many", "b") == 1);
    events.on(gang::NodeDeleted{"n1"});
    CHECK(said_after("too many", "b") == 1);
}

TEST_CASE("cluster events: of several nodes whose cards cannot be read each is said once") {
    Known known;
    gang::ClusterEvents events(known.model);
    const auto comes = [&](const std::string& name) {
        core::Node node = tests::node(name, 4, 1'024);
        node.cards = core::NodeCards{"example.com/card", {}, "no number"};
        events.on(gang::NodeUpserted{node});
    };
    const auto told = [&] {
        std::vector<gang::Decision> decisions;
        events.report_unreadable(decisions);
        std::vector<std::string> nodes;
        for (const gang::Decision& decision : decisions) {
            const auto& event = std::get<gang::RecordEvent>(decision);
            CHECK(event.warning);
            CHECK(event.is_about_node);
            CHECK(event.pod.namespace_name == "default");
            CHECK(event.pod.uid == "node-" + event.pod.name);
            CHECK(event.reason == "UnreadableCards");
            CHECK(event.message == "no number; its cards are unknown");
            nodes.push_back(event.pod.name);
        }
        return nodes;
    };
    using Names = std::vector<std::string>;
    comes("n2");
    comes("n3");
    CHECK(told() == Names{"n2", "n3"});
    CHECK(told().empty());
    comes("n1");
    CHECK(told() == Names{"n1"});
}
