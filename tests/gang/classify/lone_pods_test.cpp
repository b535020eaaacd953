// What becomes of pods that stand by themselves, and of those that turn out to be more: the parts
// alone.
#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_classifier.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/classify/pod_roles.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using gang::Application;

namespace {

struct RoleDesk {
    explicit RoleDesk(config::Schema schema = tests::World::sealed_schema()) : known(std::move(schema)) {
        known.add_node("n1");
        known.step.work_left = 1'500'000;
        known.step.now_ms = 5'000;
    }

    tests::Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::ExecutorOwners owners{known.model};
    gang::PodCompaction compaction{known.model, declarations, owners};
    gang::PodClassifier classifier{known.model, known.step, known.reporter, owners, compaction};
    gang::PodRoles roles{known.model, owners};

    void classify(const std::string& uid) {
        known.model.worklist.dirty_pods.insert(uid);
        CHECK(classifier.run());
    }
    bool waits(const std::string& uid) {
        const Application* const app = known.model.gangs.find(uid);
        return app != nullptr && known.model.waiting.contains(*app);
    }

    /// Of a group in YuniKorn's words, whose style is Soft.
    gang::PodEntry& add_soft(const std::string& name, std::int64_t after_ms) {
        core::Pod pod = tests::pod(name, 1000, 256);
        pod.labels = {{"applicationId", "app"}};
        pod.annotations = {{"yunikorn.apache.org/task-group-name", "workers"}};
        gang::PodEntry& entry = known.add(pod);
        gang::GroupMembership membership = *gang::read_membership(pod);
        membership.soft_after_ms = after_ms;
        entry.group = known.model.texts.keep(gang::PodGroups::key_of(pod, membership));
        known.model.groups.join(entry, membership);
        entry.alone = gang::Alone::single;
        return entry;
    }

    /// A pod that bears this text, shown on n1 only now.
    static void admit(gang::PodEntry& entry, std::int64_t generation) {
        gang::Reservation reservation;
        reservation.generation = generation;
        reservation.epoch = 1;
        reservation.anchor = entry.pod.uid;
        reservation.queue = "default";
        entry.pod.annotations = {{std::string(gang::reservation_annotation), gang::encode_reservation(reservation)}};
        entry.pod.node_name = "n1";
    }
};

}  // namespace

TEST_CASE("pod classifier: a pod of a Soft group whose time is over says why it goes alone") {
    RoleDesk desk;
    desk.add_soft("p", 60'000);
    desk.classify("p");
    REQUIRE(desk.waits("p"));
    const auto& told = *desk.known.model.gangs.find("p")->declared.diagnostics;
    REQUIRE(told.warnings.size() == 1);
    CHECK(told.warnings[0].starts_with("pod group etl/app had no room for all its pods within "));
    CHECK(told.warnings[0].ends_with("its gangSchedulingStyle is Soft: its pods are scheduled one by one"));
    CHECK(told.notes == told.warnings);
}

TEST_CASE("pod classifier: of a group that waits for ever, and of one beyond its minimum, nothing is said") {
    RoleDesk desk;
    SUBCASE("it waits for ever") {
        desk.add_soft("p", 0);
    }
    SUBCASE("beyond the minimum") {
        desk.add_soft("p", 60'000).alone = gang::Alone::surplus;
    }
    desk.classify("p");
    REQUIRE(desk.waits("p"));
    CHECK(desk.known.model.gangs.find("p")->declared.diagnostics->warnings.empty());
    CHECK(desk.known.model.gangs.find("p")->declared.diagnostics->notes.empty());
}

TEST_CASE("pod classifier: a member that is not alone is its group's affair") {
    RoleDesk desk;
    gang::PodEntry& entry = desk.add_soft("p", 60'000);
    entry.alone = gang::Alone::no;
    desk.classify("p");
    CHECK(desk.known.model.gangs.find("p") == nullptr);
    CHECK(desk.known.model.worklist.dirty_groups.contains(entry.group));
}

TEST_CASE("pod classifier: what is left of a tick's work is done in the next") {
    RoleDesk desk;
    for (const char* const name : {"p1", "p2", "p3"}) {
        desk.known.add(tests::pod(name, 1000, 256));
        desk.known.model.worklist.dirty_pods.insert(name);
    }
    desk.known.step.work_left = 1'001;
    CHECK_FALSE(desk.classifier.run());
    CHECK(desk.waits("p1"));
    CHECK(desk.waits("p2"));
    CHECK_FALSE(desk.waits("p3"));
    CHECK(desk.known.step.work_left == -999);
    CHECK(desk.known.model.worklist.dirty_pods.size() == 1);
    CHECK(desk.known.step.timers.next_ms() == 5'000);
    desk.known.step.work_left = 1'000;
    CHECK(desk.classifier.run());
    CHECK(desk.waits("p3"));
    CHECK(desk.known.step.work_left == 0);
}

TEST_CASE("pod classifier: an executor that waits is pending with its gang, until it is bound") {
    RoleDesk desk;
    Application& app = desk.known.add_gang("d1", "n1", 2);
    gang::PodEntry& entry = desk.known.add_executor("e1", app);
    app.pending.make().clear();
    desk.classify("e1");
    CHECK(app.pending->contains(entry.rank()));
    CHECK(desk.known.model.worklist.dirty_gangs.contains("d1"));
    entry.pod.node_name = "n1";
    entry.pod.deleting = true;  // else it is compacted
    desk.classify("e1");
    CHECK(app.pending->empty());
}

TEST_CASE("pod classifier: a lone pod keeps its place while its bind is under way") {
    RoleDesk desk;
    gang::PodEntry& entry = desk.known.add(tests::pod("p", 1000, 256));
    desk.known.model.worklist.queue_changed = false;
    desk.classify("p");
    CHECK(desk.waits("p"));
    CHECK(desk.known.model.worklist.queue_changed);
    entry.assumed_node = desk.known.model.texts.keep("n1");
    entry.bind_in_flight = true;
    desk.classify("p");
    CHECK(desk.known.model.gangs.find("p") != nullptr);
    entry.bind_in_flight = false;
    desk.classify("p");
    CHECK(desk.known.model.gangs.find("p") == nullptr);
}

TEST_CASE("pod classifier: an executor by its labels alone waits, and leaves the line for that") {
    RoleDesk desk;
    core::Pod pod = tests::pod("e", 1000, 256);
    pod.labels = {{"spark-role", "executor"}};
    gang::PodEntry& entry = desk.known.add(pod);
    desk.known.model.gangs.ensure(entry, false);
    desk.owners.note_application(entry);
    desk.classify("e");
    CHECK(desk.known.model.gangs.find("e") == nullptr);
}

TEST_CASE("pod roles: a pod whose own text is shown starts a gang from then on") {
    RoleDesk desk;
    SUBCASE("a lone pod") {
        gang::PodEntry& entry = desk.known.add(tests::pod("p", 1000, 256));
        desk.known.model.gangs.ensure(entry, false);
        desk.roles.promote(entry, false);
        CHECK_FALSE(entry.is_driver);
        CHECK(desk.known.model.gangs.find("p") != nullptr);
        RoleDesk::admit(entry, 1);
        desk.roles.promote(entry, true);
        CHECK(entry.is_driver);
        CHECK(entry.declares_anew);
        CHECK(desk.known.model.gangs.find("p") == nullptr);  // that it stood alone is over
    }
    SUBCASE("an executor by its labels alone, of another gang") {
        Application& app = desk.known.add_gang("d1", "n1", 2);
        core::Pod pod = tests::pod("e", 1000, 256);
        pod.labels = {{"spark-app-selector", "app"}, {"spark-role", "executor"}};
        gang::PodEntry& entry = desk.known.add(pod);
        desk.owners.note_application(entry);
        REQUIRE(entry.application_key == "etl/app");
        desk.known.model.pods.owners().join(entry, app.uid);
        RoleDesk::admit(entry, 1);
        desk.roles.promote(entry, false);
        CHECK(entry.is_driver);
        CHECK_FALSE(entry.is_executor);
        CHECK(entry.owner.empty());
        CHECK(desk.known.model.pods.owners().members_of("d1").empty());
        CHECK(entry.application_key == "etl/app");
        CHECK(desk.known.model.application_ids.of("etl/app").live.contains(entry.id));
        CHECK(desk.known.model.application_ids.of("etl/app").ownerless.empty());
    }
}

TEST_CASE("pod roles: a group's member whose text is shown is its anchor, unless we decide") {
    RoleDesk desk;
    core::Pod pod = tests::pod("p", 1000, 256);
    pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
    gang::PodEntry& entry = desk.known.add(pod);
    desk.roles.take(entry);
    REQUIRE_FALSE(entry.group.empty());
    REQUIRE_FALSE(entry.is_driver);
    RoleDesk::admit(entry, 1);
    SUBCASE("behind the fence") {
        desk.roles.promote(entry, true);
        CHECK_FALSE(entry.is_driver);
        CHECK(desk.known.model.gangs.find("p") == nullptr);
    }
    SUBCASE("before it") {
        desk.roles.promote(entry, false);
        CHECK(entry.is_driver);
        REQUIRE(desk.known.model.gangs.find("p") != nullptr);
        CHECK(desk.known.model.gangs.find("p")->group == entry.group);
        CHECK_FALSE(desk.known.model.gangs.find("p")->declared.conf_needed);
    }
    SUBCASE("not while another's is newer") {
        core::Pod other = tests::pod("q", 1000, 256);
        other.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        gang::PodEntry& newer = desk.known.add(other);
        desk.roles.take(newer);
        RoleDesk::admit(newer, 2);
        desk.roles.promote(entry, false);
        CHECK_FALSE(entry.is_driver);
        desk.roles.promote(newer, false);
        CHECK(newer.is_driver);
    }
}

TEST_CASE("pod compaction: what stands against it, each alone") {
    RoleDesk desk;
    core::Pod pod = tests::pod("p", 1000, 256);
    pod.node_name = "n1";
    gang::PodEntry& entry = desk.known.add(pod);
    bool is_compacted = false;
    SUBCASE("nothing") {
        is_compacted = true;
    }
    SUBCASE("it waits") {
        entry.pod.node_name = {};
    }
    SUBCASE("it is being deleted") {
        entry.pod.deleting = true;
    }
    SUBCASE("it is gated") {
        entry.pod.gated = true;
    }
    SUBCASE("it is gone") {
        entry.gone = true;
    }
    SUBCASE("it cannot be read") {
        entry.pod.problem = "it is odd";
    }
    SUBCASE("a pause is known of it") {
        entry.retry.make().code = gang::ReasonCode::backing_off;
    }
    SUBCASE("it has a record of its own") {
        desk.known.model.gangs.ensure(entry, false);
    }
    SUBCASE("it is looked at yet") {
        desk.known.model.worklist.dirty_pods.insert("p");
    }
    SUBCASE("its driver is not known") {
        entry.is_executor = true;
        desk.owners.note_application(entry);
    }
    SUBCASE("its group's anchor is not known, and its annotation says whose slot it has") {
        entry.group = desk.known.model.texts.keep("1 etl/g");
        entry.annotated_slot = gang::SlotAnnotation::slot;
    }
    SUBCASE("it is beyond the slots of its group") {
        entry.group = desk.known.model.texts.keep("1 etl/g");
        entry.annotated_slot = gang::SlotAnnotation::surplus;
        is_compacted = true;
    }
    desk.compaction.compact_if_settled(entry);
    CHECK((desk.known.model.pods.find_active("p") == nullptr) == is_compacted);
}
