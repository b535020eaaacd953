#pragma once
// What is remembered of compacted pods beyond their records: once for all of them what pods of one
// owner have in common, and some more of each driver and of each member of a pod group.

#include "core/base/chunks.hpp"
#include "core/base/interner.hpp"
#include "core/base/text.hpp"
#include "gang/model/pod/pod_record.hpp"
#include "gang/model/pod/pod_records.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class CompactDetails {
public:
    /// Both live as long.
    CompactDetails(const PodRecords& records, core::Texts& texts)
        : records_(records), texts_(texts) {}

    /// The pod, which is active, is about to be compacted. It may share with its neighbours
    /// (PodOwners) what it has in common with one of them.
    void remember(PodRecord& record, std::span<const PodId> neighbours);
    /// It is active again.
    void forget(PodRecord& record);

    // --- of a compacted one ---
    const PodKin& kin(const PodRecord& record) const { return kin_[record.kin]; }
    const core::Resources& amounts(const PodRecord& record) const {
        return amounts_[kin(record).amounts];
    }
    const CompactDriver& driver(const PodRecord& driver) const { return drivers_[driver.place]; }
    /// The resourceVersion of a driver or of a group's member; empty: it is not remembered.
    const std::string& version(PodId id) const;
    void set_version(PodId id, const std::string& version);
    /// Whether the pod as told is what is remembered, as far as anything is decided from it.
    bool is_same(const PodRecord& record, const core::Pod& update) const;

    /// How much is kept, and of what is shared how often; walks everything, for tests.
    struct Counts {
        std::uint64_t kin = 0;
        std::uint64_t kin_references = 0;
        std::uint64_t amounts_references = 0;
        std::uint64_t drivers = 0;
        std::uint64_t member_versions = 0;
    };
    Counts count() const;

private:
    bool is_kin(const PodKin& kin, const PodEntry& entry, std::string_view stem) const;
    std::uint32_t retain_kin(
        const PodEntry& entry, std::string_view stem, std::span<const PodId> neighbours);
    void release_kin(std::uint32_t number);
    void remember_driver(PodRecord& record);

    const PodRecords& records_;
    core::Texts& texts_;
    core::Chunks<CompactDriver, 64> drivers_;  ///< by PodRecord::place
    std::vector<std::uint32_t> free_drivers_;
    core::Chunks<PodKin, 64> kin_;  ///< by PodRecord::kin
    std::vector<std::uint32_t> free_kin_;
    core::Interner<core::Resources, PodAmountsId> amounts_;
    /// Those of members of pod groups: they may have to bear the group's reservation, and no write
    /// of that may pass over another one.
    std::map<PodId, std::string> member_versions_;
};

}  // namespace gang
