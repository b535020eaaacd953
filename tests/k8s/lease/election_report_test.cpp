#include "k8s/lease/election_report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s;

namespace {

struct ReportRig {
    ReportRig() {
        options.identity = "us";
        options.scheduler_names = "gang-scheduler";
        options.notice = [this](NoticeLevel, const std::string& text) { told.push_back(text); };
        options.gained = [this](const LeadershipTerm&) { told.emplace_back("gained"); };
        options.lost = [this](const std::string& why) { told.push_back("lost: " + why); };
    }
    protocol::Election leader() const {
        protocol::ElectionOptions made;
        made.identity = "us";
        protocol::Election election(made);
        protocol::Lease lease;
        lease.holder = "us";
        election.on_written(1'000, lease);
        return election;
    }

    ElectorOptions options;
    std::vector<std::string> told;
    ElectionReport report{options};
};

}  // namespace

TEST_CASE("election report: the lead is told when it changes, its loss with the last problem") {
    ReportRig rig;
    protocol::Election election = rig.leader();
    rig.report.leadership(election);
    rig.report.leadership(election);
    CHECK(rig.told == std::vector<std::string>{"gained"});
    rig.report.set_problem("held by another");
    election.check_deadline(60'000);
    rig.report.leadership(election);
    REQUIRE(rig.told.size() == 2);
    CHECK(rig.told.back() == "lost: held by another");
}

TEST_CASE("election report: the same problem is said again only after half a minute") {
    ReportRig rig;
    rig.report.failed("no route", 100'000);
    rig.report.failed("no route", 129'999);
    CHECK(rig.told.size() == 1);
    rig.report.failed("no route", 130'000);
    CHECK(rig.told.size() == 2);
    rig.report.failed("timed out", 130'001);
    CHECK(rig.told.size() == 3);
}

TEST_CASE(
    "election report: a holder that serves other names is said once, and again when it is back") {
    ReportRig rig;
    protocol::Lease lease;
    lease.holder = "them";
    lease.scheduler_names = "other-scheduler";
    rig.report.scheduler_names(lease);
    rig.report.scheduler_names(lease);
    CHECK(rig.told.size() == 1);
    lease.scheduler_names = "gang-scheduler";
    rig.report.scheduler_names(lease);
    CHECK(rig.told.size() == 1);
    lease.scheduler_names = "other-scheduler";
    rig.report.scheduler_names(lease);
    CHECK(rig.told.size() == 2);
}

TEST_CASE(
    "election report: we are not announced as somebody else, and nothing is said when muted") {
    ReportRig rig;
    rig.report.holder("us");
    CHECK(rig.told.empty());
    rig.report.holder("");
    CHECK(rig.told == std::vector<std::string>{"standing by, nobody holds the lease"});
    rig.report.mute();
    rig.report.holder("them");
    rig.report.failed("no route", 100'000);
    rig.report.leadership(rig.leader());
    CHECK(rig.told.size() == 1);
}
