#include "gang/sim/checkers/decisions/eviction_checker.hpp"

#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/checkers/decisions/drivers.hpp"
#include "gang/sim/checkers/decisions/shown_view.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::sim {
namespace {

constexpr std::int64_t slots_read_max = 1'000'000;

}  // namespace

void EvictionChecker::process_started(std::uint32_t replica) {
    if (replica >= asked_.size()) {
        asked_.resize(replica + 1);
    }
    asked_[replica] = {};
}

/// Another pod of its group, which bore the reservation, has ended by itself: the rest of that gang
/// is one victim.
void EvictionChecker::count_with_ended_anchor(
    Asked& asked, const ShownView& view, PodId member) const {
    for (const PodId other :
         world_.cluster.group_jobs.pods_of(world_.cluster.group_jobs.find(member))) {
        const auto shown = view.pods.find(other);
        if (shown != view.pods.end() && core::is_terminal(shown->second) &&
            world_.checkers.capacity_model().gangs().find(other) != nullptr) {
            asked.evicted.insert(shown->second.uid);
        }
    }
}

/// Another pod of its group, which bears the reservation, has been asked to go or is going.
bool EvictionChecker::goes_with_anchor(
    const Asked& asked, const ShownView& view, PodId member) const {
    const auto& pods = world_.cluster.group_jobs.pods_of(world_.cluster.group_jobs.find(member));
    return std::any_of(pods.begin(), pods.end(), [&](PodId other) {
        const auto shown = view.pods.find(other);
        return other != member && world_.checkers.capacity_model().gangs().find(other) != nullptr &&
               (shown == view.pods.end() || shown->second.deleting ||
                asked.evicted.contains(shown->second.uid));
    });
}

/// Its gang can do with less than it has, and what it is to keep stands in its reservation, as that
/// was shown. (A tenant may have changed that.)
bool EvictionChecker::keeps_minimum(const core::Pod& driver) const {
    const std::string* const text = core::find_value(driver.annotations, reservation_annotation);
    const auto read = decode_reservation(text == nullptr ? "" : *text, slots_read_max);
    if (!read) {
        return was_tampered(world_, number_of(driver.uid));
    }
    return std::any_of(read->shapes.begin(), read->shapes.end(), [](const ReservedShape& shape) {
        std::int64_t count = shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
        }
        return shape.min && count >= *shape.min;
    });
}

void EvictionChecker::check(
    std::uint32_t replica,
    const Process& process,
    const ShownView& view,
    const EvictPod& decision) {
    Asked& asked = asked_[replica];
    const auto wrong = [&](const char* what) {
        world_.checkers.violated(
            "eviction", fmt::format("r{} evicts {}: {}", replica, decision.pod.name, what));
    };
    ++world_.record.counts.evictions;
    const auto shown = view.pods.find(number_of(decision.pod.uid));
    // The answer to a bind may be there before the watch shows it.
    const core::Pod* const stored = world_.store.find_pod(number_of(decision.pod.uid));
    if (shown == view.pods.end() ||
        (shown->second.node_name.empty() && (stored == nullptr || stored->node_name.empty()))) {
        return wrong("it was not shown on a node");
    }
    const core::Pod& pod = shown->second.node_name.empty() ? *stored : shown->second;
    const ApplicationId application = world_.cluster.applications.find(shown->first);
    const std::string* const slot = core::find_value(pod.annotations, slot_annotation);
    const bool is_driver_pod = is_driver(world_, shown->first);
    // Not every executor names its driver as its owner.
    const auto driver = application == nobody || is_driver_pod
                            ? view.pods.end()
                            : view.pods.find(world_.cluster.applications.at(application).driver);
    const bool is_of_ended = application != nobody && !is_driver_pod &&
                             (driver == view.pods.end() || driver->second.deleting ||
                              asked.evicted.contains(driver->second.uid));
    if (is_of_ended) {
        return;
    }
    const bool is_of_group = world_.cluster.group_jobs.find(shown->first) != nobody;
    if (is_of_group && goes_with_anchor(asked, view, shown->first)) {
        return;
    }
    // The others go for a gang that waits.
    const std::vector<GangView> gangs = process.scheduler.gangs();
    if (std::none_of(gangs.begin(), gangs.end(), [](const GangView& gang) {
            return gang.code == ReasonCode::waiting_for_preemption;
        })) {
        wrong("for nobody");
    }
    const bool is_in_slot =
        !is_driver_pod && !is_of_group && slot != nullptr && *slot != surplus_slot;
    if (is_in_slot && (driver == view.pods.end() || !keeps_minimum(driver->second))) {
        wrong("a part of a gang that stays");
    }
    if (is_driver_pod || is_of_group) {
        asked.evicted.insert(decision.pod.uid);
    }
    if (is_of_group) {
        count_with_ended_anchor(asked, view, shown->first);
    }
    const std::int64_t now_ms = process.time.unix_ms();
    asked.victims_ms.push_back(now_ms);
    while (asked.victims_ms.front() <= now_ms - 60'000) {
        asked.victims_ms.pop_front();
    }
    if (static_cast<std::int64_t>(asked.victims_ms.size()) >
        world_.replicas[replica].schema.preemption.max_victims_per_minute) {
        wrong("one too many in a minute");
    }
}

}  // namespace gang::sim
