#include "k8s/write/writer_delays.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

using namespace k8s;

namespace {

struct DelaysRig {
    static WriterOptions at_most_two() {
        WriterOptions options;
        options.delayed_max = 2;
        return options;
    }
    static PatchPointer condition(const std::string& uid) {
        PatchJob job;
        job.patch.pod.uid = uid;
        auto patch = std::make_shared<PatchUnderWay>(std::move(job));
        patch->action = protocol::Wait{};
        return patch;
    }
    bool add(const PatchPointer& patch, std::int64_t ms) {
        return delays.add(patch, ms, [this] { ++wakes; });
    }

    boost::asio::io_context io;
    WriterContext context{io, at_most_two()};
    DelayedWrites delays{context};
    int wakes = 0;
};

}  // namespace

TEST_CASE("delayed writes: each is due when its own time is over") {
    DelaysRig rig;
    const auto late = DelaysRig::condition("late");
    const auto soon = DelaysRig::condition("soon");
    CHECK(rig.add(late, 20));
    CHECK(rig.add(soon, 1));
    CHECK_FALSE(rig.add(DelaysRig::condition("third"), 1));
    rig.io.run();
    CHECK(rig.wakes == 2);
    CHECK(rig.delays.is_empty());
    REQUIRE(rig.delays.has_due());
    CHECK(std::get<PatchPointer>(rig.delays.take_due()) == soon);
    CHECK(std::get<PatchPointer>(rig.delays.take_due()) == late);
    CHECK_FALSE(rig.delays.has_due());
}

TEST_CASE("delayed writes: a condition yields to what somebody waits for, of its own pod alone") {
    DelaysRig rig;
    const auto in_the_way = DelaysRig::condition("a");
    const auto other = DelaysRig::condition("b");
    CHECK(rig.add(in_the_way, 60'000));
    CHECK(rig.add(other, 60'000));
    rig.delays.yield_to("a");
    rig.io.poll();
    CHECK(std::holds_alternative<protocol::PatchFinished>(in_the_way->action));
    CHECK(std::holds_alternative<protocol::Wait>(other->action));
    REQUIRE(rig.delays.has_due());
    CHECK(std::get<PatchPointer>(rig.delays.take_due()) == in_the_way);
    CHECK_FALSE(rig.delays.is_empty());
    rig.context.enter(WriterPhase::closed);
    rig.delays.cancel();
    rig.io.run();
    CHECK(rig.wakes == 1);
}
