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
                               : write.on_no_answer(true, "reset", 0);
        if (std::holds_alternative<Wait>(action)) action = write.on_waited(true);
    }
    CHECK(sent == patch_attempts_max);
    CHECK_FALSE(std::get<PatchFinished>(action).written);
}

TEST_CASE("status: given up, it is unsettled if an attempt without an answer may still land") {
    const auto finish = [](bool has_precondition, int first, int last) {
        StatusWrite write(has_precondition);
        REQUIRE(sends(write.start(true)));
        const auto action = first == 0 ? write.on_no_answer(true, "reset", 0)
                                       : write.on_answer(HttpAnswer{first, "", -1}, 0);
        REQUIRE(std::holds_alternative<Wait>(action));
        if (last == 0) return std::get<PatchFinished>(write.on_waited(false));
        REQUIRE(sends(write.on_waited(true)));
        return std::get<PatchFinished>(write.on_answer(HttpAnswer{last, "", -1}, 0));
    };
    for (const int first : {0, 408, 500, 504}) {
        CAPTURE(first);
        CHECK(finish(true, first, 403).unsettled);
        CHECK(finish(true, first, 0).unsettled);  // not the leader any more
        CHECK_FALSE(finish(true, first, 200).unsettled);
        CHECK_FALSE(finish(true, first, 404).unsettled);
        CHECK_FALSE(finish(true, first, 409).unsettled);  // the version it named is over
    }
    CHECK_FALSE(finish(true, 429, 403).unsettled);
    CHECK_FALSE(finish(true, 429, 0).unsettled);
    StatusWrite never_sent(true);
    REQUIRE(sends(never_sent.start(true)));
    REQUIRE(std::holds_alternative<Wait>(never_sent.on_no_answer(false, "refused", 0)));
    CHECK_FALSE(std::get<PatchFinished>(never_sent.on_waited(false)).unsettled);
    StatusWrite bare(false);
    REQUIRE(sends(bare.start(true)));
    REQUIRE(std::holds_alternative<Wait>(bare.on_no_answer(true, "reset", 0)));
    REQUIRE(std::holds_alternative<Wait>(bare.on_answer(HttpAnswer{409, "", -1}, 0)));
    CHECK(std::get<PatchFinished>(bare.on_answer(HttpAnswer{409, "", -1}, 0)).unsettled);
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
