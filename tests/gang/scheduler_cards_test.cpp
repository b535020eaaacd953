// Cards of nodes (VGPU-1 to VGPU-20), as far as they are about gangs, moves, recovery and what is
// written; the rest is in tests/core and tests/blackbox/placement/test_vgpu.py.

#include "core/value/device/card_ask.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using tests::World;

namespace {

const std::string units = "alnair/vgpu-memory";
const std::string chunk_key = "ai.centaurus.io/alnair-gpu-id";

core::Node card_node(const std::string& name, const std::vector<std::int64_t>& cards) {
    core::Node node = tests::node(name, 64, 256 * 1024);
    std::int64_t sum = 0;
    core::NodeCards said{units, {}, {}};
    for (const std::int64_t one : cards) {
        sum += one;
        said.cards.push_back({"U" + std::to_string(said.cards.size() + 1), one});
    }
    node.allocatable.extended = {{units, sum}};
    node.cards = said;
    return node;
}

core::Pod vgpu_pod(
    const std::string& name, std::int64_t amount, const std::string& scheduler = "gang-scheduler") {
    core::Pod pod = tests::pod(name, 100, 1);
    pod.scheduler_name = scheduler;
    pod.requests.extended = {{units, amount}};
    return pod;
}

/// As config/profiles/alnair-*.yaml have it.
config::Schema with_alnair() {
    config::Schema schema = World::sealed_schema();
    for (const auto& [name, score] :
         {std::pair("alnair-cost-saving", "most-allocated"),
          std::pair("alnair-high-performance", "least-allocated")}) {
        config::Profile& profile = schema.profiles.emplace_back();
        profile.scheduler_name = name;
        profile.scores = {{*core::find_score_id(score), 1, {{units, 1}}, {}}};
    }
    return schema;
}

std::string annotation(const World& world, const std::string& uid, const std::string& key) {
    const std::string* value = core::find_value(world.pod(uid).annotations, key);
    return value == nullptr ? "" : *value;
}

std::string cards_of(const World& world, const std::string& uid) {
    return annotation(world, uid, "gang-scheduler/cards");
}

void annotate(World& world, const std::string& uid, const std::string& key, std::string value) {
    world.change_pod(uid, [&](core::Pod& pod) {
        std::erase_if(pod.annotations, [&](const auto& entry) { return entry.first == key; });
        pod.annotations.emplace_back(key, std::move(value));
        std::sort(pod.annotations.begin(), pod.annotations.end());
    });
}

/// As Alnair's device plugin writes it.
void allocate(World& world, const std::string& uid, const std::string& card) {
    std::string chunks;
    const std::int64_t count = world.pod(uid).requests.extended_amount(units);
    for (std::int64_t i = 0; i < count; ++i) chunks += card + "_" + std::to_string(i) + ",";
    annotate(world, uid, chunk_key, chunks);
}

std::string create_foreign(World& world, const std::string& name, std::int64_t amount) {
    core::Pod pod = vgpu_pod(name, amount, "default-scheduler");
    pod.node_name = "n1";
    return world.create(pod);
}

gang::spark::Conf vgpu_conf(std::int64_t executors, int amount) {
    gang::spark::Conf conf = tests::conf(executors);
    conf = tests::with(conf, "spark.executor.resource.vgpu-memory.amount", std::to_string(amount));
    return tests::with(conf, "spark.executor.resource.vgpu-memory.vendor", "alnair");
}

std::string create_executor(
    World& world, const std::string& driver, const std::string& name, int amount) {
    core::Pod pod = tests::executor(name, world.pod(driver));
    pod.requests.extended = {{units, amount}};
    return world.create(pod);
}

}  // namespace

TEST_CASE("VGPU-3, VGPU-3b: cost saving takes the fullest card, high performance the emptiest") {
    World world(with_alnair());
    world.add_node(card_node("n1", {16}));
    world.add_node(card_node("n2", {16}));
    for (const auto& [node, amount] : {std::pair("n1", 8), std::pair("n2", 2)}) {
        core::Pod pod = vgpu_pod(std::string("there-") + node, amount, "default-scheduler");
        pod.node_name = node;
        allocate(world, world.create(pod), "U1");
        core::Pod proxy = tests::pod(std::string("kube-proxy-") + node, 100, 1);
        proxy.scheduler_name = "default-scheduler";
        proxy.node_name = node;
        world.create(proxy);
    }
    SUBCASE("cost saving") {
        const auto pod = world.create(vgpu_pod("saving", 4, "alnair-cost-saving"));
        world.settle();
        CHECK(world.node_of(pod) == "n1");
    }
    SUBCASE("high performance") {
        const auto pod = world.create(vgpu_pod("fast", 4, "alnair-high-performance"));
        world.settle();
        CHECK(world.node_of(pod) == "n2");
    }
    SUBCASE("VGPU-8: a pod without units goes anywhere") {
        core::Pod pod = tests::pod("plain", 100, 1);
        pod.scheduler_name = "alnair-high-performance";
        const auto plain = world.create(pod);
        world.settle();
        CHECK(world.is_bound(plain));
        CHECK(cards_of(world, plain).empty());
        CHECK(
            core::find_value(world.pod(plain).annotations, "ai.centaurus.io/scheduler-timestamp") ==
            nullptr);
    }
    CHECK(world.violations.empty());
}

TEST_CASE("VGPU-14: compute is counted for the node, beside the units of a card") {
    World world(with_alnair());
    core::Node node = card_node("n1", {16, 16});
    node.allocatable.extended.insert(
        node.allocatable.extended.begin(), {"alnair/vgpu-compute", 200});
    world.add_node(node);
    const auto create = [&](const std::string& name, std::int64_t compute) {
        core::Pod pod = vgpu_pod(name, 4, "alnair-cost-saving");
        pod.requests.extended.insert(
            pod.requests.extended.begin(), {"alnair/vgpu-compute", compute});
        const auto made = world.create(pod);
        world.settle();
        return made;
    };
    const auto first = create("first", 100);
    const auto second = create("second", 60);
    CHECK(cards_of(world, first) == "U1:4");
    CHECK(cards_of(world, second) == "U1:4");
    CHECK(world.is_bound(create("third", 40)));
    CHECK_FALSE(world.is_bound(create("fourth", 1)));  // though there are 20 units
    CHECK(world.violations.empty());
}

TEST_CASE("D-9: cards are chosen by what is on the card, not on the node") {
    World world(with_alnair());
    world.add_node(card_node("n1", {16, 16}));
    const auto first = world.create(vgpu_pod("a", 4, "alnair-high-performance"));
    world.settle();
    const auto second = world.create(vgpu_pod("b", 4, "alnair-high-performance"));
    world.settle();
    const auto third = world.create(vgpu_pod("c", 4, "alnair-cost-saving"));
    world.settle();
    CHECK(cards_of(world, first) == "U1:4");
    CHECK(cards_of(world, second) == "U2:4");
    CHECK(cards_of(world, third) == "U1:4");
}

TEST_CASE("VGPU-4, VGPU-15: the sample pods share a card, which each says with its bind") {
    World world(with_alnair());
    world.add_node(card_node("n1", {16}));
    const auto four = world.create(vgpu_pod("gpu-pod-04", 4));
    const auto six = world.create(vgpu_pod("gpu-pod-06", 6, "alnair-cost-saving"));
    world.settle();
    CHECK(cards_of(world, four) == "U1:4");
    CHECK(cards_of(world, six) == "U1:6");
    REQUIRE(world.binds.size() == 2);
    for (const gang::BindPod& bind : world.binds) {
        CHECK(core::find_value(bind.annotations, "ai.centaurus.io/scheduler-timestamp") != nullptr);
    }
}

TEST_CASE("VGPU-5: two at once go to two cards, though nobody has written anything yet") {
    World world(with_alnair());
    world.add_node(card_node("n1", {16}));
    world.add_node(card_node("n2", {16}));
    world.hold_bind_answers = true;
    const auto a = world.create(vgpu_pod("a", 10, "alnair-cost-saving"));
    const auto b = world.create(vgpu_pod("b", 10, "alnair-cost-saving"));
    world.settle();
    CHECK(world.is_bound(a));
    CHECK(world.is_bound(b));
    CHECK(world.node_of(a) != world.node_of(b));
}

TEST_CASE("VGPU-16: the device plugin's word moves the charge, and a slot that no longer fits") {
    World world;
    world.add_node(card_node("n1", {16, 16}));
    SUBCASE("the next pod goes to the card that is free in truth") {
        const auto ten = world.create(vgpu_pod("ten", 10));
        world.settle();
        CHECK(cards_of(world, ten) == "U1:10");
        allocate(world, ten, "U2");
        world.settle();
        const auto next = world.create(vgpu_pod("next", 10));
        world.settle();
        CHECK(cards_of(world, next) == "U1:10");
    }
    SUBCASE("also of a pod that runs for long, and after a restart") {
        const auto ten = world.create(vgpu_pod("ten", 10));
        world.settle();
        world.set_phase(ten, core::PodPhase::running);
        world.advance(120'000);
        allocate(world, ten, "U2");
        world.advance(120'000);
        world.restart();
        world.settle();
        const auto next = world.create(vgpu_pod("next", 10));
        world.settle();
        CHECK(cards_of(world, next) == "U1:10");
    }
    SUBCASE("an open slot goes to the other card of its node") {
        const auto ten = world.create(vgpu_pod("ten", 10));
        world.settle();
        const auto driver = world.submit(tests::driver("a"), vgpu_conf(1, 8));
        world.settle();
        REQUIRE(world.is_bound(driver));
        allocate(world, ten, "U2");
        world.settle();
        const auto executor = create_executor(world, driver, "exec-1", 8);
        world.settle();
        CHECK(cards_of(world, executor) == "U1:8");
        CHECK(world.node_of(executor) == "n1");
    }
    SUBCASE("or to another node, where no card of its own takes it") {
        const auto ten = world.create(vgpu_pod("ten", 10));
        world.settle();
        const auto driver = world.submit(tests::driver("a"), vgpu_conf(1, 8));
        world.settle();
        REQUIRE(world.is_bound(driver));
        world.add_node(card_node("n2", {8}));
        const auto other = create_foreign(world, "other", 9);
        world.settle();
        allocate(world, other, "U2");  // U1: 10, U2: 9, and the slot's 8 are too many
        world.settle();
        const auto executor = create_executor(world, driver, "exec-1", 8);
        world.settle();
        CHECK(world.node_of(executor) == "n2");
        CHECK(cards_of(world, executor) == "U1:8");
    }
    CHECK(world.violations.empty());
}

TEST_CASE("VGPU-16: who comes after an executor that the plugin put on two cards is promised one") {
    World world;
    world.add_node(card_node("n1", {8, 6}));
    const auto driver = world.submit(tests::driver("a"), vgpu_conf(1, 4));
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto first = create_executor(world, driver, "exec-1", 4);
    world.settle();
    REQUIRE(cards_of(world, first) == "U2:4");
    annotate(world, first, chunk_key, "U1_0,U1_1,U2_0,U2_1");
    world.settle();
    world.remove_pod(first);
    world.advance(1'000);
    const auto next = create_executor(world, driver, "exec-2", 4);
    world.settle();
    CHECK(cards_of(world, next) == "U2:4");
    CHECK(world.violations.empty());
}

TEST_CASE("VGPU-17: a foreign pod without a word counts on each card until there is one") {
    World world;
    world.add_node(card_node("n1", {16, 16}));
    const auto foreign = create_foreign(world, "theirs", 8);
    const auto twelve = world.create(vgpu_pod("twelve", 12));
    world.settle();
    CHECK_FALSE(world.is_bound(twelve));
    CHECK(
        world.condition(twelve).find(
            "no single GPU with 12 free alnair/vgpu-memory, best has 8 on n1/U1") !=
        std::string::npos);
    allocate(world, foreign, "U1");
    world.settle();
    CHECK(cards_of(world, twelve) == "U2:12");
    // Its units come back at once when it ends (VGPU-9).
    const auto next = world.create(vgpu_pod("next", 12));
    world.settle();
    CHECK_FALSE(world.is_bound(next));
    world.set_phase(foreign, core::PodPhase::succeeded);
    world.settle();
    CHECK(cards_of(world, next) == "U1:12");
}

TEST_CASE("VGPU-18: after a restart our own word says which card it was") {
    World world(with_alnair());
    world.add_node(card_node("n1", {16, 16}));
    const auto six = world.create(vgpu_pod("six", 6, "alnair-high-performance"));
    const auto ten = world.create(vgpu_pod("ten", 10, "alnair-high-performance"));
    world.settle();
    CHECK(cards_of(world, six) == "U1:6");
    CHECK(cards_of(world, ten) == "U2:10");
    world.restart();
    world.settle();
    const auto more = world.create(vgpu_pod("more", 10, "alnair-cost-saving"));
    world.settle();
    CHECK(cards_of(world, more) == "U1:10");
    const auto last = world.create(vgpu_pod("last", 6, "alnair-high-performance"));
    world.settle();
    CHECK(cards_of(world, last) == "U2:6");
}

TEST_CASE("VGPU-13, VGPU-19: a gang is packed card by card, or not admitted") {
    World world;
    world.add_node(card_node("n1", {6, 6, 6}));
    const auto driver = world.submit(tests::driver("a"), vgpu_conf(4, 4));
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find("1 + 3 fit") != std::string::npos);
    CHECK(
        world.condition(driver).find("no single GPU with 4 free alnair/vgpu-memory, best has 2") !=
        std::string::npos);
    world.add_node(card_node("n1", {6, 6, 6, 4}));
    world.settle();
    REQUIRE(world.is_bound(driver));
    SUBCASE("also after a restart") {
        create_executor(world, driver, "exec-0", 4);
        world.settle();
        world.restart();
        world.settle();
    }
    SUBCASE("at once") {}
    while (world.executors_of(driver).size() < 4) {
        create_executor(
            world, driver, "exec-" + std::to_string(world.executors_of(driver).size() + 1), 4);
    }
    world.settle();
    std::map<std::string, int> on;
    for (const std::string& executor : world.executors_of(driver)) {
        CHECK(world.is_bound(executor));
        ++on[cards_of(world, executor)];
    }
    CHECK(on == std::map<std::string, int>{{"U1:4", 1}, {"U2:4", 1}, {"U3:4", 1}, {"U4:4", 1}});
    const auto late = world.create(vgpu_pod("late", 4));
    world.settle();
    CHECK_FALSE(world.is_bound(late));
    CHECK(world.violations.empty());
}

TEST_CASE("VGPU-12, VGPU-20: unreadable cards: one Warning on the node, and its sum counts") {
    World world;
    core::Node node = card_node("n1", {8, 8});
    node.cards =
        core::NodeCards{units, {}, "annotation x is \"16,abc\": \"abc\" is no number of units"};
    world.add_node(node);
    const auto twelve = world.create(vgpu_pod("twelve", 12));
    world.settle();
    CHECK(world.is_bound(twelve));
    CHECK(cards_of(world, twelve).empty());
    world.change_node("n1", [](core::Node& changed) { changed.labels = {{"a", "b"}}; });
    world.advance(60'000);
    std::vector<gang::RecordEvent> about_nodes;
    for (const gang::RecordEvent& event : world.events) {
        if (event.is_about_node) about_nodes.push_back(event);
    }
    REQUIRE(about_nodes.size() == 1);
    CHECK(about_nodes[0].warning);
    CHECK(about_nodes[0].pod.name == "n1");
    CHECK(about_nodes[0].pod.uid == "node-n1");
    CHECK(about_nodes[0].reason == "UnreadableCards");
    CHECK(about_nodes[0].message.find("\"16,abc\"") != std::string::npos);
    world.change_node("n1", [](core::Node& changed) { changed.cards->problem = "worse"; });
    world.settle();
    CHECK(std::count_if(world.events.begin(), world.events.end(), [](const auto& event) {
              return event.is_about_node;
          }) == 2);
}

// --- Volcano's words: several amounts of several cards
// --------------------------------------------

namespace {

const std::string vgpu_ids = "volcano.sh/vgpu-ids-new";

core::Node volcano_node(const std::string& name, const std::vector<std::int64_t>& cards) {
    core::Node node = tests::node(name, 64, 256 * 1024);
    std::int64_t sum = 0;
    core::NodeCards said{"volcano.sh/vgpu-memory", {}, {}};
    for (const std::int64_t one : cards) {
        sum += one;
        said.cards.push_back({"G" + std::to_string(said.cards.size() + 1), one, 100, 10});
    }
    const auto count = static_cast<std::int64_t>(cards.size());
    node.allocatable.extended = {
        {"volcano.sh/vgpu-cores", 100 * count},
        {"volcano.sh/vgpu-memory", sum},
        {"volcano.sh/vgpu-number", 10 * count}};
    node.cards = said;
    return node;
}

/// As the codec makes them.
core::Resources with_vgpus(core::Resources requests, std::int64_t number, std::int64_t memory) {
    requests.extended = {{"volcano.sh/vgpu-memory", memory}, {"volcano.sh/vgpu-number", number}};
    REQUIRE(core::add_card_ask(requests).empty());
    return requests;
}

std::string create_vgpu(
    World& world, const std::string& name, std::int64_t number, std::int64_t memory) {
    core::Pod pod = tests::pod(name, 100, 1);
    pod.scheduler_name = "gang-scheduler";
    pod.requests = with_vgpus(pod.requests, number, memory);
    return world.create(pod);
}

gang::spark::Conf volcano_conf(std::int64_t executors, int number, int memory) {
    gang::spark::Conf conf = tests::conf(executors);
    for (const auto& [name, amount] :
         {std::pair("vgpu-number", number), std::pair("vgpu-memory", memory)}) {
        const std::string key = std::string("spark.executor.resource.") + name;
        conf = tests::with(conf, key + ".amount", std::to_string(amount));
        conf = tests::with(conf, key + ".vendor", "volcano.sh");
    }
    return conf;
}

std::string create_vgpu_executor(
    World& world, const std::string& driver, const std::string& name, int number, int memory) {
    core::Pod pod = tests::executor(name, world.pod(driver));
    pod.requests = with_vgpus(pod.requests, number, memory);
    return world.create(pod);
}

}  // namespace

TEST_CASE(
    "vGPUs of Volcano: each pod's cards are written with its bind, as its plugin reads them") {
    World world;
    world.add_node(volcano_node("n1", {16000, 8000}));
    const auto one = create_vgpu(world, "one", 1, 6000);
    world.settle();
    CHECK(cards_of(world, one) == "G2:6000");
    CHECK(annotation(world, one, vgpu_ids) == "G2,NVIDIA,6000,0:");
    CHECK(annotation(world, one, "volcano.sh/devices-to-allocate") == "G2,NVIDIA,6000,0:");
    CHECK(annotation(world, one, "volcano.sh/vgpu-node") == "n1");
    CHECK(annotation(world, one, "volcano.sh/bind-phase") == "allocating");
    CHECK(annotation(world, one, "ai.centaurus.io/scheduler-timestamp").empty());
    const auto both = create_vgpu(world, "both", 2, 2000);
    world.settle();
    CHECK(cards_of(world, both) == "G1:2000,G2:2000");
    const auto late = create_vgpu(world, "late", 2, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(late));
    CHECK(
        world.condition(late).find(
            "no 2 GPUs with 1 free volcano.sh/vgpu-memory each, best has 14000") !=
        std::string::npos);
    world.restart();
    world.settle();
    CHECK_FALSE(world.is_bound(late));
    world.set_phase(one, core::PodPhase::succeeded);
    world.settle();
    CHECK(cards_of(world, late) == "G1:1,G2:1");
    CHECK(world.violations.empty());
}

TEST_CASE(
    "vGPUs of Volcano: a gang whose executors have two cards each, before and after a restart") {
    World world;
    world.add_node(volcano_node("n1", {8000, 8000}));
    const auto driver = world.submit(tests::driver("a"), volcano_conf(3, 2, 3000));
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(
        world.condition(driver).find("1 + 2 fit, no 2 GPUs with 3000 free volcano.sh/vgpu-memory "
                                     "each, best has 2000 on n1/G1") != std::string::npos);
    world.add_node(volcano_node("n2", {4000, 3000, 3000}));
    world.settle();
    REQUIRE(world.is_bound(driver));
    std::vector<std::string> executors;
    executors.push_back(create_vgpu_executor(world, driver, "exec-1", 2, 3000));
    world.settle();
    world.restart();
    world.settle();
    // What the gang still waits for is kept for it.
    const auto other = create_vgpu(world, "other", 2, 3000);
    world.settle();
    CHECK_FALSE(world.is_bound(other));
    executors.push_back(create_vgpu_executor(world, driver, "exec-2", 2, 3000));
    executors.push_back(create_vgpu_executor(world, driver, "exec-3", 2, 3000));
    world.settle();
    std::map<std::string, int> on;
    for (const std::string& executor : executors) {
        REQUIRE(world.is_bound(executor));
        ++on[world.node_of(executor)];
        CHECK_FALSE(annotation(world, executor, vgpu_ids).empty());
    }
    CHECK(on == std::map<std::string, int>{{"n1", 2}, {"n2", 1}});
    CHECK(world.violations.empty());
}

TEST_CASE("vGPUs of Volcano: executors that nobody could serve keep their driver waiting") {
    World world;
    world.add_node(volcano_node("n1", {8000, 8000}));
    gang::spark::Conf conf = volcano_conf(1, 65, 1);
    std::string saying = "the executors: volcano.sh/vgpu-number is 65";
    SUBCASE("more cards than there are") {}
    SUBCASE("KAI's annotation") {
        conf =
            tests::with(tests::conf(1), "spark.kubernetes.executor.annotation.gpu-fraction", "0.5");
        saying = "the executors: annotation gpu-fraction is not supported";
    }
    SUBCASE("HAMi's requests") {
        conf = tests::with(tests::conf(1), "spark.executor.resource.gpumem.amount", "3000");
        conf = tests::with(conf, "spark.executor.resource.gpumem.vendor", "nvidia.com");
        saying = "the executors: nvidia.com/gpumem is not supported";
    }
    const auto driver = world.submit(tests::driver("a"), conf);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find(saying) != std::string::npos);
    CHECK(world.violations.empty());
}
