// The role of a process without leader election: it leads when it stands, until it is over. With
// election: daemon_test.cpp.
#include "gang/app/daemon/loop/replica_role.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

using gang::app::DecisionLoop;
using gang::app::ReplicaRole;

namespace {

struct RoleRig {
    RoleRig() {
        options.config.leader_election.enabled = false;
        options.identity.append("me");
        options.log = &log;
        options.lost_lease = [this] { ++lost; };
        DecisionLoop::Wiring wiring;
        wiring.scheduler = &scheduler;
        wiring.metrics = &metrics;
        wiring.log = &log;
        wiring.carry_out = [](const gang::Decision&) {};
        wiring.hold_watches = [](bool) {};
        loop = std::make_shared<DecisionLoop>(io, std::move(wiring));
        role = std::make_unique<ReplicaRole>(
            io,
            options,
            ReplicaRole::Wiring{
                loop.get(), [this] { return nodes_are_listed; }, [this] { ++node_lists; }});
    }

    boost::asio::io_context io;
    gang::Scheduler scheduler{config::Schema{}};
    gang::app::Metrics metrics{gang::app::Metrics::Identity{"1", "p", "l", "s"}};
    gang::app::Log log{
        config::LogFormat::console, config::LogLevel::error, [](const std::string&) {}};
    gang::app::DaemonOptions options;
    bool nodes_are_listed = false;
    int node_lists = 0;
    int lost = 0;
    std::shared_ptr<DecisionLoop> loop;
    std::unique_ptr<ReplicaRole> role;
};

}  // namespace

TEST_CASE("replica role: it leads when it stands, and nodes that are listed are listed anew") {
    RoleRig rig;
    rig.nodes_are_listed = true;
    CHECK_FALSE(rig.role->is_leading());
    rig.role->stand();
    CHECK(rig.role->is_leading());
    CHECK(rig.role->may_write());
    CHECK(rig.role->standing() == gang::app::Standing{true, "me"});
    CHECK(rig.node_lists == 1);
    CHECK(rig.loop->host().awaits_nodes());
}

TEST_CASE("replica role: nodes that were never listed are not waited for") {
    RoleRig rig;
    rig.role->stand();
    CHECK(rig.node_lists == 0);
    CHECK_FALSE(rig.loop->host().awaits_nodes());
    CHECK(rig.loop->host().waiting() == 1);
}

TEST_CASE("replica role: the owner is told once that it is over, and it leads no more") {
    RoleRig rig;
    rig.role->stand();
    rig.role->lose("another has taken over");
    rig.role->lose("again");
    CHECK(rig.lost == 1);
    CHECK_FALSE(rig.role->is_leading());
    rig.role->stand();
    CHECK_FALSE(rig.role->is_leading());
}

TEST_CASE("replica role: its end is said later, on the loop") {
    RoleRig rig;
    bool done = false;
    rig.role->stop([&done] { done = true; }, k8s::LeaseEnd::release);
    CHECK_FALSE(done);
    rig.io.poll();
    CHECK(done);
}
