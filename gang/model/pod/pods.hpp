#pragma once
// All pods of ours, by uid and by number. What may still be bound is kept whole (a PodEntry); the
// many that are bound and of which only their end is awaited are compacted: 64 bytes each, names
// and nodes shared, all that the executors of one gang have in common kept once, and some more for
// a driver.
//
//   add --> active --compact()--> compacted --expand()--> active ... --erase()
//
// Any of them answers the few questions of a PodView; for anything else compacted ones are
// expanded, or looked at as a copy.

#include "core/value/account.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/compact_details.hpp"
#include "gang/model/pod/pod_owners.hpp"
#include "gang/model/pod/pod_record.hpp"
#include "gang/model/pod/pod_records.hpp"
#include "gang/model/pod/pod_view.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class Pods {
public:
    explicit Pods(core::Texts& texts) : owners_(records_, texts), details_(records_, texts) {}
    Pods(const Pods&) = delete;
    Pods& operator=(const Pods&) = delete;

    std::size_t size() const { return records_.size(); }
    bool contains(std::string_view uid) const { return find(uid).has_value(); }
    std::optional<PodId> find(std::string_view uid) const { return records_.find(uid); }
    /// Must be there.
    PodId id_of(std::string_view uid) const;

    /// A new, active one; `pod.uid` and `id` are filled.
    PodEntry& add(std::string_view uid) { return *records_.add(uid).active; }
    void erase(PodId id);

    // --- active ones ---
    /// nullptr: unknown, or compacted.
    PodEntry* find_active(std::string_view uid);
    const PodEntry* find_active(std::string_view uid) const;
    /// Must be there and active, as all unbound pods are.
    PodEntry& at(std::string_view uid);
    const PodEntry& at(std::string_view uid) const;
    const PodEntry& at(PodId id) const;
    template <typename Visit>
    void for_each_active(const Visit& visit) const {
        records_.for_each([&](PodId, const PodRecord& record) {
            if (record.active) visit(*record.active);
        });
    }

    // --- compacted ones ---
    bool is_compacted(PodId id) const { return records_[id].active == nullptr; }
    /// Makes it whole again, as far as it is remembered: labels, owners, constraints and conditions
    /// are not, nor the version of any but a driver or a group's member. Of a driver's annotations
    /// there is the reservation, and all that its labels are asked for later is what a PodView
    /// says of application() and app_name().
    PodEntry& expand(PodId id);
    /// References to the entry end here. It is bound, and nothing is under way for it.
    void compact(PodId id);
    /// Whether the pod as told is what is remembered of the compacted one. Its phase may have gone
    /// on to another in which it still runs; that, and a driver's version, is noted.
    bool is_known(PodId id, const core::Pod& update);

    // --- either ---
    PodView operator[](PodId id) const { return {id, records_[id], details_}; }
    std::string uid(PodId id) const { return records_.uid(id); }
    /// A copy, as it would be if it were expanded.
    PodEntry copy_of(PodId id) const;
    void set_slot(PodId id, std::int32_t slot);
    /// Every pod's number, in no order that means anything.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        records_.for_each([&](PodId id, const PodRecord&) { visit(id); });
    }

    PodOwners& owners() { return owners_; }
    const PodOwners& owners() const { return owners_; }

    /// Whether what is shared and counted has as many owners; walks everything, for tests.
    std::vector<core::Account> accounts() const;

private:
    PodRecords records_;
    PodOwners owners_;
    CompactDetails details_;
};

}  // namespace gang
