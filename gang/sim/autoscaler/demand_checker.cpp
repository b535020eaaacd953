#include "gang/sim/autoscaler/demand_checker.hpp"

#include "gang/decision.hpp"
#include "gang/quota/quota_messages.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace gang::sim {
namespace {

/// Objects are listed every ten minutes, and after half a minute where that failed.
constexpr std::int64_t left_ms_max = 690'000;
/// For so long, less a little, a node that came is kept for whoever was asked for.
constexpr std::int64_t kept_ms = 4 * 60'000;

bool waits(const GangView& gang) {
    return gang.state == GangState::waiting || gang.state == GangState::parked;
}

/// How many of them go there.
std::int64_t fitting(const core::Resources& free, std::int64_t pods, const core::Resources& each) {
    const std::int64_t count = std::min(
        {free.cpu_milli / each.cpu_milli, free.memory_bytes / each.memory_bytes, pods});
    return std::max<std::int64_t>(0, count);
}

}  // namespace

void DemandChecker::process_started(std::uint32_t replica) {
    if (replica >= views_.size()) {
        views_.resize(replica + 1);
    }
    views_[replica] = {};
}

/// Bound pods may name a node before it is listed: then it is not new to the scheduler.
void DemandChecker::node_comes(View& view, const std::string& name) {
    view.is_listed = view.is_listed || view.is_complete;
    if (view.nodes.insert(name).second && view.is_listed && !view.pods_on.contains(name)) {
        view.came_ms[name] = world_.now_ms;
    }
}

void DemandChecker::answered(View& view, const CapacityAnswered& answer) {
    if (view.dropping.erase(answer.driver_uid) > 0) {
        if (answer.outcome != CapacityOutcome::failed) {
            view.asked.erase(answer.driver_uid);
        }
    } else if (answer.outcome == CapacityOutcome::written) {
        view.asked.try_emplace(answer.driver_uid, Asked{world_.now_ms});
        ++world_.record.counts.demands_written;
    }
}

void DemandChecker::event_applied(std::uint32_t replica, const Event& event) {
    View& view = views_[replica];
    if (const auto* pod = std::get_if<PodUpserted>(&event)) {
        view.pods_on.insert(pod->pod.node_name);
    } else if (const auto* node = std::get_if<NodeUpserted>(&event)) {
        node_comes(view, node->node.name);
    } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
        view.nodes.erase(gone->name);
        view.came_ms.erase(gone->name);
    } else if (const auto* begun = std::get_if<RelistBegun>(&event)) {
        view.is_complete = view.is_complete && begun->kind != Kind::nodes;
    } else if (const auto* ended = std::get_if<RelistEnded>(&event)) {
        view.is_complete = view.is_complete || ended->kind == Kind::nodes;
    } else if (const auto* answer = std::get_if<CapacityAnswered>(&event)) {
        answered(view, *answer);
    } else if (const auto* listed = std::get_if<CapacityListed>(&event)) {
        for (const FoundCapacity& found : listed->found) {
            view.asked.try_emplace(found.driver_uid, Asked{world_.now_ms, false});
        }
    } else if (
        std::holds_alternative<LeadershipGained>(event) ||
        std::holds_alternative<LeadershipLost>(event)) {
        view.asked.clear();
    }
}

/// Nothing: it asks for more than cpu and memory, or a tenant has made something else of it.
const Application* DemandChecker::find_plain(PodId driver) const {
    const ApplicationId application = world_.cluster.applications.find(driver);
    const core::Pod* const pod = world_.store.find_pod(driver);
    if (application == nobody || pod == nullptr) {
        return nullptr;
    }
    const Application& one = world_.cluster.applications.at(application);
    const bool is_plain = !one.was_tampered && !one.conf_was_edited && one.gpus == 0 &&
                          one.card_units == 0 && !one.has_port && !one.has_volumes &&
                          core::find_value(pod->labels, "edited") == nullptr;
    return one.driver == driver && is_plain ? &one : nullptr;
}

void DemandChecker::wants(
    std::uint32_t replica, const Process& process, const WantCapacity& decision) {
    const PodId driver = number_of(decision.driver.uid);
    const GroupId group = world_.cluster.group_jobs.find(driver);
    const ApplicationId application = world_.cluster.applications.find(driver);
    const auto wrong = [&](const char* rule, const std::string& why) {
        world_.checkers.violated(
            rule, fmt::format("r{} asks for {}: {}", replica, decision.driver.name, why));
    };
    const std::vector<GangView> gangs = process.scheduler.gangs();
    const auto gang = std::find_if(gangs.begin(), gangs.end(), [&](const GangView& one) {
        return one.driver_uid == decision.driver.uid;
    });
    const std::int64_t count = std::accumulate(
        decision.shapes.begin(),
        decision.shapes.end(),
        std::int64_t{0},
        [](std::int64_t sum, const core::CapacityShape& shape) { return sum + shape.count; });
    if ((application == nobody && group == nobody) || gang == gangs.end() ||
        gang->state == GangState::ended || count == 0) {
        return wrong("demand-needless", "there is no such gang, or it needs nothing");
    }
    if (!waits(*gang)) {
        if (count > gang->slots_open) {
            wrong("demand-size", fmt::format("{}, of {} open slots", count, gang->slots_open));
        }
        return;
    }
    if (group != nobody) {
        const std::string why = what_is_wrong_with(driver, decision.shapes);
        if (!why.empty()) {
            wrong("demand-size", why);
        }
    } else if (find_plain(driver) != nullptr) {
        const std::vector<std::int64_t>& ever = world_.cluster.applications.at(application).ever;
        if (std::find(ever.begin(), ever.end(), count) == ever.end()) {
            wrong("demand-size", fmt::format("{} executors, which it never declared", count));
        }
    }
    const bool is_kept =
        world_.plan.has_quotas && world_.checker_suite.quotas.keeps_waiting(replica, driver);
    if (is_about_quota(gang->code) || is_kept) {
        wrong("demand-for-quota", gang->message);
    }
}

/// Of a pod group that waits: the anchor is a pod that the autoscaler sees, the others are asked
/// for. Empty: nothing, or a tenant has made something else of the group.
std::string DemandChecker::what_is_wrong_with(
    PodId anchor, const std::vector<core::CapacityShape>& shapes) const {
    const GroupJob& job = world_.cluster.group_jobs.at(world_.cluster.group_jobs.find(anchor));
    if (job.was_tampered) {
        return {};
    }
    std::int64_t members = 1;
    for (const PodId id : world_.cluster.group_jobs.pods_of(world_.cluster.group_jobs.find(anchor))) {
        const core::Pod* const pod = world_.store.find_pod(id);
        members += pod != nullptr && !pod->node_name.empty() ? 1 : 0;
    }
    for (const core::CapacityShape& shape : shapes) {
        members += shape.count;
        std::int64_t alike = 0;
        for (const GroupRole& role : job.roles) {
            alike += role.requests == shape.requests ? role.pods : 0;
        }
        if (shape.count > alike) {
            return fmt::format(
                "{} members of {}m cpu, of {}", shape.count, shape.requests.cpu_milli, alike);
        }
    }
    if (members < job.least_minimum) {
        return fmt::format(
            "with it and those on nodes {} members, of {} that are the least",
            members,
            job.least_minimum);
    }
    return {};
}

void DemandChecker::drops(std::uint32_t replica, const DropCapacity& decision) {
    views_[replica].dropping.insert(decision.driver.uid);
}

void DemandChecker::binds(std::uint32_t replica, const Process& process, const BindPod& bind) {
    const View& view = views_[replica];
    const std::string* const slot = core::find_value(bind.annotations, slot_annotation);
    const config::Schema& file = world_.replicas[replica].schema;
    // Who was evicted for, and who is passed by nobody, goes before nodes that are bought.
    // Nothing is kept for whom rules between pods reach: here rules of any pod may reach any.
    const bool is_simple =
        world_.plan.rule_percent == 0 &&
        std::all_of(file.queues.begin(), file.queues.end(), [](const config::Queue& one) {
            return one.preemption == config::QueuePreemption{} && !one.is_max_wait_strict;
        });
    // Those who were asked for share: what the first had no use for was kept for the next.
    if ((slot != nullptr && *slot != surplus_slot) || view.came_ms.empty() || !is_simple ||
        file.nodes.headroom_cpu_milli > 0 || view.asked.contains(bind.pod.uid)) {
        return;
    }
    std::vector<NodeLedger> ledger;
    for (const GangView& gang : process.scheduler.gangs()) {
        const auto asked = view.asked.find(gang.driver_uid);
        const bool is_kept_for = asked != view.asked.end() && asked->second.is_certain &&
                                 gang.code == ReasonCode::waiting_for_nodes && waits(gang) &&
                                 view.waits_for_nodes.contains(gang.driver_uid) &&
                                 process.time.was_right_since(asked->second.at_ms);
        if (!is_kept_for) {
            continue;
        }
        ledger = ledger.empty() ? process.scheduler.ledger() : std::move(ledger);
        if (takes_room_of(view, ledger, bind, gang.driver_uid)) {
            world_.checkers.violated(
                "bought-room",
                fmt::format(
                    "r{} binds {} on {} while {}, which was asked for, waits: {}",
                    replica,
                    bind.pod.name,
                    bind.node,
                    gang.driver,
                    gang.message));
        }
    }
}

/// Nothing: its pods have several sizes, or need more to be said than cpu and memory.
std::optional<DemandChecker::Lacking> DemandChecker::find_lacking(PodId driver) const {
    const GroupId group = world_.cluster.group_jobs.find(driver);
    if (group != nobody) {
        const GroupJob& job = world_.cluster.group_jobs.at(group);
        if (job.was_tampered || job.roles.size() > 1) {
            return std::nullopt;
        }
        std::int64_t lacks = job.least_minimum;
        for (const PodId id : world_.cluster.group_jobs.pods_of(group)) {
            const core::Pod* const pod = world_.store.find_pod(id);
            lacks -= pod != nullptr && !pod->node_name.empty() ? 1 : 0;
        }
        return Lacking{job.roles.front().requests, lacks, {}};
    }
    const Application* const one = find_plain(driver);
    if (one == nullptr) {
        return std::nullopt;
    }
    // What is held for its driver is no room for an executor; one of the same size cannot be told.
    const core::Resources executor{one->cpu_milli, one->memory_mib * 1024 * 1024, 0, {}};
    if (world_.store.find_pod(driver)->requests == executor) {
        return std::nullopt;
    }
    return Lacking{executor, one->declared, one->pool};
}

/// The ledger is that after the bind. What is held for the gang is its own.
bool DemandChecker::takes_room_of(
    const View& view,
    const std::vector<NodeLedger>& ledger,
    const BindPod& bind,
    const std::string& gang) const {
    const std::optional<Lacking> lacking = find_lacking(number_of(gang));
    const core::Pod* const pod = world_.store.find_pod(number_of(bind.pod.uid));
    if (!lacking || pod == nullptr) {
        return false;
    }
    std::int64_t room = 0;
    bool is_less = false;
    for (const NodeLedger& node : ledger) {
        const auto came = view.came_ms.find(node.name);
        const core::Node* const stored = world_.store.find_node(number_of(node.name));
        if (came == view.came_ms.end() || came->second < view.asked.at(gang).at_ms ||
            stored == nullptr || !is_in_pool(*stored, lacking->pool)) {
            continue;
        }
        core::Resources after = node.free;
        core::Resources taken;
        std::int64_t pods_after = node.pods_free;
        std::int64_t pods_taken = 0;
        for (const HeldUnit& unit : node.units) {
            if (unit.driver_uid == gang && unit.requests == lacking->each) {
                core::add_times(after, unit.requests, 1);
                ++pods_after;
            } else if (unit.driver_uid == bind.pod.uid) {
                core::add_times(taken, unit.requests, 1);
                ++pods_taken;
            }
        }
        if (node.name == bind.node) {
            core::add_times(taken, pod->requests, 1);
            ++pods_taken;
        }
        core::Resources before = after;
        core::add_times(before, taken, 1);
        const std::int64_t left = fitting(after, pods_after, lacking->each);
        room += left;
        is_less = is_less || (world_.now_ms - came->second < kept_ms &&
                              fitting(before, pods_after + pods_taken, lacking->each) > left);
    }
    return is_less && room < lacking->pods;
}

void DemandChecker::look(std::uint32_t replica, const Process& process) {
    View& view = views_[replica];
    view.waits_for_nodes.clear();
    for (const GangView& gang : process.scheduler.gangs()) {
        if (gang.code == ReasonCode::waiting_for_nodes && waits(gang)) {
            view.waits_for_nodes.insert(gang.driver_uid);
        }
    }
}

void DemandChecker::inspect(std::uint32_t replica, const Process& process) {
    std::map<std::string, const GangView*> gangs;
    const std::vector<GangView> all = process.scheduler.gangs();
    for (const GangView& gang : all) {
        gangs[gang.driver_uid] = &gang;
    }
    if (!world_.plan.has_queues) {  // where others are evicted, room is held for that, too
        for (const NodeLedger& node : process.scheduler.ledger()) {
            for (const HeldUnit& unit : node.units) {
                const auto gang = gangs.find(unit.driver_uid);
                const bool may_hold = gang != gangs.end() && waits(*gang->second) &&
                                      views_[replica].asked.contains(unit.driver_uid);
                if (unit.state == HeldUnit::State::nominated && !may_hold) {
                    world_.checkers.violated(
                        "bought-room",
                        fmt::format("r{} holds room on {} for {}", replica, node.name, unit.gang));
                }
            }
        }
    }
    std::set<std::string> left;
    for (const auto& [uid, demand] : world_.cluster.autoscaler.all()) {
        const auto gang = gangs.find(uid);
        const bool is_over = gang == gangs.end() || gang->second->state == GangState::ended;
        const bool is_complete = !is_over && !waits(*gang->second) &&
                                 gang->second->slots_open + gang->second->slots_assumed == 0;
        const bool is_kept = !is_over && waits(*gang->second) && is_about_quota(gang->second->code);
        if (!world_.faults.is_calm() || !(is_over || is_complete || is_kept)) {
            continue;
        }
        left.insert(uid);
        const std::int64_t since_ms = left_since_ms_.try_emplace(uid, world_.now_ms).first->second;
        if (world_.now_ms - since_ms > left_ms_max &&
            world_.now_ms - process.leads_since_ms() > left_ms_max) {
            world_.checkers.violated(
                "demand-left",
                fmt::format(
                    "r{}: what was asked for {} still stands", replica, demand.driver.name));
        }
    }
    std::erase_if(left_since_ms_, [&](const auto& one) { return !left.contains(one.first); });
}

}  // namespace gang::sim
