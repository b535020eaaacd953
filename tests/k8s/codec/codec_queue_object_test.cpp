// Queue objects as Volcano's and kube-batch's API servers have them.
#include "k8s/codec/queue/codec_queue_object.hpp"

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
    return page.queues.front();
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
    CHECK(line->queue.weight == 2);
    line = decode_queue_object_line(R"({"type":"DELETED","object":{"metadata":{"name":"q"}}})");
    REQUIRE(line);
    CHECK(line->type == k8s::WatchLineType::gone);
    CHECK(line->queue.name == "q");
    line = decode_queue_object_line(
        R"({"type":"ERROR","object":{"kind":"Status","message":"too old"}})");
    REQUIRE(line);
    CHECK(line->message == "too old");
    CHECK_FALSE(decode_queue_object_line(R"({"type":"ADDED"})"));
}
