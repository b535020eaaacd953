#pragma once
// ElectionReport: what an elector's owner and its log are told: that we lead and lead no more, who
// does instead, and what is wrong. Each once.

#include "k8s/lease/elector.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace k8s {

class ElectionReport {
public:
    /// `options` must outlive this.
    explicit ElectionReport(const ElectorOptions& options) : options_(options) {}

    /// We have become the leader, or are it no more.
    void leadership(const protocol::Election& election);
    /// Who leads, for the log of one that does not.
    void holder(const std::string& holder);
    /// Two releases with one Lease: one of them would stand by for ever and nobody would know why.
    void scheduler_names(const protocol::Lease& lease);
    /// The same problem is said again after half a minute.
    void failed(const std::string& why, std::int64_t now_ms);
    void notice(NoticeLevel level, const std::string& text) const;
    /// Why we shall have lost the lead, if we do; it is not said before.
    void set_problem(std::string why) { problem_ = std::move(why); }

    /// The owner may be gone from here on.
    void mute() { is_muted_ = true; }

private:
    const ElectorOptions& options_;
    std::string problem_;
    std::int64_t noticed_ms_ = 0;
    std::string holder_;           ///< told last
    std::string scheduler_names_;  ///< told last: not ours, and of who holds our Lease
    bool is_leader_ = false;       ///< told last
    bool is_muted_ = false;
};

}  // namespace k8s
