#include "k8s/protocol/bind.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s::protocol;

namespace {

Bind bind_to_n1() {
    return Bind(BindTarget{"u1", "100", "n1"});
}

PodState pod(std::string node = "", std::string version = "100") {
    PodState state;
    state.exists = true;
    state.uid = "u1";
    state.resource_version = std::move(version);
    state.node = std::move(node);
    return state;
}

HttpAnswer answer(int status, std::int64_t retry_after_ms = -1) {
    return HttpAnswer{status, "text " + std::to_string(status), retry_after_ms};
}

BindOutcome outcome(const BindAction& action) {
    const auto* finished = std::get_if<BindFinished>(&action);
    REQUIRE(finished != nullptr);
    return finished->outcome;
}

bool posts(const BindAction& action) {
    return std::holds_alternative<PostBinding>(action);
}
bool reads(const BindAction& action) {
    return std::holds_alternative<ReadPod>(action);
}
bool waits(const BindAction& action) {
    return std::holds_alternative<Wait>(action);
}

// A bind whose first answer sends it to read the pod.
Bind reading_after(int status) {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    REQUIRE(reads(bind.on_answer(answer(status), 0)));
    return bind;
}

}  // namespace

TEST_CASE("BIND-1: 200 and 201 are bound") {
    for (int status : {200, 201}) {
        Bind bind = bind_to_n1();
        REQUIRE(posts(bind.start(true)));
        CHECK(outcome(bind.on_answer(answer(status), 0)) == BindOutcome::bound);
    }
}

TEST_CASE("BIND-8: what can never work is refused and not repeated") {
    for (int status : {400, 403, 405, 413, 415, 422}) {
        Bind bind = bind_to_n1();
        REQUIRE(posts(bind.start(true)));
        CHECK(outcome(bind.on_answer(answer(status), 0)) == BindOutcome::refused);
    }
}

TEST_CASE("BIND-2: 409, and the pod is on our node: an earlier attempt landed") {
    CHECK(outcome(reading_after(409).on_pod(pod("n1", "101"), true)) == BindOutcome::bound);
    // Whatever else is true of it by now.
    PodState deleting = pod("n1", "105");
    deleting.deleting = true;
    CHECK(outcome(reading_after(409).on_pod(deleting, false)) == BindOutcome::bound);
}

TEST_CASE("BIND-3: 409, and the pod is on another node: taken") {
    CHECK(outcome(reading_after(409).on_pod(pod("n2", "101"), true)) == BindOutcome::taken);
}

TEST_CASE("BIND-4: 409, and the pod has another uid: this one is gone for good") {
    PodState recreated = pod();
    recreated.uid = "u2";
    CHECK(outcome(reading_after(409).on_pod(recreated, true)) == BindOutcome::gone);
}

TEST_CASE("BIND-5: 409, and the pod has changed: decided again, never posted again") {
    CHECK(outcome(reading_after(409).on_pod(pod("", "101"), true)) == BindOutcome::changed);
    // Not a reason to repeat it either: who refused it at this version will do so again.
    CHECK(outcome(reading_after(409).on_pod(pod("", "100"), true)) == BindOutcome::changed);
    // Fenced: another leader moved the version. We read, and write nothing.
    CHECK(outcome(reading_after(409).on_pod(pod("", "101"), false)) == BindOutcome::changed);
}

TEST_CASE("BIND-6: 409, and the pod is being deleted or gated: not bindable") {
    PodState deleting = pod("", "101");
    deleting.deleting = true;
    CHECK(outcome(reading_after(409).on_pod(deleting, true)) == BindOutcome::not_bindable);
    PodState gated = pod();
    gated.gated = true;
    CHECK(outcome(reading_after(409).on_pod(gated, true)) == BindOutcome::not_bindable);
}

TEST_CASE("BIND-7: 404, or a pod that is not there when it is read: gone") {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    CHECK(outcome(bind.on_answer(answer(404), 0)) == BindOutcome::gone);
    CHECK(outcome(reading_after(409).on_pod(PodState(), true)) == BindOutcome::gone);
    CHECK(outcome(reading_after(504).on_pod(PodState(), true)) == BindOutcome::gone);
}

TEST_CASE("BIND-4: a recreated pod on our node is not ours") {
    PodState recreated = pod("n1", "300");
    recreated.uid = "u2";
    CHECK(outcome(reading_after(500).on_pod(recreated, true)) == BindOutcome::gone);
}

TEST_CASE("BIND-10: an unknown outcome is read back, and the same bind is sent again") {
    for (int status : {408, 500, 502, 503, 504}) {
        CAPTURE(status);
        Bind bind = reading_after(status);
        CHECK(posts(bind.on_pod(pod(), true)));
        CHECK(bind.target().node == "n1");
        CHECK(bind.target().resource_version == "100");
        CHECK(outcome(bind.on_answer(answer(201), 0)) == BindOutcome::bound);
    }
}

TEST_CASE("BIND-10: an unknown outcome that landed is bound, on another node it is taken") {
    CHECK(outcome(reading_after(504).on_pod(pod("n1", "101"), true)) == BindOutcome::bound);
    CHECK(outcome(reading_after(504).on_pod(pod("n2", "101"), true)) == BindOutcome::taken);
}

TEST_CASE("BIND-10: after a moved version nothing can land any more") {
    CHECK(outcome(reading_after(504).on_pod(pod("", "101"), true)) == BindOutcome::changed);
}

TEST_CASE("BIND-10: a refusal of the second attempt does not hide that the first may have landed") {
    Bind bind = reading_after(504);
    REQUIRE(posts(bind.on_pod(pod(), true)));
    REQUIRE(waits(bind.on_answer(answer(403), 0)));
    REQUIRE(reads(bind.on_waited(true)));
    CHECK(outcome(bind.on_pod(pod("n1", "101"), true)) == BindOutcome::bound);
}

TEST_CASE("bind: a server that fails every attempt and answers every read is not asked hotly") {
    for (int status : {500, 409}) {
        CAPTURE(status);
        Bind bind = reading_after(500);
        std::int64_t waited = 0;
        for (int i = 0; i < 20; ++i) {
            REQUIRE(posts(bind.on_pod(pod(), true)));
            const BindAction action = bind.on_answer(answer(status), 0);
            REQUIRE(waits(action));
            waited += std::get<Wait>(action).ms;
            REQUIRE(reads(bind.on_waited(true)));
        }
        CHECK(waited > 60'000);
    }
}

TEST_CASE("BIND-10: gates that came meanwhile do not hide an attempt that may land") {
    Bind bind = reading_after(504);
    PodState gated = pod();
    gated.gated = true;
    CHECK(posts(bind.on_pod(gated, true)));
    REQUIRE(waits(bind.on_answer(answer(409), 0)));
    REQUIRE(reads(bind.on_waited(true)));
    gated.resource_version = "101";
    CHECK(outcome(bind.on_pod(gated, true)) == BindOutcome::not_bindable);
}

TEST_CASE("bind: a request of which no byte was written is sent again without reading") {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    REQUIRE(waits(bind.on_no_answer(false, "refused", 0)));
    CHECK(posts(bind.on_waited(true)));
}

TEST_CASE("bind: without any connection it is not sent, after a bounded number of tries") {
    Bind bind = bind_to_n1();
    BindAction action = bind.start(true);
    int posted = 0;
    while (!std::holds_alternative<BindFinished>(action)) {
        REQUIRE(posts(action));
        REQUIRE(++posted < 100);
        action = bind.on_no_answer(false, "refused", 0);
        if (waits(action)) action = bind.on_waited(true);
    }
    CHECK(outcome(action) == BindOutcome::not_sent);
    CHECK(posted > 3);
}

TEST_CASE("BIND-10: a cut connection is unknown, whatever is read next decides") {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    REQUIRE(reads(bind.on_no_answer(true, "reset", 0)));
    REQUIRE(waits(bind.on_pod_unreadable(0)));
    REQUIRE(reads(bind.on_waited(true)));
    CHECK(outcome(bind.on_pod(pod("n1", "105"), true)) == BindOutcome::bound);
}

TEST_CASE("BIND-10: unreadable for ever stays undecided, with waits that grow and are bounded") {
    Bind bind = reading_after(500);
    std::int64_t longest = 0;
    for (int i = 0; i < 100; ++i) {
        const BindAction action = bind.on_pod_unreadable(1'000);
        REQUIRE(waits(action));
        longest = std::max(longest, std::get<Wait>(action).ms);
        REQUIRE(reads(bind.on_waited(false)));
    }
    CHECK(longest <= 10'000);
    CHECK(longest >= 5'000);
}

TEST_CASE("BIND-9: a throttled bind waits as told and keeps its node") {
    for (int status : {429, 503}) {
        Bind bind = bind_to_n1();
        REQUIRE(posts(bind.start(true)));
        const BindAction action = bind.on_answer(answer(status, 3'000), 0);
        REQUIRE(waits(action));
        CHECK(std::get<Wait>(action).ms >= 3'000);
        CHECK(posts(bind.on_waited(true)));
    }
}

TEST_CASE("B6: bind: an absurd Retry-After is capped, and two that are told the same part") {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    const BindAction action = bind.on_answer(answer(429, 3'600'000), 0);
    REQUIRE(waits(action));
    CHECK(std::get<Wait>(action).ms <= bind_retry_after_ms_max + 500);
    Bind other = bind_to_n1();
    REQUIRE(posts(other.start(true)));
    CHECK(
        std::get<Wait>(other.on_answer(answer(429, 3'600'000), 700)).ms !=
        std::get<Wait>(action).ms);
}

TEST_CASE("bind: throttled for too long is not sent") {
    Bind bind = bind_to_n1();
    BindAction action = bind.start(true);
    int posted = 0;
    while (posts(action)) {
        REQUIRE(++posted < 100);
        action = bind.on_answer(answer(429, 1), 0);
        if (waits(action)) action = bind.on_waited(true);
    }
    CHECK(outcome(action) == BindOutcome::not_sent);
    CHECK(posted == bind_throttled_max + 1);
}

TEST_CASE("bind: not the leader any more") {
    SUBCASE("before the first byte: not sent") {
        Bind bind = bind_to_n1();
        CHECK(outcome(bind.start(false)) == BindOutcome::not_sent);
    }
    SUBCASE("while throttled: not sent") {
        Bind bind = bind_to_n1();
        REQUIRE(posts(bind.start(true)));
        REQUIRE(waits(bind.on_answer(answer(429), 0)));
        CHECK(outcome(bind.on_waited(false)) == BindOutcome::not_sent);
    }
    SUBCASE("with an unknown attempt out: only reads, never writes again") {
        Bind bind = reading_after(504);
        REQUIRE(waits(bind.on_pod(pod(), false)));
        REQUIRE(reads(bind.on_waited(false)));
        CHECK(outcome(bind.on_pod(pod("", "101"), false)) == BindOutcome::changed);
    }
}

TEST_CASE("bind: 401 means that nothing was executed") {
    Bind bind = bind_to_n1();
    REQUIRE(posts(bind.start(true)));
    CHECK(outcome(bind.on_answer(answer(401), 0)) == BindOutcome::not_sent);
}

TEST_CASE("bind: without a version precondition an unassigned pod is simply asked again") {
    Bind bind(BindTarget{"u1", "", "n1"});
    REQUIRE(posts(bind.start(true)));
    REQUIRE(reads(bind.on_answer(answer(500), 0)));
    CHECK(posts(bind.on_pod(pod("", "999"), true)));
}
