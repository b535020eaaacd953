#include "k8s/write/flow_control.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;

namespace {

struct FlowRig {
    FlowRig() : context(io, with_notices(notices)), flow(context) {}

    static WriterOptions with_notices(std::vector<std::string>& into) {
        WriterOptions options;
        options.notice = [&into](NoticeLevel, const std::string& text) { into.push_back(text); };
        return options;
    }
    static Reply unreachable() {
        Failure failure;
        failure.message = "refused";
        return failure;
    }
    static Reply with_status(int status, std::optional<std::int64_t> retry_after_ms = {}) {
        Response response;
        response.status = status;
        response.retry_after_ms = retry_after_ms;
        return response;
    }

    boost::asio::io_context io;
    std::vector<std::string> notices;
    WriterContext context;
    FlowControl flow;
};

}  // namespace

TEST_CASE("flow control: an unreachable server is told once, and once when it is back") {
    FlowRig rig;
    CHECK(rig.flow.breaker_wait_ms(1'000) == 0);
    rig.flow.note_reply(FlowRig::unreachable(), 1'000);
    rig.flow.note_reply(FlowRig::unreachable(), 1'001);
    CHECK(rig.flow.breaker_wait_ms(1'001) > 0);
    CHECK(rig.context.stats.unreachable == 2);
    CHECK(rig.notices == std::vector<std::string>{"writes wait problem=\"refused\""});
    rig.flow.note_reply(FlowRig::with_status(500), 1'002);
    CHECK(rig.flow.breaker_wait_ms(1'002) == 0);
    REQUIRE(rig.notices.size() == 2);
    CHECK(rig.notices.back() == "the API server answers again");
}

TEST_CASE("flow control: a request that may have arrived does not open the breaker") {
    FlowRig rig;
    Failure failure;
    failure.maybe_sent = true;
    rig.flow.note_reply(failure, 1'000);
    CHECK(rig.flow.breaker_wait_ms(1'000) == 0);
    CHECK(rig.context.stats.unreachable == 0);
}

TEST_CASE("flow control: 429, and 503 with Retry-After, lower what may be in flight") {
    FlowRig rig;
    const std::size_t before = rig.flow.allowed();
    CHECK_FALSE(rig.flow.note_throttling(FlowRig::with_status(503), 1'000, 2'000));
    CHECK_FALSE(rig.flow.note_throttling(FlowRig::unreachable(), 1'000, 2'000));
    CHECK(rig.flow.allowed() == before);
    CHECK(rig.flow.note_throttling(FlowRig::with_status(429), 1'000, 2'000));
    CHECK(rig.flow.allowed() == before / 2);
    CHECK(rig.flow.note_throttling(FlowRig::with_status(503, 100), 3'000, 4'000));
    CHECK(rig.flow.allowed() == before / 4);
    CHECK(rig.context.stats.throttled == 2);
}

TEST_CASE("flow control: a closed writer tells nothing") {
    FlowRig rig;
    rig.context.enter(WriterPhase::closed);
    rig.flow.note_reply(FlowRig::unreachable(), 1'000);
    CHECK(rig.notices.empty());
    CHECK(rig.context.stats.unreachable == 1);
}
