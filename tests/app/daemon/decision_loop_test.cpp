// The loop around the scheduler, without sockets: turns, the full inbox, and the end.
#include "gang/app/daemon/loop/decision_loop.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using gang::app::DecisionLoop;

namespace {

struct LoopRig {
    LoopRig() {
        DecisionLoop::Wiring wiring;
        wiring.scheduler = &scheduler;
        wiring.metrics = &metrics;
        wiring.log = &log;
        wiring.carry_out = [](const gang::Decision&) {};
        wiring.hold_watches = [this](bool are_held) { held.push_back(are_held); };
        loop = std::make_shared<DecisionLoop>(io, std::move(wiring));
    }

    void push_one() { loop->push(gang::NamespaceDeleted{"etl"}); }
    void run() {
        io.restart();
        io.poll();
    }

    boost::asio::io_context io;
    gang::Scheduler scheduler{config::Schema{}};
    gang::app::Metrics metrics{gang::app::Metrics::Identity{"1", "p", "l", "s"}};
    gang::app::Log log{
        config::LogFormat::console, config::LogLevel::error, [](const std::string&) {}};
    std::vector<bool> held;
    std::shared_ptr<DecisionLoop> loop;
};

}  // namespace

TEST_CASE("decision loop: an event is stepped in a turn of its own, never inside push") {
    LoopRig rig;
    rig.push_one();
    CHECK(rig.loop->counts().events == 0);
    CHECK(rig.loop->host().waiting() == 1);

    rig.run();
    CHECK(rig.loop->counts().events == 2);  // it, and the Tick after it
    CHECK(rig.loop->host().waiting() == 0);
    CHECK(rig.loop->overdue_ms() == 0);
}

TEST_CASE("decision loop: a full inbox holds the watches once, a drained one lets them go on") {
    LoopRig rig;
    const std::size_t full = gang::InboxLimits().full;
    for (std::size_t i = 0; i < full + 10; ++i) {
        rig.push_one();
    }
    CHECK(rig.held == std::vector<bool>{true});
    CHECK(rig.loop->counts().pauses == 1);

    rig.run();
    CHECK(rig.held == std::vector<bool>{true, false});
    CHECK(rig.loop->counts().pauses == 1);
}

TEST_CASE("decision loop: after the lease is lost nothing is taken, and that is known once") {
    LoopRig rig;
    rig.push_one();
    CHECK(rig.loop->lose());
    CHECK_FALSE(rig.loop->lose());
    rig.push_one();

    rig.run();
    CHECK(rig.loop->counts().events == 0);
    CHECK(rig.loop->host().is_lost());
}

TEST_CASE("decision loop: a turn that is on its way when its owner goes finds it stopped") {
    LoopRig rig;
    rig.push_one();
    rig.loop->stop();
    const std::weak_ptr<DecisionLoop> left = rig.loop;
    rig.loop.reset();
    CHECK_FALSE(left.expired());

    rig.run();
    CHECK(left.expired());
}
