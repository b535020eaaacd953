#include "k8s/write/write_backlog.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

namespace {

PatchJob backlog_condition(const std::string& uid) {
    PatchJob job;
    job.patch.pod.uid = uid;
    return job;
}

BindJob backlog_bind(const std::string& uid) {
    BindJob job;
    job.request.pod.uid = uid;
    job.done = [](const BindResult&) {};
    return job;
}

}  // namespace

TEST_CASE("write backlog: what nobody waits for takes half of what is allowed") {
    WriteBacklog backlog{WriteBounds()};
    for (const char* uid : {"a", "b", "c"}) REQUIRE(backlog.queue().add(backlog_condition(uid)));
    CHECK(backlog.take(0, 4));
    CHECK(backlog.take(0, 4));
    CHECK_FALSE(backlog.take(0, 4));
    REQUIRE(backlog.queue().add(backlog_bind("d")));
    CHECK(backlog.take(0, 4));
    CHECK_FALSE(backlog.take(0, 4));
    backlog.finish_droppable("a");
    CHECK(backlog.take(0, 4));
}

TEST_CASE("write backlog: one droppable job may always be out") {
    WriteBacklog backlog{WriteBounds()};
    REQUIRE(backlog.queue().add(backlog_condition("a")));
    CHECK(backlog.take(0, 1));
}

TEST_CASE("write backlog: a job counts until it is through, and its pod is busy") {
    WriteBacklog backlog{WriteBounds()};
    for (int i = 0; i < 2; ++i) {
        REQUIRE(backlog.queue().add(backlog_bind("a")));
        backlog.answers().taken("a");
    }
    CHECK(backlog.take(0, 4));
    CHECK(backlog.size() == 2);
    CHECK(backlog.taken() == 1);
    CHECK_FALSE(backlog.take(0, 4));
    backlog.finish_awaited("a");
    CHECK(backlog.size() == 1);
    CHECK(backlog.answers().is_awaited("a"));
    CHECK(backlog.take(0, 4));
    backlog.finish_awaited("a");
    CHECK(backlog.size() == 0);
    CHECK_FALSE(backlog.answers().is_awaited("a"));
}
