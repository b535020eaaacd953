// Queue objects as Volcano's and kube-batch's API servers have them.
#include "k8s/codec/queue/codec_queue_object.hpp"
#include "k8s/codec/queue/codec_queue_status.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_queue_object_line;
using k8s::decode_queue_objects;

namespace {

k8s::QueueObjectPage queue_page(const std::string& items) {
    auto page = decode_queue_objects(
        R"({"kind":"QueueList","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}");
    REQUIRE_MESSAGE(page.has_value(), (page ? "" : page.error().message));
    return *std::move(page);
}

core::QueueObject queue_of(const std::string& rest) {
    const auto page = queue_page(R"({"metadata":{"name":"q"},)" + rest + "}");
    REQUIRE(page.queues.size() == 1);
    return page.queues.front().queue;
}

}  // namespace

TEST_CASE("codec: a Queue object with all that is read of it") {
    const core::QueueObject queue = queue_of(
        R"("spec":{"weight":4,"capability":{"memory":"2Gi","cpu":2},"reclaimable":false,"parent":"p",)"
        R"("guarantee":{"resource":{"cpu":"500m"}},"deserved":{"cpu":"1"},"priority":9,"type":"x"},)"
        R"("status":{"state":"Open","allocated":{"cpu":"1"}})");
    CHECK(queue.weight == 4);
    CHECK(
        queue.capability ==
        std::vector<core::ExtendedResource>{{"cpu", 2000}, {"memory", 2147483648}});
    CHECK(queue.guarantee == std::vector<core::ExtendedResource>{{"cpu", 500}});
    CHECK(queue.deserved == std::vector<core::ExtendedResource>{{"cpu", 1000}});
    CHECK_FALSE(queue.is_reclaimable);
    CHECK(queue.parent == "p");
    CHECK_FALSE(queue.is_closed);
    CHECK(queue.problem.empty());
}

TEST_CASE("codec: the status of a Queue object is read, and written in two parts") {
    const auto page = queue_page(
        R"({"metadata":{"name":"q","uid":"u1"},"spec":{},"status":{"state":"Open","pending":2,)"
        R"("running":3,"inqueue":9,"allocated":{"memory":"1Gi","cpu":"1500m","a/gpu":1}}})");
    const k8s::SeenQueueObject& seen = page.queues.front();
    CHECK(seen.uid == "u1");
    CHECK(seen.status.state == "Open");
    CHECK(seen.status.pending == 2);
    CHECK(seen.status.running == 3);
    CHECK(
        seen.status.allocated ==
        std::vector<core::ExtendedResource>{{"a/gpu", 1}, {"cpu", 1500}, {"memory", 1073741824}});

    const std::string head =
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)"
        R"("metadata":{"name":"q","uid":"u1"},"status":)";
    k8s::QueueStatusWrite write{"q", "u1", k8s::QueueStatusPart::usage, seen.status};
    CHECK(
        k8s::encode_queue_status(write) ==
        head + R"({"pending":2,"running":3,)"
               R"("allocated":{"a/gpu":"1","cpu":"1500m","memory":"1073741824"}}})");
    write.part = k8s::QueueStatusPart::state;
    CHECK(k8s::encode_queue_status(write) == head + R"({"state":"Open"}})");
    write.part = k8s::QueueStatusPart::none;
    CHECK(k8s::encode_queue_status(write) == head + R"({"allocated":{"cpu":"0","memory":"0"}}})");
}

TEST_CASE("codec: a status of a Queue object of another shape is as if it were not there") {
    for (const char* status :
         {R"("x")", R"({"state":3})", R"({"pending":"many"})", R"({"allocated":[]})",
          R"({"allocated":{"cpu":"x"}})"}) {
        CAPTURE(status);
        const auto page = queue_page(
            std::string(R"({"metadata":{"name":"q"},"spec":{},"status":)") + status + "}");
        CHECK(page.queues.front().status == core::QueueObjectStatus{});
        CHECK(page.queues.front().queue.problem.empty());
    }
}

TEST_CASE("codec: a Queue object that says little has the defaults") {
    const core::QueueObject queue = queue_of(R"("spec":{})");
    CHECK(queue.weight == 1);
    CHECK(queue.is_reclaimable);
    CHECK(queue.capability.empty());
    CHECK(queue == queue_of(R"("status":{"state":"Unknown"})"));
    for (const char* closed : {R"("status":{"state":"Closed"})", R"("status":{"state":"Closing"})"}) {
        CHECK(queue_of(closed).is_closed);
    }
}

TEST_CASE("codec: a Queue object that makes no sense spoils no list") {
    for (const char* bad :
         {R"("spec":{"weight":"x"})",
          R"("spec":{"capability":{"cpu":"many"}})",
          R"("spec":{"capability":{"cpu":-1}})",
          R"("spec":{"capability":{"cpu":null}})",
          R"("spec":{"guarantee":{"resource":[]}})",
          R"("spec":{"reclaimable":"yes"})",
          R"("spec":[])"}) {
        CAPTURE(bad);
        CHECK_FALSE(queue_of(bad).problem.empty());
    }
    CHECK_FALSE(decode_queue_objects("[]"));
    CHECK_FALSE(decode_queue_objects(R"({"items":[]})"));
    CHECK_FALSE(decode_queue_objects("{"));
}

TEST_CASE("codec: lines of a watch of Queue objects") {
    auto line = decode_queue_object_line(
        R"({"type":"MODIFIED","object":{"metadata":{"name":"q"},"spec":{"weight":2}}})");
    REQUIRE(line);
    CHECK(line->type == k8s::WatchLineType::changed);
    CHECK(line->seen.queue.weight == 2);
    line = decode_queue_object_line(R"({"type":"DELETED","object":{"metadata":{"name":"q"}}})");
    REQUIRE(line);
    CHECK(line->type == k8s::WatchLineType::gone);
    CHECK(line->seen.queue.name == "q");
    line = decode_queue_object_line(
        R"({"type":"ERROR","object":{"kind":"Status","message":"too old"}})");
    REQUIRE(line);
    CHECK(line->message == "too old");
    CHECK_FALSE(decode_queue_object_line(R"({"type":"ADDED"})"));
}
