#include "k8s/lease/election_report.hpp"

#include "k8s/codec/codec_status.hpp"

#include <fmt/format.h>

namespace k8s {
namespace {

constexpr std::int64_t notice_again_ms = 30'000;

}  // namespace

void ElectionReport::notice(NoticeLevel level, const std::string& text) const {
    if (!is_muted_ && options_.notice) options_.notice(level, text);
}

void ElectionReport::leadership(const protocol::Election& election) {
    if (is_muted_ || is_leader_ == election.is_leader()) return;
    is_leader_ = election.is_leader();
    if (is_leader_) {
        problem_.clear();
        if (options_.gained) {
            options_.gained({election.epoch(), election.was_handed_over(), election.why_free()});
        }
    } else if (options_.lost) {
        options_.lost(problem_.empty() ? "the lease was not renewed in time" : problem_);
    }
}

void ElectionReport::holder(const std::string& holder) {
    if (is_muted_ || holder == holder_) return;
    holder_ = holder;
    if (holder == options_.identity) return;
    notice(
        NoticeLevel::info,
        holder.empty() ? "standing by, nobody holds the lease"
                       : "standing by holder=\"" + one_line(holder, 128) + "\"");
}

void ElectionReport::scheduler_names(const protocol::Lease& lease) {
    const bool is_other = !lease.holder.empty() && lease.holder != options_.identity &&
                          !lease.scheduler_names.empty() && !options_.scheduler_names.empty() &&
                          lease.scheduler_names != options_.scheduler_names;
    const std::string names = is_other ? lease.scheduler_names : std::string();
    if (is_muted_ || names == scheduler_names_) return;
    scheduler_names_ = names;
    if (names.empty()) return;
    notice(
        NoticeLevel::warning,
        fmt::format(
            "the lease {}/{} is held by {}, which serves the scheduler names {}, and this process "
            "serves {}: it will not schedule while that holds; schedulers of other names need "
            "another leaderElection.leaseName",
            options_.namespace_name,
            options_.lease_name,
            one_line(lease.holder, 128),
            one_line(names, 256),
            options_.scheduler_names));
}

void ElectionReport::failed(const std::string& why, std::int64_t now_ms) {
    const bool is_change = why != problem_ || now_ms - noticed_ms_ >= notice_again_ms;
    problem_ = why;
    if (is_muted_ || !is_change || !options_.notice) return;
    noticed_ms_ = now_ms;
    notice(NoticeLevel::warning, "problem=\"" + why + "\"");
}

}  // namespace k8s
