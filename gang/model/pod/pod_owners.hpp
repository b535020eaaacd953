#pragma once
// Which pods belong to which owner: executors to their driver, members of a pod group to the one
// that bears its reservation. An owner is a uid, and need not be known.

#include "gang/model/pod/pod_records.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class PodOwners {
public:
    /// Both live as long. Of a pod's record `place` is written while it has an owner.
    PodOwners(PodRecords& records, core::Texts& texts) : records_(records), texts_(texts) {}

    /// Notes the pod as the owner's.
    void join(PodEntry& entry, const std::string& owner);
    /// True: that was the owner's last.
    bool leave(PodEntry& entry);
    /// In no order that means anything.
    std::span<const PodId> members_of(std::string_view owner) const;
    /// By uid: for decisions.
    std::vector<PodId> sorted_members_of(std::string_view owner) const;
    /// The pod and those beside it under its owner, who are mostly like it.
    std::span<const PodId> neighbours_of(const PodEntry& entry) const;

    /// Owners that have pods.
    std::size_t size() const { return members_.size(); }
    /// Pods that have an owner; walks the owners.
    std::size_t member_count() const;

private:
    PodRecords& records_;
    core::Texts& texts_;
    std::map<std::string, std::vector<PodId>, std::less<>> members_;  ///< by owner's uid
};

}  // namespace gang
