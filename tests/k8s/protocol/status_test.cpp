#include "k8s/protocol/status.hpp"

#include <doctest/doctest.h>

using namespace k8s::protocol;

namespace {
bool sends(const PatchAction& action) {
    return std::holds_alternative<SendPatch>(action);
}
}  // namespace

TEST_CASE("status: a success is written, a refusal is not, neither is repeated") {
    for (int status : {200, 201}) {
        StatusWrite write(true);
        REQUIRE(sends(write.start(true)));
        const auto action = write.on_answer(HttpAnswer{status, "", -1}, 0);
        CHECK(std::get<PatchFinished>(action).written);
    }
    for (int status : {400, 401, 403, 404, 409, 422}) {
        StatusWrite write(true);
        REQUIRE(sends(write.start(true)));
        const auto action = write.on_answer(HttpAnswer{status, "why", -1}, 0);
        CHECK_FALSE(std::get<PatchFinished>(action).written);
        CHECK(std::get<PatchFinished>(action).message == "why");
    }
}

TEST_CASE("status: unknown outcomes are repeated, but not for ever") {
    StatusWrite write(true);
    PatchAction action = write.start(true);
    int sent = 0;
    while (sends(action)) {
        REQUIRE(++sent < 100);
        action = sent % 2 == 0 ? write.on_answer(HttpAnswer{500, "boom", -1}, 0)
                               : write.on_no_answer("reset", 0);
        if (std::holds_alternative<Wait>(action)) action = write.on_waited(true);
    }
    CHECK(sent == patch_attempts_max);
    CHECK_FALSE(std::get<PatchFinished>(action).written);
}

TEST_CASE("status: a conflict without a precondition is repeated once, with a pause") {
    StatusWrite write(false);
    REQUIRE(sends(write.start(true)));
    const auto first = write.on_answer(HttpAnswer{409, "modified", -1}, 0);
    REQUIRE(std::holds_alternative<Wait>(first));
    CHECK(std::get<Wait>(first).ms > 0);
    REQUIRE(sends(write.on_waited(true)));
    const auto second = write.on_answer(HttpAnswer{409, "another uid", -1}, 0);
    CHECK_FALSE(std::get<PatchFinished>(second).written);
    CHECK(std::get<PatchFinished>(second).changed);
}

TEST_CASE("status: a server that asks for patience gets it") {
    StatusWrite write(true);
    REQUIRE(sends(write.start(true)));
    const auto action = write.on_answer(HttpAnswer{429, "", 2'000}, 0);
    CHECK(std::get<Wait>(action).ms >= 2'000);
}

TEST_CASE("status: nothing is sent without leadership") {
    StatusWrite write(true);
    const auto action = write.start(false);
    CHECK_FALSE(std::get<PatchFinished>(action).written);
}
