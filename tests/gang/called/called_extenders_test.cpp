// Extenders of others are asked where pods may go, and what they say is kept to.
#include "gang/called/called_extenders.hpp"

#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using tests::says;
using tests::World;

namespace {

config::Schema calling(std::vector<std::string> managed = {}) {
    config::Schema schema = World::sealed_schema();
    config::CalledExtender one;
    one.url_prefix = "http://a";
    one.filter_verb = "filter";
    one.managed_resources = std::move(managed);
    schema.extenders = {one};
    return schema;
}

/// Three nodes, and an extender that lets pods go to `passing` of those it is asked about.
struct CallingWorld : World {
    explicit CallingWorld(config::Schema schema = calling()) : World(std::move(schema)) {
        for (const char* name : {"n1", "n2", "n3"}) {
            add_node(tests::node(name, 8, 64 * 1024));
        }
        extenders = [this](const gang::AskExtenders& question) {
            return is_silent ? std::nullopt : std::optional(answer_to(question));
        };
        advance(100);
    }

    gang::ExtendersAnswered answer_to(const gang::AskExtenders& question) const {
        gang::ExtendersAnswered answer;
        answer.problem = problem;
        answer.points = points;
        answer.refusal = refusal;
        for (const std::string& node : question.nodes) {
            if (std::find(passing.begin(), passing.end(), node) != passing.end()) {
                answer.nodes.push_back(node);
            }
        }
        return answer;
    }
    /// "n1 n2": the nodes on which its slots are.
    std::string nodes_of_slots(const std::string& driver) {
        std::string nodes;
        const gang::Reservation held = *reservation(driver);
        for (const auto& shape : held.shapes) {
            for (const auto& [node, count] : shape.slots_per_node) {
                nodes += (nodes.empty() ? "" : " ") + node;
            }
        }
        return nodes;
    }

    std::vector<std::string> passing = {"n1", "n2", "n3"};
    std::vector<core::NodePoints> points;
    std::string problem;
    std::string refusal;
    bool is_silent = false;
};

}  // namespace

TEST_CASE("called extenders: none in the file, nobody is asked") {
    CallingWorld world(World::sealed_schema());
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    CHECK(world.is_bound(driver));
    CHECK(world.extender_questions.empty());
}

TEST_CASE("called extenders: EXT-19: a gang goes where they let it, and where they like it best") {
    CallingWorld world;
    world.passing = {"n1", "n2"};
    world.points = {{"n2", 200}};
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    REQUIRE(world.is_bound(driver));
    CHECK(world.node_of(driver) == "n2");
    CHECK(world.nodes_of_slots(driver) == "n2");
}

TEST_CASE("called extenders: EXT-19: its executors pass the filter, too") {
    CallingWorld world;
    world.extenders = [&world](const gang::AskExtenders& question) {
        world.passing = {question.is_to_come ? "n3" : "n1"};
        return std::optional(world.answer_to(question));
    };
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    REQUIRE(world.is_bound(driver));
    CHECK(world.node_of(driver) == "n1");
    CHECK(world.nodes_of_slots(driver) == "n3");
}

TEST_CASE("called extenders: EXT-19: each kind of executors goes where its own answer lets it") {
    CallingWorld world;
    world.extenders = [&world](const gang::AskExtenders& question) {
        world.passing = {question.requests.cpu_milli == 2'000 ? "n3" : "n1"};
        return std::optional(world.answer_to(question));
    };
    core::Pod driver = tests::driver("etl");
    driver.annotations = {
        {"yunikorn.apache.org/task-group-name", "spark-driver"},
        {"yunikorn.apache.org/task-groups",
         "task groups\ngroup spark-driver 1\nrequest cpu 1\ngroup small 1\nrequest cpu 1\n"
         "group large 1\nrequest cpu 2\n"}};
    const std::string uid = world.submit(driver, tests::conf(1));
    world.advance(2'000);
    REQUIRE(world.is_bound(uid));
    CHECK(world.extender_questions.size() == 3);
    CHECK(world.nodes_of_slots(uid) == "n1 n3");
}

TEST_CASE("called extenders: an answer that is old leaves nothing of itself in the next question") {
    CallingWorld world;
    core::Pod others = tests::pod("others", 8'000, 64);
    others.scheduler_name = "default-scheduler";
    others.node_name = "n1";
    world.create(others);
    world.passing = {"n1"};
    core::Pod driver = tests::driver("etl");
    driver.constraints.edit().node_selector = {{"disk", "ssd"}};
    for (const char* name : {"n1", "n2", "n3"}) {
        world.change_node(name, [](core::Node& node) { node.labels = {{"disk", "ssd"}}; });
    }
    const std::string uid = world.submit(driver, tests::conf(0));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(uid));
    REQUIRE(world.extender_questions.size() == 1);
    SUBCASE("another node passes") {
        world.passing = {"n2"};
        world.advance(31'000);
        CHECK(world.node_of(uid) == "n2");
        REQUIRE(world.extender_questions.size() == 2);
        CHECK(world.extender_questions.back().nodes.size() == 3);
    }
    SUBCASE("it may go to no node by itself: nobody is asked, and that alone is said") {
        for (const char* name : {"n1", "n2", "n3"}) {
            world.change_node(name, [](core::Node& node) { node.labels.clear(); });
        }
        world.advance(31'000);
        CHECK(world.extender_questions.size() == 1);
        says(world, uid, "no node is eligible. 3 did not match the node selector");
    }
}

TEST_CASE("called extenders: who was refused after an error is asked about again") {
    CallingWorld world;
    world.problem = "it is out of its mind";
    const std::string driver = world.submit("etl", 0, 1);
    world.advance(2'500);
    world.problem.clear();
    world.passing = {};
    world.advance(5'000);
    says(world, driver, "lets it go to no node");
    world.passing = {"n1"};
    world.advance(40'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("called extenders: a node that they were not asked about takes nobody when it is open again") {
    CallingWorld world;
    world.change_node("n3", [](core::Node& node) { node.unschedulable = true; });
    SUBCASE("while others were asked about") {
        world.passing = {"n1", "n2"};
        const std::string fills = world.submit("fills", 15, 1);
        const std::string waits = world.submit("waits", 1, 2);
        world.advance(2'000);
        REQUIRE(world.is_bound(fills));
        world.change_node("n3", [](core::Node& node) { node.unschedulable = false; });
        world.advance(10'000);
        CHECK_FALSE(world.is_bound(waits));
        world.passing = {"n1", "n2", "n3"};
        world.advance(40'000);
        CHECK(world.is_bound(waits));
    }
    SUBCASE("while there was none to ask about: they are asked then") {
        for (const char* name : {"n1", "n2"}) {
            world.change_node(name, [](core::Node& node) { node.unschedulable = true; });
        }
        world.passing = {};
        const std::string waits = world.submit("waits", 1, 1);
        world.advance(2'000);
        CHECK(world.extender_questions.empty());
        world.change_node("n3", [](core::Node& node) { node.unschedulable = false; });
        world.advance(5'000);
        CHECK(world.extender_questions.size() == 2);
        CHECK_FALSE(world.is_bound(waits));
        says(world, waits, "lets it go to no node");
        world.passing = {"n3"};
        world.advance(40'000);
        CHECK(world.is_bound(waits));
    }
}

TEST_CASE("called extenders: EXT-20: one question for each kind of pod, whoever many they are") {
    CallingWorld world;
    const std::string blocker = world.submit("first", 20, 1);
    world.advance(1'000);
    REQUIRE(world.is_bound(blocker));
    REQUIRE(world.extender_questions.size() == 2);
    CHECK_FALSE(world.extender_questions.front().is_to_come);
    CHECK(world.extender_questions.back().is_to_come);
    CHECK(world.extender_questions.back().nodes == std::vector<std::string>{"n1", "n2", "n3"});
    SUBCASE("executors that come into their slots are not asked about") {
        const auto executors = world.create_executors(blocker, 20);
        world.advance(2'000);
        CHECK(world.is_bound(executors.back()));
        CHECK(world.extender_questions.size() == 2);
    }
    SUBCASE("an answer counts for thirty seconds") {
        const std::string waits = world.submit("second", 20, 2);
        world.advance(20'000);
        CHECK_FALSE(world.is_bound(waits));
        CHECK(world.extender_questions.size() == 4);
        world.advance(12'000);
        CHECK(world.extender_questions.size() == 6);
    }
    SUBCASE("or until nodes change") {
        const std::string waits = world.submit("second", 20, 2);
        world.advance(5'000);
        CHECK(world.extender_questions.size() == 4);
        world.passing = {"n1", "n2", "n3", "n4"};
        world.add_node(tests::node("n4", 32, 64 * 1024));
        world.advance(2'000);
        CHECK(world.extender_questions.size() == 6);
        CHECK(world.extender_questions.back().nodes.back() == "n4");
        CHECK(world.is_bound(waits));
    }
}

TEST_CASE("called extenders: EXT-19: one that fails keeps the gang waiting, and is asked again") {
    CallingWorld world;
    world.problem = "extender http://a: it names node \"n9\", which it was not asked about";
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "names node \"n9\", which it was not asked about; needs 1 driver + 4 "
        "executors (5 cpu, 7040Mi memory) [WaitingForExtender]");
    CHECK(world.pod(driver).scheduled->reason == "SchedulingSkipped");
    CHECK(world.scheduler->counters().extenders_failed >= 2);
    world.problem.clear();
    world.advance(5'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("called extenders: EXT-19: no node passes, and it is said why") {
    CallingWorld world;
    world.passing = {};
    world.refusal = "n1: no licence is free";
    const std::string driver = world.submit("etl", 2, 1);
    const std::string lone = world.create(tests::pod("lone", 100, 64));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(driver));
    CHECK_FALSE(world.is_bound(lone));
    says(
        world,
        driver,
        "an extender lets it go to no node: n1: no licence is free; needs 1 driver + 2 executors (3 cpu, "
        "4224Mi memory) [WaitingForExtender]");
    world.passing = {"n2"};
    world.advance(31'000);
    CHECK(world.node_of(driver) == "n2");
    CHECK(world.node_of(lone) == "n2");
}

TEST_CASE("called extenders: one that is silent delays others by a second") {
    CallingWorld world(calling({"example.com/card"}));
    for (const char* name : {"n1", "n2", "n3"}) {
        world.change_node(
            name, [](core::Node& node) { node.allocatable.extended = {{"example.com/card", 4}}; });
    }
    world.is_silent = true;
    core::Pod asking = tests::pod("asking", 100, 64);
    asking.requests.extended = {{"example.com/card", 1}};
    const std::string waits = world.create(std::move(asking));
    world.advance(100);
    const std::string other = world.submit("other", 2, 2'000);
    world.advance(500);
    CHECK_FALSE(world.is_bound(other));
    world.advance(2'000);
    CHECK(world.is_bound(other));
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "an extender has not answered yet [WaitingForExtender]");
    CHECK(world.extender_questions.size() == 1);  // about pods with a card alone
    gang::ExtendersAnswered answer = world.answer_to(world.extender_questions.front());
    answer.question = world.extender_questions.front().question;
    world.step(answer);
    world.advance(100);
    CHECK(world.is_bound(waits));
}

TEST_CASE("called extenders: answers to questions of before are nobody's") {
    CallingWorld world;
    world.is_silent = true;
    const std::string driver = world.submit("etl", 2, 1);
    world.advance(100);
    REQUIRE(world.extender_questions.size() == 2);
    gang::ExtendersAnswered stray = world.answer_to(world.extender_questions.front());
    stray.question = "uid-00001/0/99";
    world.step(stray);
    world.advance(100);
    CHECK_FALSE(world.is_bound(driver));
    world.is_silent = false;
    SUBCASE("of a pod that has changed meanwhile") {
        world.change_pod(driver, [](core::Pod& pod) { pod.requests.cpu_milli = 2'000; });
        world.advance(100);
        for (const gang::AskExtenders& question : std::vector(world.extender_questions)) {
            gang::ExtendersAnswered answer = world.answer_to(question);
            answer.question = question.question;
            world.step(answer);
        }
        world.advance(1'500);
        CHECK(world.is_bound(driver));
        REQUIRE(world.extender_questions.size() == 4);
        CHECK(world.extender_questions[2].requests.cpu_milli == 2'000);
    }
    SUBCASE("of a pod that is gone") {
        world.remove_application(driver);
        for (const gang::AskExtenders& question : std::vector(world.extender_questions)) {
            gang::ExtendersAnswered answer = world.answer_to(question);
            answer.question = question.question;
            world.step(answer);
        }
        world.advance(61'000);
        CHECK(world.scheduler->remembered() == 0);
    }
}

TEST_CASE("called extenders: one that fails is asked after pauses that double, up to half a minute, and begin anew") {
    CallingWorld world(calling({"example.com/card"}));
    for (const char* name : {"n1", "n2", "n3"}) {
        world.change_node(
            name, [](core::Node& node) { node.allocatable.extended = {{"example.com/card", 4}}; });
    }
    world.advance(100);
    std::vector<std::int64_t> asked;
    const std::int64_t begin_ms = world.now_ms;
    world.on_decision = [&](const gang::Decision& decision) {
        if (std::holds_alternative<gang::AskExtenders>(decision)) {
            asked.push_back(world.now_ms - begin_ms);
        }
    };
    world.problem = "it is out of its mind";
    core::Pod pod = tests::pod("asking", 100, 64);
    pod.requests.extended = {{"example.com/card", 1}};
    const std::string waits = world.create(std::move(pod));
    world.advance(100'000);
    CHECK(asked == std::vector<std::int64_t>{0, 1'000, 3'000, 7'000, 15'000, 31'000, 61'000, 91'000});
    world.problem.clear();
    world.passing = {};
    world.advance(22'000);  // it answers once: no node passes, for thirty seconds
    says(world, waits, "an extender lets it go to no node [WaitingForExtender]");
    asked.clear();
    world.problem = "again";
    world.advance(33'000);
    REQUIRE(asked.size() == 3);
    CHECK(asked[1] - asked[0] == 1'000);
    CHECK(asked[2] - asked[1] == 2'000);
}

TEST_CASE("called extenders: thirty-two questions are under way at most") {
    CallingWorld world;
    world.is_silent = true;
    std::vector<std::string> pods;
    for (int i = 0; i < 40; ++i) {
        pods.push_back(world.create(tests::pod("lone" + std::to_string(i), 100, 64)));
    }
    world.advance(5'000);
    CHECK(world.extender_questions.size() == 32);
    gang::ExtendersAnswered answer = world.answer_to(world.extender_questions.front());
    answer.question = world.extender_questions.front().question;
    world.step(answer);
    world.settle();
    CHECK(world.extender_questions.size() == 33);
    CHECK(world.bound_count(pods) == 1);
}

TEST_CASE("called extenders: however often nodes come, nobody is asked about twice in a second") {
    CallingWorld world;
    world.passing = {};
    world.create(tests::pod("lone", 100, 64));
    world.settle();
    REQUIRE(world.extender_questions.size() == 1);
    for (int i = 0; i < 20; ++i) {
        world.add_node(tests::node("more" + std::to_string(i), 1, 1024));
        world.advance(100);
    }
    CHECK(world.extender_questions.size() == 3);
}

TEST_CASE("called extenders: each is asked about the kinds of pods that it manages alone") {
    config::Schema schema = calling({"example.com/card"});
    config::CalledExtender all = schema.extenders.front();
    all.url_prefix = "http://b";
    all.managed_resources.clear();
    schema.extenders.push_back(all);
    CallingWorld world(std::move(schema));
    world.change_node("n2", [](core::Node& node) {
        node.allocatable.extended = {{"example.com/card", 4}};
    });
    world.create(tests::pod("plain", 100, 64));
    world.settle();
    core::Pod card = tests::pod("card", 200, 64);
    card.requests.extended = {{"example.com/card", 1}};
    const std::string uid = world.create(card);
    world.settle();
    REQUIRE(world.extender_questions.size() == 2);
    CHECK(world.extender_questions[0].extenders == std::vector<std::int64_t>{1});
    CHECK(world.extender_questions[0].nodes == std::vector<std::string>{"n1", "n2", "n3"});
    CHECK(world.extender_questions[1].extenders == std::vector<std::int64_t>{0, 1});
    CHECK(world.extender_questions[1].nodes == std::vector<std::string>{"n2"});
    CHECK(world.extender_questions[1].pod.uid == uid);
    CHECK(world.extender_questions[1].requests.cpu_milli == 200);
    CHECK(world.scheduler->counters().extenders_asked == 2);
}

TEST_CASE("called extenders: executors that may go nowhere keep their driver waiting, and it is said") {
    CallingWorld world;
    world.extenders = [&world](const gang::AskExtenders& question) {
        gang::ExtendersAnswered answer = world.answer_to(question);
        if (question.is_to_come) {
            answer.nodes.clear();
        }
        return std::optional(answer);
    };
    const std::string driver = world.submit("etl", 2, 1);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "an extender lets its executors go to no node; needs 1 driver");
}

TEST_CASE("called extenders: another term asks anew, and answers of the one before are nobody's") {
    CallingWorld world;
    world.is_silent = true;
    const std::string lone = world.create(tests::pod("lone", 100, 64));
    world.settle();
    REQUIRE(world.extender_questions.size() == 1);
    const gang::AskExtenders before = world.extender_questions.front();
    world.lose_lead();
    world.settle();
    world.lead();
    world.advance(5'000);
    REQUIRE(world.extender_questions.size() == 2);
    gang::ExtendersAnswered late = world.answer_to(before);
    late.question = before.question;
    world.step(late);
    world.settle();
    CHECK_FALSE(world.is_bound(lone));
    gang::ExtendersAnswered answer = world.answer_to(world.extender_questions.back());
    answer.question = world.extender_questions.back().question;
    world.step(answer);
    world.settle();
    CHECK(world.is_bound(lone));
}

TEST_CASE("called extenders: a slot that moves keeps off the nodes that the last answer refused") {
    CallingWorld world;
    world.extenders = [&world](const gang::AskExtenders& question) {
        world.passing = {question.is_to_come ? "n2" : "n1"};
        return std::optional(world.answer_to(question));
    };
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    REQUIRE(world.is_bound(driver));
    REQUIRE(world.nodes_of_slots(driver) == "n2");
    const std::size_t questions = world.extender_questions.size();
    world.remove_node("n2");
    world.advance(2'000);
    CHECK(world.view(driver).slots_open == 0);  // n1 and n3 have room, and were refused
    SUBCASE("a node that came since was not") {
        world.add_node(tests::node("n4", 8, 64 * 1024));
        world.advance(2'000);
        CHECK(world.nodes_of_slots(driver) == "n4");
        CHECK(world.view(driver).slots_open == 4);
    }
    SUBCASE("another leader does not know of it") {
        world.restart();
        world.advance(60'000);
        CHECK(world.view(driver).slots_open == 4);
    }
    CHECK(world.extender_questions.size() == questions);
    world.remove_application(driver);
    world.advance(1'200'000);  // timers of pods that are gone run out
    CHECK(world.scheduler->remembered() == 0);
}
