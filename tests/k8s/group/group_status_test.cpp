// The status of PodGroups on the wire: the words of each kind, and what the answers mean.
#include "k8s/codec/group/codec_group_status.hpp"
#include "k8s/codec/group/codec_pod_group.hpp"
#include "k8s/write/writer.hpp"
#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace k8s;
using core::GroupCondition;
using core::GroupDialect;
using core::GroupPhase;

namespace {

GroupStatusWrite status_write(GroupDialect dialect, const char* version) {
    GroupStatusWrite write;
    write.dialect = dialect;
    write.api_version = version;
    write.namespace_name = "etl";
    write.name = "g";
    write.uid = "u1";
    write.status.phase = GroupPhase::finished;
    write.status.running = 1;
    write.status.succeeded = 2;
    write.status.condition = GroupCondition::unschedulable;
    write.status.reason = "NotEnoughResources";
    write.status.message = "no \"room\"";
    write.status.since_ms = 1'700'000'000'000;
    return write;
}

core::PodGroupStatus read_back(const GroupStatusWrite& write) {
    const auto object =
        decode_pod_group(write.dialect, write.api_version, encode_group_status(write));
    REQUIRE(object);
    CHECK(object->uid == write.uid);
    return object->status;
}

ObjectStatusResult answered(int status, const std::string& body, std::string* asked = nullptr) {
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        if (asked != nullptr) *asked = request.method + " " + request.target + " " + request.body;
        peer.reply(status, body);
    });
    boost::asio::io_context io;
    Writer writer(io, server.endpoint(), WriterOptions{});
    std::optional<ObjectStatusResult> result;
    writer.write_group_status(
        status_write(GroupDialect::coscheduling, "scheduling.x-k8s.io/v1alpha1"),
        [&](const ObjectStatusResult& answer) { result = answer; });
    CHECK_FALSE(result);
    fake::run_until(io, [&] { return result.has_value(); });
    writer.stop(100, [](bool) {});
    io.restart();
    io.run_for(std::chrono::seconds(1));
    return *result;
}

}  // namespace

TEST_CASE("codec_group_status: what is written is read back, in each kind's words") {
    SUBCASE("Volcano") {
        const auto write = status_write(GroupDialect::volcano, "scheduling.volcano.sh/v1beta1");
        CHECK(read_back(write) == write.status);
        const std::string json = encode_group_status(write);
        CHECK(json.find(R"("phase":"Completed")") != std::string::npos);
        CHECK(json.find(R"("type":"Unschedulable","status":"True")") != std::string::npos);
        CHECK(json.find(R"("lastTransitionTime":"2023-11-14T22:13:20Z")") != std::string::npos);
        auto seen = write;
        seen.resource_version = "7";
        CHECK(encode_group_status(seen).find(R"("uid":"u1","resourceVersion":"7"})") != std::string::npos);
    }
    SUBCASE("coscheduling") {
        auto write =
            status_write(GroupDialect::coscheduling, "scheduling.x-k8s.io/v1alpha1");
        write.status.condition = GroupCondition::none;
        write.status.reason.clear();
        write.status.message.clear();
        write.status.since_ms = 0;
        write.status.occupied_by = "etl/job";
        CHECK(read_back(write) == write.status);
        CHECK(
            encode_group_status(write) ==
            R"({"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup",)"
            R"("metadata":{"name":"g","namespace":"etl","uid":"u1"},)"
            R"("status":{"phase":"Finished","running":1,"succeeded":2,"failed":0,)"
            R"("occupiedBy":"etl/job"}})");
    }
    SUBCASE("Kubernetes 1.36 and 1.37") {
        auto write = status_write(GroupDialect::kubernetes, "scheduling.k8s.io/v1alpha2");
        const std::string json = encode_group_status(write);
        CHECK(json.find(R"("type":"PodGroupScheduled","status":"False")") != std::string::npos);
        CHECK(json.find("phase") == std::string::npos);
        CHECK(json.find("running") == std::string::npos);
        CHECK(read_back(write).condition == GroupCondition::unschedulable);
        write.api_version = "scheduling.k8s.io/v1beta1";
        write.status.condition = GroupCondition::scheduled;
        CHECK(
            encode_group_status(write).find(
                R"("type":"PodGroupInitiallyScheduled","status":"True")") != std::string::npos);
        CHECK(read_back(write).condition == GroupCondition::scheduled);
    }
}

TEST_CASE("codec_group_status: a status of another shape is as if it were not there") {
    for (const char* status :
         {R"("x")", R"({"phase": 3})", R"({"running": "many"})", R"({"conditions": {}})",
          R"({"conditions": [{"type": "Unschedulable", "status": true}]})"}) {
        CAPTURE(status);
        const auto object = decode_pod_group(
            GroupDialect::volcano,
            "scheduling.volcano.sh/v1beta1",
            std::string(R"({"kind": "PodGroup", "status": )") + status + "}");
        REQUIRE(object);
        CHECK(object->status == core::PodGroupStatus{});
    }
}

TEST_CASE("writer: where a kind has no status subresource the object is written, and from there on at once") {
    std::vector<std::string> asked;
    bool is_there = true;
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        asked.push_back(request.target);
        const bool is_known = is_there && request.target.find("/status") == std::string::npos;
        peer.reply(is_known ? 200 : 404, is_known ? "{}" : fake::status_body(404, "NotFound", "none"));
    });
    boost::asio::io_context io;
    Writer writer(io, server.endpoint(), WriterOptions{});
    std::vector<ObjectStatusOutcome> outcomes;
    const auto write = [&](GroupStatusWrite what) {
        const std::size_t before = outcomes.size();
        writer.write_group_status(
            what, [&](const ObjectStatusResult& answer) { outcomes.push_back(answer.outcome); });
        fake::run_until(io, [&] { return outcomes.size() > before; });
    };
    auto of_volcano = status_write(GroupDialect::volcano, "scheduling.volcano.sh/v1beta1");
    write(of_volcano);
    of_volcano.is_forced = true;
    write(of_volcano);
    // Coscheduling's has one: 404 means that the object is gone.
    write(status_write(GroupDialect::coscheduling, "scheduling.x-k8s.io/v1alpha1"));
    is_there = false;
    write(status_write(GroupDialect::volcano, "scheduling.incubator.k8s.io/v1alpha1"));
    const std::string group = "/apis/scheduling.volcano.sh/v1beta1/namespaces/etl/podgroups/g";
    const std::string old = "/apis/scheduling.incubator.k8s.io/v1alpha1/namespaces/etl/podgroups/g";
    CHECK(
        asked ==
        std::vector<std::string>{
            group + "/status?fieldManager=gang-scheduler",
            group + "?fieldManager=gang-scheduler",
            group + "?fieldManager=gang-scheduler&force=true",
            "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/etl/podgroups/g/status?fieldManager=gang-scheduler",
            old + "/status?fieldManager=gang-scheduler",
            old + "?fieldManager=gang-scheduler"});
    using Outcome = ObjectStatusOutcome;
    CHECK(
        outcomes ==
        std::vector{Outcome::written, Outcome::written, Outcome::gone, Outcome::gone});
    writer.stop(100, [](bool) {});
    io.restart();
    io.run_for(std::chrono::seconds(1));
}

TEST_CASE("writer: the status of a queue is applied, its state under a name of its own") {
    std::vector<std::string> asked;
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        asked.push_back(request.method + " " + request.target);
        peer.reply(200, "{}");
    });
    boost::asio::io_context io;
    Writer writer(io, server.endpoint(), WriterOptions{});
    int written = 0;
    const auto done = [&](const ObjectStatusResult& result) {
        written += result.outcome == ObjectStatusOutcome::written ? 1 : 0;
    };
    writer.write_queue_status({"a/b", "u1", QueueStatusPart::usage, {}}, done);
    fake::run_until(io, [&] { return written == 1; });
    writer.write_queue_status({"a/b", "u1", QueueStatusPart::state, {}}, done);
    fake::run_until(io, [&] { return written == 2; });
    const std::string path =
        "PATCH /apis/scheduling.volcano.sh/v1beta1/queues/a%2Fb/status?fieldManager=";
    CHECK(
        asked ==
        std::vector<std::string>{path + "gang-scheduler", path + "gang-scheduler-state"});
    writer.stop(100, [](bool) {});
    io.restart();
    io.run_for(std::chrono::seconds(1));
}

TEST_CASE("writer: the status of a group is applied, and what the answers mean") {
    std::string asked;
    CHECK(answered(200, "{}", &asked).outcome == ObjectStatusOutcome::written);
    CHECK(
        asked.starts_with("PATCH /apis/scheduling.x-k8s.io/v1alpha1/namespaces/etl/podgroups/g/"
                          "status?fieldManager=gang-scheduler {"));
    const ObjectStatusResult taken = answered(
        409,
        R"({"kind":"Status","message":"conflict with \"controller\"","reason":"Conflict",)"
        R"("details":{"causes":[{"reason":"FieldManagerConflict","field":".status.phase"}]}})");
    CHECK(taken.outcome == ObjectStatusOutcome::others);
    CHECK(taken.message == "conflict with \"controller\"");
    CHECK(
        answered(409, R"({"kind":"Status","message":"uid","reason":"Conflict"})").outcome ==
        ObjectStatusOutcome::gone);
    CHECK(answered(404, "{}").outcome == ObjectStatusOutcome::gone);
    CHECK(answered(403, "{}").outcome == ObjectStatusOutcome::forbidden);
    CHECK(answered(422, "{}").outcome == ObjectStatusOutcome::refused);
    // As a real API server says it of an object that was made anew.
    CHECK(
        answered(
            422,
            R"({"kind":"Status","message":"PodGroup \"g0\" is invalid: metadata.uid: Invalid value: \"u1\": )"
            R"(field is immutable","reason":"Invalid"})")
            .outcome == ObjectStatusOutcome::gone);
    CHECK(answered(500, "{}").outcome == ObjectStatusOutcome::failed);
}
