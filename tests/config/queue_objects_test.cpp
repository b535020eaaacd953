// Queue objects of Volcano and kube-batch beside the queues of a file.
#include "config/loader.hpp"
#include "config/queues/queue_objects.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

config::Schema file(const std::string& text) {
    const auto read = config::load(text, "f");
    REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
    return read->schema;
}

core::QueueObject object(const std::string& name, const std::string& parent = "") {
    core::QueueObject made;
    made.name = name;
    made.parent = parent;
    return made;
}

const config::Queue* find_queue(const config::WithQueueObjects& both, const std::string& name) {
    const auto& queues = both.schema.queues;
    const auto found = std::find_if(
        queues.begin(), queues.end(), [&name](const auto& one) { return one.name == name; });
    return found == queues.end() ? nullptr : &*found;
}

/// The only problem; empty: none.
std::string problem(const config::WithQueueObjects& both) {
    REQUIRE(both.problems.size() <= 1);
    return both.problems.empty() ? "" : both.problems.front();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("queue objects: what an object says becomes what the file could have said") {
    core::QueueObject q = object("q");
    q.weight = 3;
    q.capability = {{"cpu", 8000}, {"nvidia.com/gpu", 4}};
    q.guarantee = {{"cpu", 2000}};
    q.deserved = {{"cpu", 9000}, {"memory", 1024}};
    q.is_closed = true;
    const auto both = config::add_queue_objects(file(""), {q});
    REQUIRE(both.problems.empty());
    const config::Queue* const made = find_queue(both, "root.q");
    REQUIRE(made != nullptr);
    CHECK(made->object == "q");
    CHECK(made->weight == 3);
    CHECK(made->limit == q.capability);
    CHECK(made->guarantee == config::ResourceAmounts{{"cpu", 8000}, {"memory", 1024}});
    CHECK(made->order == config::QueueOrder::priority);
    CHECK(made->state == config::QueueState::stopped);
    CHECK_FALSE(made->preemption.is_reclaimable);
    CHECK(both.schema.queue_objects.are_there);
    CHECK(both.schema.placement == file("queues: [{name: a}]").placement);
}

TEST_CASE("queue objects: without any the file stays as it is, but for the kind being there") {
    config::Schema expected = file("queues: [{name: etl}]");
    auto both = config::add_queue_objects(expected, {});
    expected.queue_objects.are_there = true;
    CHECK(both.schema == expected);
    CHECK(config::add_queue_objects(file(""), {}).schema.placement.empty());
}

TEST_CASE("queue objects: reclaim is the file's to allow, and the object's to forbid") {
    core::QueueObject kept = object("kept");
    kept.is_reclaimable = false;
    const auto both =
        config::add_queue_objects(file("queueObjects: {reclaim: true}"), {kept, object("q")});
    CHECK(find_queue(both, "root.q")->preemption.is_reclaimable);
    CHECK_FALSE(find_queue(both, "root.kept")->preemption.is_reclaimable);
}

TEST_CASE("queue objects: parents make a tree, of objects and of the file") {
    const auto both = config::add_queue_objects(
        file("queues: [{name: dept}]"),
        {object("a", "b"), object("b", "root"), object("c", "dept"), object("root")});
    CHECK(both.problems.empty());
    CHECK(find_queue(both, "root.b.a") != nullptr);
    CHECK(find_queue(both, "root.dept.c") != nullptr);
    CHECK(find_queue(both, "root") != nullptr);
}

TEST_CASE("queue objects: one that makes no sense is refused by name, and the others stand") {
    const auto check = [](core::QueueObject bad, const std::string& why) {
        const auto both = config::add_queue_objects(
            file("queues: [{name: etl, weight: 7}]"), {bad, object("good")});
        CAPTURE(why);
        CHECK(find_queue(both, "root.good") != nullptr);
        CHECK(both.schema.queues.size() == 2);
        CHECK(find_queue(both, "root.etl")->weight == 7);
        CHECK(has(problem(both), "Queue " + bad.name + " is not taken: "));
        CHECK_MESSAGE(has(problem(both), why), problem(both));
    };
    check(object("etl"), "the configuration has a queue root.etl itself");
    check(object("a.b"), "a dot in a name");
    check(object("lost"), "root.lost counts what runs");
    check(object("x", "nowhere"), "its parent nowhere is not found");
    check(object("x", "default"), "wait in its parent default");
    check(object("x", "x"), "a circle");
    check(object(std::string(60, 'q')), "longer than 63 characters");
    core::QueueObject bad = object("x");
    bad.weight = 0;
    check(bad, "its weight is 0, not from 1 to 65535");
    bad = object("x");
    bad.problem = "capability.cpu: expected a quantity";
    check(bad, bad.problem);
    bad = object("x");
    bad.capability = {{"pods", 3}};
    check(bad, "pods is not counted here");
    bad.capability = {{"cpu", 1000}};
    bad.guarantee = {{"cpu", 2000}};
    check(bad, "its guarantee of cpu is above its capability");
}

TEST_CASE("queue objects: with a parent those below it are refused") {
    core::QueueObject bad = object("a");
    bad.weight = -1;
    const auto both = config::add_queue_objects(
        file(""), {bad, object("b", "a"), object("c", "d"), object("d", "c")});
    CHECK(both.schema.queues.empty());
    REQUIRE(both.problems.size() == 4);
    CHECK(has(both.problems[1], "Queue b is not taken: of its parent a: its weight is -1"));
    CHECK(has(both.problems[2], "a circle"));
    CHECK(has(both.problems[3], "a circle"));
}
