#include "gang/model/pod/pod_owners.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <cstdint>

namespace gang {

void PodOwners::join(PodEntry& entry, const std::string& owner) {
    std::vector<PodId>& members = members_[owner];
    entry.owner = texts_.keep(owner);
    records_[entry.id].place = static_cast<std::uint32_t>(members.size());
    members.push_back(entry.id);
}

bool PodOwners::leave(PodEntry& entry) {
    const auto it = members_.find(entry.owner.str());
    if (entry.owner.empty() || it == members_.end()) {
        return false;
    }
    std::vector<PodId>& members = it->second;
    const std::uint32_t place = records_[entry.id].place;
    ENSURE(place < members.size() && members[place] == entry.id);
    members[place] = members.back();
    records_[members[place]].place = place;
    members.pop_back();
    if (!members.empty()) {
        return false;
    }
    members_.erase(it);
    return true;
}

std::span<const PodId> PodOwners::members_of(std::string_view owner) const {
    const auto it = members_.find(owner);
    return it == members_.end() ? std::span<const PodId>{} : it->second;
}

std::vector<PodId> PodOwners::sorted_members_of(std::string_view owner) const {
    const std::span<const PodId> members = members_of(owner);
    std::vector<PodId> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end(), [this](PodId a, PodId b) {
        return records_.is_before(a, b);
    });
    return sorted;
}

std::span<const PodId> PodOwners::neighbours_of(const PodEntry& entry) const {
    const std::span<const PodId> members = members_of(entry.owner.str());
    const std::size_t place = members.empty() ? 0 : records_[entry.id].place;
    const std::size_t first = std::min(place > 0 ? place - 1 : 0, members.size());
    return members.subspan(first, std::min(place + 2, members.size()) - first);
}

std::size_t PodOwners::member_count() const {
    std::size_t count = 0;
    for (const auto& [owner, pods] : members_) {
        count += pods.size();
    }
    return count;
}

}  // namespace gang
