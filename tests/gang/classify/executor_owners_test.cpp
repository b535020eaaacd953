// Whose an executor is that names no driver pod of ours: by its labels, its owners, its slot's
// annotation.
#include "gang/classify/executor_owners.hpp"

#include "gang/model/group/pod_groups.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using gang::Application;

namespace {

struct OwnerDesk {
    explicit OwnerDesk(config::Schema schema = {}) : known(std::move(schema)) { known.add_node("n1", 64); }

    tests::Known known;
    gang::ExecutorOwners owners{known.model};

    /// A gang made by hand with so many open slots of 1 cpu; of the application of this id.
    Application& add_by_hand(
        const std::string& name, std::int64_t created, int slots, const std::string& application = {}) {
        core::Pod made = tests::pod(name, 1000, 1408);
        made.labels = {{"spark-role", "driver"}};
        if (!application.empty()) made.labels.insert(made.labels.begin(), {"spark-app-selector", application});
        made.created = created;
        made.node_name = "n1";
        gang::PodEntry& entry = known.add(made);
        entry.is_driver = true;
        entry.hand_made = true;
        Application& app = known.model.gangs.ensure(entry, true);
        app.declared.conf_needed = false;
        app.phase = gang::Phase::running;
        app.published.reserved = true;
        const core::Pod like = tests::pod("like", 1000, 1408);
        known.model.shapes.add(app, {0, slots, 0, {}, false}, like.requests, like.constraints);
        known.model.shapes.set_driver(app, made);
        known.model.ledger.pod_allocations().settle(entry);
        if (slots > 0) known.model.ledger.add_open(app, 0, *known.model.cluster.nodes().find("n1"), slots);
        owners.note_application(entry);
        return app;
    }

    /// By its labels alone, and nobody's.
    gang::PodEntry& add_executor(const std::string& name, core::StringMap labels = {{"spark-role", "executor"}}) {
        core::Pod made = tests::pod(name, 1000, 1408);
        made.labels = std::move(labels);
        gang::PodEntry& entry = known.add(made);
        owners.note_application(entry);
        return entry;
    }

    std::string owner_of(gang::PodEntry& entry) {
        owners.follow_application(entry);
        return entry.owner.str();
    }
};

core::StringMap labelled_as_of(const std::string& id) {
    return {{"spark-app-selector", id}, {"spark-role", "executor"}};
}

core::StringMap made_by_spark(const std::string& id, const char* number) {
    return {{"spark-app-selector", id}, {number, "1"}, {"spark-role", "executor"}};
}

core::Pod controlled(const std::string& kind, const std::string& name) {
    core::Pod pod = tests::pod("e", 1000, 1408);
    pod.labels = labelled_as_of("app");
    pod.owners = {{kind, name, "set-uid", true}};
    return pod;
}

}  // namespace

TEST_CASE("executor owners: which sets Spark's executors come from") {
    const struct {
        const char* kind;
        const char* name;
        bool has_key;
        bool is_hand_made;
    } cases[] = {
        {"StatefulSet", "spark-s-app-0", true, false},
        {"StatefulSet", "spark-s-app-12", true, false},
        {"StatefulSet", "spark-s-app-", true, true},
        {"StatefulSet", "spark-s-app-x", true, true},
        {"StatefulSet", "spark-s-app-1x", true, true},
        {"StatefulSet", "spark-s-other-0", true, true},
        {"StatefulSet", "my-spark-s-app-0", true, true},
        {"ReplicaSet", "whatever", true, false},
        {"Job", "spark-s-app-0", true, true},
        {"Pod", "driver", false, false}};
    for (const auto& one : cases) {
        CAPTURE(std::string(one.kind) + " " + one.name);
        OwnerDesk desk;
        gang::PodEntry& entry = desk.known.add(controlled(one.kind, one.name));
        desk.owners.note_application(entry);
        CHECK(entry.hand_made == one.is_hand_made);
        CHECK(!entry.application_key.empty() == one.has_key);
        CHECK(desk.owners.has_unknown_driver(entry) == one.has_key);
    }
}

TEST_CASE("executor owners: who is no executor, or names no application, is nobody's") {
    OwnerDesk desk;
    gang::PodEntry& plain = desk.known.add(tests::pod("p", 1000, 1408));
    desk.owners.note_application(plain);
    CHECK_FALSE(plain.hand_made);
    CHECK(plain.application_key.empty());
    // By labels alone the application need not be named.
    CHECK(desk.add_executor("e").application_key == "etl/");
    config::Schema schema;
    schema.gang.discovery = config::Discovery::spark_conf;
    OwnerDesk confs_alone(schema);
    gang::PodEntry& executor = confs_alone.add_executor("e", labelled_as_of("app"));
    CHECK(executor.is_executor);
    CHECK_FALSE(executor.hand_made);
    CHECK(executor.application_key.empty());
}

TEST_CASE("executor owners: without names the oldest gang with an open slot gets it") {
    OwnerDesk desk;
    SUBCASE("the oldest of two") {
        desk.add_by_hand("young", 2'000, 2);
        desk.add_by_hand("old", 1'000, 2);
        CHECK(desk.owner_of(desk.add_executor("e")) == "old");
    }
    SUBCASE("whichever came first") {
        desk.add_by_hand("old", 1'000, 2);
        desk.add_by_hand("young", 2'000, 2);
        CHECK(desk.owner_of(desk.add_executor("e")) == "old");
    }
    SUBCASE("not one whose open slots are awaited by others") {
        Application& old = desk.add_by_hand("old", 1'000, 1);
        desk.add_by_hand("young", 2'000, 1);
        gang::PodEntry& first = desk.add_executor("e1");
        REQUIRE(desk.owner_of(first) == "old");
        old.pending.make().insert(first.rank());
        CHECK(desk.owner_of(desk.add_executor("e2")) == "young");
    }
    SUBCASE("not one whose slots are smaller") {
        desk.add_by_hand("old", 1'000, 1);
        gang::PodEntry& large = desk.add_executor("e");
        large.pod.requests.cpu_milli = 1'001;
        Application& young = desk.add_by_hand("young", 2'000, 1);
        const core::Pod like = tests::pod("like", 2'000, 1408);
        desk.known.model.shapes.add(young, {1, 1, 0, {}, false}, like.requests, like.constraints);
        CHECK(desk.owner_of(large) == "young");
    }
    SUBCASE("where none has one, it is beyond the slots of the oldest") {
        desk.add_by_hand("young", 2'000, 0);
        desk.add_by_hand("old", 1'000, 0);
        desk.add_by_hand("youngest", 3'000, 0);
        CHECK(desk.owner_of(desk.add_executor("e")) == "old");
    }
    SUBCASE("unless one waits yet") {
        desk.add_by_hand("old", 1'000, 0);
        desk.add_by_hand("waits", 2'000, 0).published.reserved = false;
        CHECK(desk.owner_of(desk.add_executor("e")).empty());
    }
    SUBCASE("one that waits keeps nobody from an open slot") {
        desk.add_by_hand("waits", 1'000, 0).published.reserved = false;
        desk.add_by_hand("old", 2'000, 1);
        CHECK(desk.owner_of(desk.add_executor("e")) == "old");
    }
    SUBCASE("not those of another namespace") {
        desk.add_by_hand("old", 1'000, 2);
        core::Pod made = tests::pod("e", 1000, 1408);
        made.labels = {{"spark-role", "executor"}};
        made.namespace_name = "other";
        gang::PodEntry& entry = desk.known.add(made);
        desk.owners.note_application(entry);
        CHECK(desk.owner_of(entry).empty());
    }
}

TEST_CASE("executor owners: an executor made by hand belongs to a driver made by hand alone") {
    OwnerDesk desk;
    desk.known.add_gang("d1", "n1", 2);
    desk.owners.note_application(desk.known.model.pods.at("d1"));
    gang::PodEntry& stranger = desk.add_executor("e1", labelled_as_of("spark-d1"));
    CHECK(desk.owner_of(stranger).empty());
    desk.add_by_hand("d2", 1'000, 1, "app");
    gang::PodEntry& entry = desk.add_executor("e2", labelled_as_of("app"));
    entry.pod.requests.cpu_milli = 9'000;  // its slot grows with it
    CHECK(desk.owner_of(entry) == "d2");
}

TEST_CASE("executor owners: a driver without slots takes those of a set only while it is unproven") {
    OwnerDesk desk;
    Application& app = desk.add_by_hand("d", 1'000, 0, "app");
    app.published.reserved = false;
    gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
    CHECK(desk.owner_of(entry).empty());
    SUBCASE("it runs, and its slots are wanted") {
        app.published.is_unproven = true;
        CHECK(desk.owner_of(entry) == "d");
    }
    SUBCASE("not while it waits") {
        app.published.is_unproven = true;
        app.phase = gang::Phase::waiting;
        CHECK(desk.owner_of(entry).empty());
    }
    SUBCASE("it has ended") {
        app.phase = gang::Phase::ended;
        desk.owners.recheck_application(app);
        CHECK(desk.known.model.worklist.dirty_pods.contains("e"));
        CHECK(desk.owner_of(entry) == "d");
        CHECK_FALSE(desk.owners.has_unknown_driver(entry));
    }
}

TEST_CASE("executor owners: an owner, controller or not, that is a driver made by hand in its namespace") {
    OwnerDesk desk;
    desk.add_by_hand("d1", 1'000, 1, "one");
    desk.add_by_hand("d2", 2'000, 1, "two");
    gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("one"));
    entry.pod.owners = {{"Job", "j", "nobody", false}, {"Pod", "d2", "d2", false}};
    SUBCASE("before its labels") {
        CHECK(desk.owner_of(entry) == "d2");
    }
    SUBCASE("not one of another namespace") {
        desk.known.model.pods.at("d2").pod.namespace_name = "other";
        CHECK(desk.owner_of(entry) == "d1");
    }
    SUBCASE("not one that Spark made") {
        desk.known.model.pods.at("d2").hand_made = false;
        CHECK(desk.owner_of(entry) == "d1");
    }
    SUBCASE("not one that is no driver") {
        desk.known.model.pods.at("d2").is_driver = false;
        CHECK(desk.owner_of(entry) == "d1");
    }
}

TEST_CASE("executor owners: who has to wait for a driver") {
    OwnerDesk desk;
    SUBCASE("one made by hand") {
        gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
        CHECK(desk.owners.is_ownerless(entry));
        CHECK(desk.owners.is_waiting_ownerless(entry));
        int visited = 0;
        desk.owners.for_each_waiting_ownerless([&](const gang::PodEntry& waiting) {
            CHECK(&waiting == &entry);
            ++visited;
        });
        CHECK(visited == 1);
        entry.pod.node_name = "n1";
        CHECK_FALSE(desk.owners.is_waiting_ownerless(entry));
        entry.pod.node_name = {};
        desk.known.model.gangs.ensure(entry, false);  // it stands in the line by itself
        CHECK_FALSE(desk.owners.is_waiting_ownerless(entry));
        CHECK(desk.owners.is_ownerless(entry));
    }
    SUBCASE("none whose driver is known") {
        desk.add_by_hand("d", 1'000, 1, "app");
        gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
        REQUIRE(desk.owner_of(entry) == "d");
        CHECK_FALSE(desk.owners.is_ownerless(entry));
        CHECK_FALSE(desk.owners.is_waiting_ownerless(entry));
    }
    for (const char* const number : {"spark-exec-id", "spark-exec-resourceprofile-id"}) {
        CAPTURE(number);
        SUBCASE("one of Spark's own only where a driver made by hand has its id") {
            gang::PodEntry& entry = desk.add_executor(std::string("e-") + number, made_by_spark("app", number));
            CHECK_FALSE(desk.owners.is_ownerless(entry));
            Application& app = desk.add_by_hand(std::string("d-") + number, 1'000, 1, "app");
            CHECK(desk.owners.is_ownerless(entry));
            app.phase = gang::Phase::ended;
            desk.owners.recheck_application(app);
            CHECK(desk.owners.is_ownerless(entry));
            desk.known.model.pods.at(app.uid).hand_made = false;
            CHECK_FALSE(desk.owners.is_ownerless(entry));
            break;
        }
    }
    SUBCASE("nobody where they are to be scheduled by themselves") {
        config::Schema schema;
        schema.gang.orphan_executors = config::OrphanExecutors::schedule;
        OwnerDesk other(schema);
        CHECK_FALSE(other.owners.is_ownerless(other.add_executor("e", labelled_as_of("app"))));
    }
}

TEST_CASE("executor owners: a bound executor is whose slot it says it has, if its labels allow that") {
    OwnerDesk desk;
    desk.add_by_hand("d1", 1'000, 1, "app");
    desk.add_by_hand("other", 1'000, 1, "other");
    gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
    entry.pod.node_name = "n1";
    entry.slot_gang = desk.known.model.texts.keep("d1");
    SUBCASE("its driver's") {
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner == "d1");
    }
    SUBCASE("not while it waits") {
        entry.pod.node_name = {};
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
    SUBCASE("not where it says nothing") {
        entry.slot_gang = {};
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
    SUBCASE("not another application's") {
        entry.slot_gang = desk.known.model.texts.keep("other");
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
    SUBCASE("not that of a pod that is not there") {
        entry.slot_gang = desk.known.model.texts.keep("gone");
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
    SUBCASE("not a driver's that Spark made") {
        desk.known.model.pods.at("d1").hand_made = false;
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
    SUBCASE("of two with one id without a key nobody's") {
        desk.add_by_hand("d2", 1'000, 1, "app");
        desk.owners.follow_slot_annotation(entry);
        CHECK(entry.owner.empty());
    }
}

TEST_CASE("executor owners: with a key the annotation tells two drivers of one id apart") {
    OwnerDesk desk(tests::World::sealed_schema());
    desk.add_by_hand("d1", 1'000, 1, "app");
    desk.add_by_hand("d2", 2'000, 1, "app");
    gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
    entry.pod.node_name = "n1";
    entry.slot_gang = desk.known.model.texts.keep("d2");
    desk.owners.follow_slot_annotation(entry);
    CHECK(entry.owner == "d2");
}

TEST_CASE("executor owners: one that runs and whose annotation is gone is its driver's by its labels") {
    OwnerDesk desk;
    Application& app = desk.add_by_hand("d1", 1'000, 1, "app");
    gang::PodEntry& entry = desk.add_executor("e", labelled_as_of("app"));
    entry.pod.node_name = "n1";
    SUBCASE("it runs") {
        desk.owners.follow_slot_annotations(app);
        CHECK(entry.owner == "d1");
    }
    SUBCASE("it waits") {
        entry.pod.node_name = {};
        desk.owners.follow_slot_annotations(app);
        CHECK(entry.owner.empty());
    }
    SUBCASE("it has ended") {
        entry.pod.phase = core::PodPhase::succeeded;
        desk.owners.follow_slot_annotations(app);
        CHECK(entry.owner.empty());
    }
    SUBCASE("it is beyond the slots") {
        entry.annotated_slot = gang::SlotAnnotation::surplus;
        desk.owners.follow_slot_annotations(app);
        CHECK(entry.owner.empty());
    }
    SUBCASE("another gang's read back does not take it") {
        desk.owners.follow_slot_annotations(desk.add_by_hand("d2", 1'000, 1, "two"));
        CHECK(entry.owner.empty());
    }
}
