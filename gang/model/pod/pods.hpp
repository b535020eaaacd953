#pragma once
// All pods of ours, by uid and by number. What may still be bound is kept whole (a PodEntry); the
// many that are bound and of which only their end is awaited are compacted: 64 bytes each, names
// and nodes shared, all that the executors of one gang have in common kept once, and some more for
// a driver.
//
//   add --> active --compact()--> compacted --expand()--> active ... --erase()
//
// Compacted pods answer the few questions that are asked of many; for anything else they are
// expanded, or looked at as a copy.

#include "core/base/chunks.hpp"
#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/base/text.hpp"
#include "core/base/uid_table.hpp"
#include "core/base/uuid.hpp"
#include "core/value/account.hpp"
#include "core/value/resources.hpp"
#include "gang/model/application.hpp"

#include <boost/container/flat_set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// A few pods, each once: four bytes each. Nothing is decided by their order.
using PodIds = boost::container::flat_set<PodId>;

class Pods {
public:
    explicit Pods(core::Texts& texts) : texts_(texts) {}

    std::size_t size() const { return cells_.size() - free_.size(); }
    bool contains(std::string_view uid) const { return find(uid).has_value(); }
    std::optional<PodId> find(std::string_view uid) const;
    /// Must be there.
    PodId id_of(std::string_view uid) const;

    /// A new, active one; `pod.uid` and `id` are filled.
    PodEntry& add(std::string_view uid);
    /// Its constraints are kept once if those of the last few are equal: executors of one gang are
    /// alike, and the API server gives most pods the same two tolerations.
    void share_constraints(core::Pod& pod);
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
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (cells_[i].active) visit(*cells_[i].active);
        }
    }

    // --- compacted ones ---
    bool is_compacted(PodId id) const { return cell(id).active == nullptr; }
    /// Makes it whole again, as far as it is remembered: labels, owners, constraints and conditions
    /// are not, nor the version of any but a driver or a group's member. Of a driver's annotations
    /// there is the reservation, and all that its labels are asked for later is application() and
    /// app_name().
    PodEntry& expand(PodId id);
    /// References to the entry end here. It is bound, and nothing is under way for it.
    void compact(PodId id);
    /// Whether the pod as told is what is remembered of the compacted one. Its phase may have gone
    /// on to another in which it still runs; that, and a driver's version, is noted.
    bool is_known(PodId id, const core::Pod& update);

    // --- either ---
    /// A copy, as it would be if it were expanded.
    PodEntry copy_of(PodId id) const;
    std::string uid(PodId id) const;
    /// "namespace/name".
    std::string full_name(PodId id) const;
    bool holds_capacity(PodId id) const;
    std::int32_t profile(PodId id) const;
    std::int64_t created(PodId id) const;
    std::int32_t priority(PodId id) const;
    const std::string& scheduler_name(PodId id) const;
    bool is_executor(PodId id) const;
    SlotAnnotation annotated_slot(PodId id) const;
    /// Whose slot that is: Application::gang_uid(). Empty: the annotation names no gang.
    const std::string& slot_gang(PodId id) const;
    /// Both, from the annotations that the pod has now.
    void read_slot(PodEntry& entry);
    core::PodPhase phase(PodId id) const;
    bool is_driver(PodId id) const;
    bool hand_made(PodId id) const;
    const std::string& application_key(PodId id) const;
    const std::string& group(PodId id) const;
    /// Uid of the driver that it belongs to, or of the pod of its group that bears the reservation.
    const std::string& owner(PodId id) const;
    const std::string& namespace_of(PodId id) const;
    const std::string& node(PodId id) const;
    const core::Resources& requests(PodId id) const;
    std::int32_t slot(PodId id) const;
    void set_slot(PodId id, std::int32_t slot);
    /// How it answers to a question (see GangViews::find_pod): 3 namespace/name, 2 name, 0 not.
    int match_name(PodId id, std::string_view question) const;
    // Of drivers, and the version of members of pod groups as well:
    /// The application's id that its labels say; empty: none.
    const std::string& application(PodId driver) const;
    /// See spark_app_name().
    const std::string& app_name(PodId driver) const;
    const std::string& resource_version(PodId id) const;
    /// nullptr: it carries none.
    const std::string* reservation(PodId driver) const;
    /// Every pod's number, in no order that means anything.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (cells_[i].is_used) visit(PodId{static_cast<std::uint32_t>(i)});
        }
    }

    // --- executors of one owner ---
    /// Notes it as the owner's, who need not be known.
    void join(PodEntry& entry, const std::string& owner);
    /// True: that was the owner's last.
    bool leave(PodEntry& entry);
    /// In no order that means anything.
    std::span<const PodId> members_of(std::string_view owner) const;
    /// By uid: for decisions.
    std::vector<PodId> sorted_members_of(std::string_view owner) const;
    std::size_t owner_count() const { return members_.size(); }

    /// Whether what is shared and counted has as many owners; walks everything, for tests.
    std::vector<core::Account> accounts() const;

private:
    using AmountsId = core::Id<struct AmountsTag>;
    /// What compacted pods of one owner mostly have in common.
    struct Kin {
        core::Text namespace_name;
        core::Text stem;  ///< of the names, up to their last dash
        core::Text owner;
        core::Text slot_gang;
        core::Text application_key;
        core::Text group;
        core::Text scheduler_name;
        AmountsId amounts;
        std::int32_t profile = 0;
        std::int32_t priority = 0;
        std::uint32_t references = 0;
    };
    struct Cell {
        core::Uuid uuid;                   ///< nothing in it if the uid has another form
        std::unique_ptr<PodEntry> active;  ///< nullptr: it is compacted
        // Of a compacted one:
        core::Text suffix;  ///< of the name, after the stem: mostly a number, shared by all gangs
        core::Text node;
        std::int64_t created = 0;
        std::uint32_t kin = 0;  ///< in kin_
        std::int32_t slot = -1;
        std::uint32_t place = 0;  ///< among its owner's members; a compacted driver's in drivers_
        core::PodPhase phase = core::PodPhase::pending;
        SlotAnnotation annotated_slot = SlotAnnotation::none;
        bool is_driver : 1 = false;
        bool is_executor : 1 = false;
        bool hand_made : 1 = false;
        bool lived : 1 = false;
        bool is_odd : 1 = false;  ///< its uid is in odd_uids_
        bool is_used : 1 = false;
    };
    static_assert(sizeof(Cell) == 64);  // there are as many as pods of ours

    /// What is remembered of a compacted driver beyond its cell.
    struct Driver {
        std::string resource_version;
        core::Text application;
        core::Text app_name;
        core::Text reservation;
        bool has_reservation = false;
    };

    Cell& cell(PodId id) { return cells_[id.value]; }
    const Cell& cell(PodId id) const { return cells_[id.value]; }
    // Of a compacted one:
    const Driver& driver(const Cell& compacted) const { return drivers_[compacted.place]; }
    const Kin& kin(const Cell& compacted) const { return kin_[compacted.kin]; }
    const core::Resources& amounts(const Cell& compacted) const {
        return amounts_[kin(compacted).amounts];
    }
    void compact_driver(Cell& compacted);
    const std::string& version_of(PodId compacted) const;
    std::uint32_t retain_kin(const PodEntry& entry, std::string_view stem);
    bool is_kin(const Kin& kin, const PodEntry& entry, std::string_view stem) const;
    void release_kin(std::uint32_t number);

    core::Texts& texts_;
    core::Chunks<Cell, 256> cells_;  ///< by PodId
    std::vector<PodId> free_;
    core::Chunks<Driver, 64> drivers_;  ///< by Cell::place
    std::vector<std::uint32_t> free_drivers_;
    core::Chunks<Kin, 64> kin_;  ///< by Cell::kin
    std::vector<std::uint32_t> free_kin_;
    core::UidTable<PodId> by_uid_;
    std::map<PodId, std::string> odd_uids_;  ///< those of no usual form
    /// The resourceVersion of compacted members of pod groups: they may have to bear the group's
    /// reservation, and no write of that may pass over another one.
    std::map<PodId, std::string> member_versions_;
    core::Interner<core::Resources, AmountsId> amounts_;
    std::array<core::Shared<core::Constraints>, 4> last_constraints_;
    std::size_t oldest_constraints_ = 0;
    std::map<std::string, std::vector<PodId>, std::less<>> members_;  ///< by owner's uid
};

}  // namespace gang
