#include "config/validate.hpp"

#include "config/duration.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <set>

namespace config {
namespace {

/// The first of these keys that the file wrote.
Mark place(const Marks& marks, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const auto it = marks.find(key);
        if (it != marks.end()) {
            return it->second;
        }
    }
    return {};
}

void check_lease(const Reading& reading, std::vector<Complaint>& out) {
    constexpr auto duration = "leaderElection.leaseDuration";
    constexpr auto deadline = "leaderElection.renewDeadline";
    constexpr auto period = "leaderElection.retryPeriod";
    const LeaderElection& lease = reading.schema.leader_election;
    if (lease.lease_duration_ms - lease.renew_deadline_ms < lease_margin_ms_min) {
        out.push_back(Complaint{
            place(reading.marks, {duration, deadline}),
            fmt::format(
                "found leaseDuration {} and renewDeadline {}, expected leaseDuration to be "
                "longer by at least {}",
                format_duration(lease.lease_duration_ms),
                format_duration(lease.renew_deadline_ms),
                format_duration(lease_margin_ms_min))});
    }
    if (lease.renew_deadline_ms * 10 <= lease.retry_period_ms * 12) {
        out.push_back(Complaint{
            place(reading.marks, {deadline, period}),
            fmt::format(
                "found renewDeadline {} and retryPeriod {}, expected renewDeadline to be "
                "longer than 1.2 times retryPeriod",
                format_duration(lease.renew_deadline_ms),
                format_duration(lease.retry_period_ms))});
    }
}

void check_names(const Reading& reading, std::vector<Complaint>& out) {
    std::set<std::string> seen;
    const auto names = reading.schema.scheduler_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!seen.insert(names[i]).second) {
            const std::string path = fmt::format("profiles[{}].schedulerName", i);
            out.push_back(Complaint{
                place(reading.marks, {path.c_str()}),
                fmt::format(
                    "{}: found \"{}\" a second time, expected each name once", path, names[i])});
        }
    }
}

}  // namespace

std::vector<Complaint> validate(const Reading& reading) {
    std::vector<Complaint> out;
    check_lease(reading, out);
    check_names(reading, out);
    return out;
}

}  // namespace config
