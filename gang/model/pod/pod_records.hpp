#pragma once
// The records of all pods of ours, by number, and by uid.

#include "core/base/chunks.hpp"
#include "core/base/uid_table.hpp"
#include "gang/model/pod/pod_record.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class PodRecords {
public:
    std::size_t size() const { return records_.size() - free_.size(); }
    std::optional<PodId> find(std::string_view uid) const { return by_uid_.find(uid); }

    PodRecord& operator[](PodId id) { return records_[id.value]; }
    const PodRecord& operator[](PodId id) const { return records_[id.value]; }

    /// A new record, of a pod that is active.
    PodRecord& add(std::string_view uid);
    /// The pod must be active. Its number goes to another one.
    void erase(PodId id);

    std::string uid(PodId id) const;
    /// Whether the text of its uid is the lesser.
    bool is_before(PodId a, PodId b) const;
    /// Pods whose uid has no usual form.
    std::size_t odd_count() const { return odd_uids_.size(); }

    /// visit(PodId, record) for each, in no order that means anything.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (std::size_t i = 0; i < records_.size(); ++i) {
            if (records_[i].is_used) visit(PodId{static_cast<std::uint32_t>(i)}, records_[i]);
        }
    }

private:
    core::Chunks<PodRecord, 256> records_;  ///< by PodId
    std::vector<PodId> free_;
    core::UidTable<PodId> by_uid_;
    std::map<PodId, std::string> odd_uids_;  ///< those of no usual form
};

}  // namespace gang
