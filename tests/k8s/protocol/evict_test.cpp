#include "k8s/protocol/evict.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s::protocol;

namespace {

EvictAction answered(int status, const std::string& message) {
    Evict eviction;
    CHECK(std::holds_alternative<SendEviction>(eviction.start(true)));
    return eviction.on_answer(HttpAnswer{status, message, -1}, 0);
}

EvictOutcome outcome(int status, const std::string& message = "") {
    const EvictAction action = answered(status, message);
    REQUIRE(std::holds_alternative<EvictionFinished>(action));
    return std::get<EvictionFinished>(action).outcome;
}

}  // namespace

TEST_CASE("evict: answers that are certain") {
    CHECK(outcome(200) == EvictOutcome::evicted);
    CHECK(outcome(201) == EvictOutcome::evicted);
    CHECK(outcome(404) == EvictOutcome::gone);
    CHECK(
        outcome(409, "Precondition failed: UID in precondition: a, UID in object meta: b") ==
        EvictOutcome::gone);
    CHECK(
        outcome(429, "Cannot evict pod as it would violate the pod's disruption budget.") ==
        EvictOutcome::budget);
    CHECK(
        outcome(500, "This pod has more than one PodDisruptionBudget, which the ...") ==
        EvictOutcome::refused);
    for (const int status : {400, 401, 403, 422}) {
        CHECK(outcome(status) == EvictOutcome::refused);
    }
}

TEST_CASE("evict: load, conflicts and silence are repeated, not for ever") {
    CHECK(std::holds_alternative<Wait>(answered(429, "Too many requests")));
    CHECK(std::holds_alternative<Wait>(answered(409, "the object has been modified")));
    Evict eviction;
    EvictAction action = eviction.start(true);
    int sent = 0;
    while (std::holds_alternative<SendEviction>(action)) {
        REQUIRE(++sent < 100);
        action = sent % 2 == 0 ? eviction.on_answer(HttpAnswer{503, "boom", -1}, 0)
                               : eviction.on_no_answer(true, "reset", 0);
        if (std::holds_alternative<Wait>(action)) action = eviction.on_waited(true);
    }
    CHECK(sent == evict_attempts_max);
    const auto& how = std::get<EvictionFinished>(action);
    CHECK(how.outcome == EvictOutcome::not_sent);
    CHECK(how.unsettled);
}

TEST_CASE("evict: who does not lead sends nothing, and an attempt before may still land") {
    Evict eviction;
    CHECK_FALSE(std::get<EvictionFinished>(eviction.start(false)).unsettled);
    Evict second;
    second.start(true);
    second.on_no_answer(true, "reset", 0);
    CHECK(std::get<EvictionFinished>(second.on_waited(false)).unsettled);
}
