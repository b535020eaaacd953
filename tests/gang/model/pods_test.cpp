// What is remembered of compacted pods, and that nobody can tell whether one is.
#include "gang/model/pod/pods.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using tests::World;

namespace {

const std::string driver_uid = "0a0a0a0a-0000-4000-8000-000000000001";

core::Pod bound_driver() {
    core::Pod pod = tests::driver("report-1-driver", "spark-1");
    pod.uid = driver_uid;
    pod.resource_version = "700";
    pod.node_name = "n1";
    pod.annotations = {{std::string(gang::reservation_annotation), "a text"}};
    return pod;
}

gang::PodId add_driver(gang::Pods& pods, core::Texts& texts, const core::Pod& pod) {
    gang::PodEntry& entry = pods.add(pod.uid);
    entry.pod = pod;
    entry.is_driver = true;
    entry.hand_made = true;
    entry.application_key = texts.keep("etl/spark-1");
    return entry.id;
}

/// A gang of 1 + 3 whose driver is bound, so it is compacted, on three nodes of four cores.
struct Running {
    std::string recording;
    World world;
    std::string driver;

    Running() {
        world.recording = &recording;
        world.restart();
        for (const char* name : {"n1", "n2", "n3"}) {
            world.add_node(tests::node(name, 4, 16 * 1024));
        }
        driver = world.submit("a", 4, 1);
        world.settle();
        REQUIRE(world.is_bound(driver));
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// A node on which nothing but slots is.
    std::string node_of_slots() const {
        const auto held = world.reservation(driver);
        for (const auto& [node, count] : held->shapes[0].slots_per_node) {
            if (node != world.node_of(driver)) return node;
        }
        FAIL("all slots are beside the driver");
        return {};
    }

    /// What was lived can be lived again.
    ~Running() {
        gang::Replay replay;
        for (std::size_t begin = 0; begin < recording.size();) {
            const std::size_t end = recording.find('\n', begin);
            const auto fed = replay.feed(recording.substr(begin, end - begin));
            CHECK(fed);
            begin = end + 1;
        }
        CHECK_FALSE(replay.difference());
        CHECK(world.violations.empty());
    }
};

}  // namespace

TEST_CASE("pods: a driver that rests and is woken is what it was, as far as anybody asks") {
    core::Texts texts;
    gang::Pods pods(texts);
    core::Pod pod = bound_driver();
    SUBCASE("with a reservation") {}
    SUBCASE("without") {
        pod.annotations.clear();
    }
    SUBCASE("with an empty one") {
        pod.annotations.front().second.clear();
    }
    SUBCASE("of no application") {
        pod.labels.clear();
    }
    SUBCASE("with a uid of another form") {
        pod.uid = "anything";
    }
    const gang::PodId id = add_driver(pods, texts, pod);
    const auto says = [&] {
        const std::string* text = pods[id].reservation();
        return std::make_tuple(
            text == nullptr ? std::string("none") : "text " + *text,
            pods[id].application(),
            pods[id].scheduler_name(),
            pods[id].resource_version(),
            pods[id].application_key(),
            pods[id].is_driver() && pods[id].is_hand_made() && pods[id].phase() == pod.phase);
    };
    const auto expanded = says();
    pods.compact(id);
    CHECK(pods.is_compacted(id));
    CHECK(says() == expanded);
    for (const gang::PodEntry& entry : {pods.copy_of(id), pods.expand(id)}) {
        CHECK(entry.is_driver);
        CHECK(entry.hand_made);
        CHECK(entry.application_key == "etl/spark-1");
        CHECK(entry.pod.uid == pod.uid);
        CHECK(entry.pod.name == "report-1-driver");
        CHECK(entry.pod.namespace_name == "etl");
        CHECK(entry.pod.node_name == "n1");
        CHECK(entry.pod.resource_version == "700");
        CHECK(entry.pod.scheduler_name == "gang-scheduler");
        CHECK(entry.pod.requests == pod.requests);
        CHECK(entry.pod.annotations == pod.annotations);
    }
    CHECK_FALSE(pods.is_compacted(id));
}

TEST_CASE("pods: a resting driver is known by what is decided from it") {
    core::Texts texts;
    gang::Pods pods(texts);
    const gang::PodId id = add_driver(pods, texts, bound_driver());
    pods.compact(id);
    core::Pod shown = bound_driver();
    shown.resource_version = "701";
    bool is_same = false;
    SUBCASE("only its version is new") {
        is_same = true;
    }
    SUBCASE("it runs") {
        shown.phase = core::PodPhase::running;
        is_same = true;
    }
    SUBCASE("another node") {
        shown.node_name = "n2";
    }
    SUBCASE("another size") {
        shown.requests.cpu_milli = 1;
    }
    SUBCASE("another reservation") {
        shown.annotations.front().second = "another text";
    }
    SUBCASE("no reservation") {
        shown.annotations.clear();
    }
    SUBCASE("another application") {
        shown.labels.front().second = "spark-2";
    }
    SUBCASE("another scheduler") {
        shown.scheduler_name = "second-scheduler";
    }
    SUBCASE("it has ended") {
        shown.phase = core::PodPhase::succeeded;
    }
    SUBCASE("it is being deleted") {
        shown.deleting = true;
    }
    CHECK(pods.is_known(id, shown) == is_same);
    CHECK(pods[id].resource_version() == (is_same ? "701" : "700"));
    CHECK((pods[id].phase() == shown.phase) == (is_same || shown.phase == core::PodPhase::pending));
}

TEST_CASE("pods: the place of a driver that was woken goes to the next that rests") {
    core::Texts texts;
    gang::Pods pods(texts);
    std::vector<gang::PodId> ids;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i) {
            core::Pod pod = bound_driver();
            pod.uid.back() = static_cast<char>('1' + i);
            pod.resource_version = std::to_string(100 * round + i);
            ids.push_back(add_driver(pods, texts, pod));
            pods.compact(ids.back());
        }
        for (int i = 0; i < 3; ++i) {
            const gang::PodId id = ids[static_cast<std::size_t>(i)];
            CHECK(pods[id].resource_version() == std::to_string(100 * round + i));
            pods.erase(id);
        }
        ids.clear();
        CHECK(pods.size() == 0);
        CHECK(texts.size() == 0);
    }
}

TEST_CASE("pods: what executors of one owner have in common is each one's own still") {
    core::Texts texts;
    gang::Pods pods(texts);
    std::vector<gang::PodEntry> shown;
    for (int i = 0; i < 6; ++i) {
        gang::PodEntry& entry = pods.add("0a0a0a0a-0000-4000-8000-00000000001" + std::to_string(i));
        entry.pod.namespace_name = "etl";
        entry.pod.name = "report-1-exec-" + std::to_string(i);
        entry.pod.node_name = "n" + std::to_string(i % 2);
        entry.pod.created = 1'000 + i;
        entry.pod.requests.cpu_milli = i == 2 ? 2'000 : 1'000;  // one is larger,
        entry.profile = i == 3 ? 1 : 0;                         // one of another profile,
        entry.application_key = texts.keep(i == 4 ? "etl/other" : "");  // one of a set
        entry.is_executor = true;
        pods.owners().join(entry, i < 5 ? driver_uid : "somebody else");
        shown.push_back(entry);
    }
    const auto check_all = [&] {
        for (const gang::PodEntry& as_shown : shown) {
            CAPTURE(as_shown.pod.name);
            const gang::PodId id = as_shown.id;
            const gang::PodEntry seen = pods.copy_of(id);
            CHECK(seen.pod == as_shown.pod);
            CHECK(seen.profile == as_shown.profile);
            CHECK(seen.application_key == as_shown.application_key);
            CHECK(seen.owner == as_shown.owner);
            CHECK(seen.is_executor);
            CHECK(pods[id].profile() == as_shown.profile);
            CHECK(pods[id].application_key() == as_shown.application_key.str());
            CHECK(pods[id].requests() == as_shown.pod.requests);
            CHECK(pods[id].namespace_name() == "etl");
            CHECK(pods[id].full_name() == "etl/" + as_shown.pod.name);
            CHECK(pods[id].match_name("etl/" + as_shown.pod.name) == 3);
            CHECK(pods[id].match_name(as_shown.pod.name) == 2);
            CHECK(pods[id].match_name(as_shown.pod.name + "0") == 0);
            CHECK(pods[id].match_name("etl") == 0);
            CHECK(pods[id].match_name("etl/") == 0);
        }
    };
    for (const gang::PodEntry& entry : shown) {
        pods.compact(entry.id);
        check_all();
    }
    for (gang::PodEntry& entry : shown) {  // another size, for each in turn
        entry.pod.requests.cpu_milli += 500;
        pods.expand(entry.id).pod.requests = entry.pod.requests;
        check_all();
        pods.compact(entry.id);
        check_all();
    }
    while (!shown.empty()) {
        pods.owners().leave(pods.expand(shown.back().id));
        pods.erase(shown.back().id);
        shown.pop_back();
        check_all();
    }
    CHECK(texts.size() == 0);
}

TEST_CASE("compacted driver: another application id is another name for it") {
    Running gang;
    gang.world.change_pod(
        gang.driver, [](core::Pod& pod) { pod.labels.front().second = "spark-renamed"; });
    gang.world.settle();
    CHECK(gang.world.view(gang.driver).application == "spark-renamed");
    CHECK(gang.world.scheduler->explain("spark-renamed").has_value());
    CHECK_FALSE(gang.world.scheduler->explain("spark-a").has_value());
    CHECK(gang.world.scheduler->explain("etl/a")->gang.driver_uid == gang.driver);
    gang.world.restart();
    gang.world.settle();
    CHECK(gang.world.scheduler->explain("spark-renamed")->gang.slots_open == 4);
}

TEST_CASE("compacted driver: a reservation is written on the newest state of it") {
    Running gang;
    gang.world.set_phase(gang.driver, core::PodPhase::running);
    gang.world.settle();
    for (int i = 0; i < 3; ++i) {
        gang.world.change_pod(gang.driver, [](core::Pod&) {});  // a kubelet's no-op updates
    }
    gang.world.settle();
    const std::string version = gang.world.pod(gang.driver).resource_version;
    const std::string left = gang.node_of_slots();
    gang.world.change_node(left, [](core::Node& node) { node.unschedulable = true; });
    gang.world.settle();
    REQUIRE(gang.world.updates.size() == 1);
    CHECK(gang.world.updates[0].resource_version == version);
    CHECK(gang.world.updates[0].driver.name == "a");
    CHECK(gang.world.reservation(gang.driver)->profile == "gang-scheduler");
    CHECK(gang.world.reservation(gang.driver)->generation == 2);
    CHECK_FALSE(gang.world.scheduler->compare(gang.world.pod(gang.driver)).has_value());
}

TEST_CASE("compacted driver: one that is resized is charged anew") {
    Running gang;
    gang.world.change_pod(gang.driver, [](core::Pod& pod) { pod.requests.cpu_milli = 1'500; });
    gang.world.settle();
    CHECK(gang.world.scheduler->explain("etl/a")->driver.cpu_milli == 1'500);
    for (const gang::NodeLedger& node : gang.world.scheduler->ledger()) {
        CHECK(node.adds_up);
        CHECK(node.bound.cpu_milli == (node.name == gang.world.node_of(gang.driver) ? 1'500 : 0));
    }
}

TEST_CASE("compacted driver: it ends, or goes, with all that it held") {
    Running gang;
    const auto executors = gang.world.create_executors(gang.driver, 2);
    gang.world.settle();
    const auto next = gang.world.submit("b", 11, 2);  // all of the cluster
    gang.world.settle();
    CHECK_FALSE(gang.world.is_bound(next));
    for (const std::string& executor : executors) {
        gang.world.set_phase(executor, core::PodPhase::succeeded);
    }
    SUBCASE("it succeeded") {
        gang.world.set_phase(gang.driver, core::PodPhase::succeeded);
    }
    SUBCASE("it was deleted with a grace period") {
        gang.world.change_pod(gang.driver, [](core::Pod& pod) { pod.deleting = true; });
        gang.world.settle();
        CHECK_FALSE(gang.world.is_bound(next));  // its own room is not free yet
        gang.world.remove_pod(gang.driver);
    }
    SUBCASE("it was deleted at once") {
        gang.world.remove_pod(gang.driver);
    }
    SUBCASE("a relist does not show it any more") {
        gang.world.hold_watch = true;
        gang.world.remove_application(gang.driver);
        gang.world.hold_watch = false;
        gang.world.relist({gang.driver});
    }
    gang.world.settle();
    CHECK(gang.world.is_bound(next));
}

TEST_CASE("compacted driver: its node is lost, and it is still its gang's") {
    Running gang;
    const std::string home = gang.world.node_of(gang.driver);
    gang.world.remove_node(home);
    gang.world.settle();
    CHECK(gang.world.view(gang.driver).executors == 4);
    CHECK(gang.world.reservation(gang.driver)->generation == 2);  // slots beside it have moved
    const auto executors = gang.world.create_executors(gang.driver, 4);
    gang.world.settle();
    CHECK(gang.world.bound_count(executors) == 4);
    gang.world.remove_pod(gang.driver);  // by the garbage collector
    gang.world.settle();
    CHECK(gang.world.view(gang.driver).state == gang::GangState::ended);
}

TEST_CASE("compacted driver: degraded and repaired, both are said of it") {
    Running gang;
    const std::string home = gang.world.node_of(gang.driver);
    for (const char* name : {"n1", "n2", "n3"}) {
        if (name != home) gang.world.remove_node(name);
    }
    const auto said = [&gang](const char* reason) {
        return std::any_of(
            gang.world.events.begin(),
            gang.world.events.end(),
            [&](const gang::RecordEvent& event) {
                return event.reason == reason && event.pod.uid == gang.driver &&
                       event.pod.name == "a" && event.pod.namespace_name == "etl";
            });
    };
    gang.world.settle();
    CHECK(gang.world.view(gang.driver).state == gang::GangState::degraded);
    CHECK(said("GangDegraded"));
    gang.world.add_node(tests::node("n9", 4, 16 * 1024));
    gang.world.settle();
    CHECK(gang.world.view(gang.driver).state == gang::GangState::running);
    CHECK(said("GangRepaired"));
}

TEST_CASE("compacted driver: what an older leader wrote last is taken from what is shown of it") {
    Running gang;
    const std::string key(gang::reservation_annotation);
    std::string text = *core::find_value(gang.world.pod(gang.driver).annotations, key);
    gang.world.lose_lead();
    gang.world.settle();
    text.replace(text.find("generation=1"), 12, "generation=7");
    gang.world.change_pod(gang.driver, [&](core::Pod& pod) { pod.annotations = {{key, text}}; });
    gang.world.settle();
    gang.world.lead();
    gang.world.settle();
    CHECK(gang.world.reservation(gang.driver)->generation == 8);  // our fence, after it
    CHECK(gang.world.view(gang.driver).slots_open == 4);
}

TEST_CASE("pods: what rests together is counted, and gone with the last of them") {
    core::Texts texts;
    gang::Pods pods(texts);
    const auto check = [&pods] {
        for (const core::Account& account : pods.accounts()) {
            CAPTURE(account.what);
            CHECK(account.held == account.owned);
        }
    };
    const auto add = [&](const std::string& uid, std::int64_t milli) {
        gang::PodEntry& entry = pods.add(uid);
        entry.pod.namespace_name = "etl";
        entry.pod.name = "a-exec-" + uid;
        entry.pod.node_name = "n1";
        entry.pod.requests.cpu_milli = milli;
        pods.owners().join(entry, "owner");
        pods.compact(entry.id);
    };
    const auto remove = [&](const std::string& uid) {
        const gang::PodId id = pods.id_of(uid);
        pods.owners().leave(pods.expand(id));
        pods.erase(id);
    };
    add("1", 1'000);
    add("2", 1'000);
    add("3", 2'000);
    check();
    CHECK(pods.accounts()[1].held == 2);  // two amounts, of which one is shared
    remove("1");
    check();
    CHECK(pods.accounts()[1].held == 2);
    remove("2");
    remove("3");
    check();
    for (const core::Account& account : pods.accounts()) {
        CAPTURE(account.what);
        CHECK(account.held == 0);
    }
    CHECK(texts.size() == 0);
    CHECK(pods.size() == 0);
}
