#pragma once
// What is kept of each pod of ours: a record of 64 bytes, which has the whole pod (a PodEntry)
// while it may still be bound. Plain values; PodRecords has the records, CompactDetails what is
// shared.

#include "core/base/ids.hpp"
#include "core/base/text.hpp"
#include "core/base/uuid.hpp"
#include "core/value/resources.hpp"
#include "gang/model/application.hpp"

#include <boost/container/flat_set.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace gang {

/// A few pods, each once: four bytes each. Nothing is decided by their order.
using PodIds = boost::container::flat_set<PodId>;

struct PodRecord {
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
    bool is_odd : 1 = false;  ///< its uid is kept as text
    bool is_used : 1 = false;
};
static_assert(sizeof(PodRecord) == 64);  // there are as many as pods of ours

using PodAmountsId = core::Id<struct PodAmountsTag>;

/// What compacted pods of one owner mostly have in common.
struct PodKin {
    core::Text namespace_name;
    core::Text stem;  ///< of the names, up to their last dash
    core::Text owner;
    core::Text slot_gang;
    core::Text application_key;
    core::Text group;
    core::Text scheduler_name;
    PodAmountsId amounts;
    std::int32_t profile = 0;
    std::int32_t priority = 0;
    std::uint32_t references = 0;
};

/// What is remembered of a compacted driver beyond its record.
struct CompactDriver {
    std::string resource_version;
    core::Text application;
    core::Text app_name;
    core::Text reservation;
    bool has_reservation = false;
};

}  // namespace gang
