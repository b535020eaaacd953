// Which status a Queue object is to have, and when it is left alone.
#include "gang/app/daemon/queues/queue_statuses.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::QueueView;
using gang::app::QueueStatuses;
using k8s::ObjectStatusOutcome;
using k8s::QueueStatusPart;

namespace {

constexpr std::int64_t later = QueueStatuses::state_after_ms;

QueueView queue_with(const std::string& object, std::int64_t running, std::int64_t cpu_milli) {
    QueueView view;
    view.name = "root." + object;
    view.object = object;
    view.running = running;
    view.usage.cpu_milli = cpu_milli;
    return view;
}

/// Objects of an API server that does what it is asked to.
struct StatusRig {
    void add(const std::string& name, const std::string& state = "Open") {
        k8s::SeenQueueObject& object = objects[name];
        object.queue.name = name;
        object.uid = "uid-" + name;
        object.status.state = state;
    }
    std::vector<k8s::QueueStatusWrite> choose() { return statuses.choose(objects, views, now); }
    /// "q usage 1/2" for each write, waiting and running; all are answered.
    std::string written(ObjectStatusOutcome outcome = ObjectStatusOutcome::written) {
        std::string text;
        for (const k8s::QueueStatusWrite& write : choose()) {
            const char* const parts[] = {"usage", "state", "none"};
            text += write.name + " " + parts[static_cast<std::size_t>(write.part)] + " " +
                    write.status.state + std::to_string(write.status.running) + ";";
            answer(write, outcome);
        }
        return text;
    }
    void answer(const k8s::QueueStatusWrite& write, ObjectStatusOutcome outcome) {
        const std::string said = statuses.answered(write, {outcome, "because"}, now);
        if (!said.empty()) log.push_back(said);
        const auto found = objects.find(write.name);
        if (outcome != ObjectStatusOutcome::written || found == objects.end()) return;
        core::QueueObjectStatus& status = found->second.status;
        const std::string state = status.state;
        if (write.part == QueueStatusPart::state) {
            status.state = write.status.state;
        } else {
            status = write.status;
            status.state = state;
        }
    }

    QueueStatuses statuses;
    QueueStatuses::Objects objects;
    std::vector<QueueView> views;
    std::vector<std::string> log;
    std::int64_t now = 1'000;
};

}  // namespace

TEST_CASE("queue statuses: what a queue holds is written once, and again when it is other") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 2, 1'500)};
    rig.views.front().usage.memory_bytes = 64;
    rig.views.front().usage.extended = {{"a/gpu", 1}};
    rig.views.front().waiting = 3;
    CHECK(rig.written() == "q usage 2;");
    const core::QueueObjectStatus& status = rig.objects.at("q").status;
    CHECK(status.pending == 3);
    CHECK(
        status.allocated ==
        std::vector<core::ExtendedResource>{{"a/gpu", 1}, {"cpu", 1500}, {"memory", 64}});
    CHECK(rig.written().empty());
    rig.views.front().running = 1;
    CHECK(rig.written() == "q usage 1;");
    CHECK(rig.log.empty());
}

TEST_CASE("queue statuses: an amount that somebody else wrote beside ours is no reason to write again") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 2, 1'500)};
    CHECK(rig.written() == "q usage 2;");
    rig.objects.at("q").status.allocated.insert(
        rig.objects.at("q").status.allocated.begin(), {"a/gpu", 1});
    CHECK(rig.written().empty());
    rig.views.front().running = 1;
    CHECK(rig.written() == "q usage 1;");
    CHECK(rig.written().empty());
}

TEST_CASE("queue statuses: an amount of ours that is no more is taken back") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 2, 1'500)};
    rig.views.front().usage.extended = {{"a/gpu", 1}};
    CHECK(rig.written() == "q usage 2;");
    rig.views.front().usage.extended.clear();
    CHECK(rig.written() == "q usage 2;");
    CHECK(rig.written().empty());
    // Of one that is there when we come nobody knows whose it is.
    rig.statuses = {};
    rig.objects.at("q").status.allocated.insert(
        rig.objects.at("q").status.allocated.begin(), {"a/gpu", 1});
    CHECK(rig.written() == "q usage 2;");
    CHECK(rig.written().empty());
}

TEST_CASE("queue statuses: what is under way is not asked for again") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 2, 1'000)};
    const auto writes = rig.choose();
    REQUIRE(writes.size() == 1);
    CHECK(rig.choose().empty());
    rig.answer(writes.front(), ObjectStatusOutcome::failed);
    CHECK(rig.written() == "q usage 2;");
}

TEST_CASE("queue statuses: a state is said where nobody has said one for a minute") {
    StatusRig rig;
    rig.add("q", "");
    rig.add("closed", "Closed");
    rig.views = {queue_with("closed", 0, 0), queue_with("q", 0, 0)};
    CHECK(rig.written() == "closed usage 0;q usage 0;");
    rig.now += later - 1;
    CHECK(rig.written().empty());
    rig.now += 1;
    CHECK(rig.written() == "q state Open0;");
    CHECK(rig.written().empty());
    CHECK(rig.objects.at("closed").status.state == "Closed");
}

TEST_CASE("queue statuses: an object that is no queue any more loses what we wrote there, once") {
    StatusRig rig;
    rig.add("never", "");
    rig.add("q");
    rig.views = {queue_with("q", 1, 1'000)};
    CHECK(rig.written() == "q usage 1;");
    rig.views.front().object.clear();  // the file has a queue of that name
    CHECK(rig.written() == "q none 0;");
    CHECK(rig.written().empty());
    // Others write there: theirs stays.
    rig.objects.at("q").status.running = 9;
    rig.now += later;
    CHECK(rig.written().empty());
    rig.views = {queue_with("q", 1, 1'000)};
    CHECK(rig.written() == "q usage 1;");
    rig.views.clear();
    CHECK(rig.written() == "q none 0;");
}

TEST_CASE("queue statuses: what others own is tried again each minute, and said once") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 1, 1'000)};
    for (int i = 0; i < 2; ++i) {
        CHECK(rig.written(ObjectStatusOutcome::others) == "q usage 1;");
        rig.now += QueueStatuses::rest_ms - 1;
        CHECK(rig.written().empty());
        rig.now += 1;
    }
    CHECK(
        rig.log ==
        std::vector<std::string>{"the status of Queue object q is not written: because"});
    CHECK(rig.written() == "q usage 1;");
    CHECK(rig.written().empty());
    rig.views.front().running = 2;
    CHECK(rig.written(ObjectStatusOutcome::forbidden) == "q usage 2;");
    CHECK(rig.log.size() == 2);
}

TEST_CASE("queue statuses: an object made anew is another one") {
    StatusRig rig;
    rig.add("q");
    rig.views = {queue_with("q", 1, 1'000)};
    const auto writes = rig.choose();
    REQUIRE(writes.size() == 1);
    rig.objects.at("q").uid = "second";
    REQUIRE(rig.choose().size() == 1);
    // The answer to the first one's write changes nothing: the second one's is still under way.
    rig.statuses.answered(writes.front(), {ObjectStatusOutcome::others, "because"}, rig.now);
    CHECK(rig.choose().empty());
    rig.objects.clear();
    CHECK(rig.choose().empty());
    CHECK(rig.statuses.answered(writes.front(), {}, rig.now).empty());
}

TEST_CASE("queue statuses: of many a part at a time, each in its turn") {
    StatusRig rig;
    for (std::size_t i = 0; i < QueueStatuses::writes_max + 20; ++i) {
        const std::string name = "q" + std::to_string(1'000 + i);
        rig.add(name);
        rig.views.push_back(queue_with(name, 1, 1'000));
    }
    const auto first = rig.choose();
    CHECK(first.size() == QueueStatuses::writes_max);
    for (const auto& write : first) rig.answer(write, ObjectStatusOutcome::failed);
    const auto second = rig.choose();
    CHECK(second.size() == QueueStatuses::writes_max);
    CHECK(second.front().name == "q1100");
}
