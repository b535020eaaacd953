#include "gang/sim/quota/quota_checker.hpp"

#include "gang/decision.hpp"
#include "gang/quota/quota_messages.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace gang::sim {
namespace {

/// So many failures in a row, and a namespace of which nothing is known is taken for one without
/// quotas (docs/manage/quota.md).
constexpr int failures_max = 3;
/// The longest pause between two questions, and an answer that is late.
constexpr std::int64_t noticed_ms_max = 60'000;
constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();

void add(Taken& to, const Taken& more) {
    for (const auto& [resource, amount] : more) {
        to[resource] += amount;
    }
}

std::int64_t amount_in(const Taken& taken, const std::string& resource) {
    const auto found = taken.find(resource);
    return found == taken.end() ? 0 : found->second;
}

/// Queues have limits too, and the same codes.
bool names_object(const GangView& gang) {
    return gang.message.find("ResourceQuota") != std::string::npos ||
           gang.message.find("LimitRange") != std::string::npos;
}

/// What may keep a gang waiting whatever quotas say.
bool comes_before_quota(ReasonCode code) {
    switch (code) {
        case ReasonCode::waiting_for_spark_conf:
        case ReasonCode::waiting_for_volumes:
        case ReasonCode::waiting_for_pod_group:
        case ReasonCode::queue_stopped:
        case ReasonCode::held:
        case ReasonCode::misconfigured:
        case ReasonCode::backing_off:
        case ReasonCode::bind_failed:
        case ReasonCode::driver_ended:
            return true;
        default:
            return false;
    }
}

Taken times(const Taken& one, std::int64_t count) {
    Taken made;
    for (const auto& [resource, amount] : one) {
        made[resource] = count * amount;
    }
    return made;
}

}  // namespace

void QuotaChecker::process_started(std::uint32_t replica) {
    if (replica >= views_.size()) {
        views_.resize(replica + 1);
    }
    views_[replica] = {};
}

void QuotaChecker::event_applied(std::uint32_t replica, const Event& event) {
    View& view = views_[replica];
    if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
        const PodId id = number_of(upserted->pod.uid);
        view.waits_since_ms.try_emplace(id, world_.now_ms);
        view.priorities[id] = upserted->pod.priority;
    } else if (const auto* conf = std::get_if<SparkConfFound>(&event)) {
        view.waits_since_ms[number_of(conf->driver_uid)] = world_.now_ms;
    } else if (const auto* bind = std::get_if<BindFinished>(&event)) {
        view.waits_since_ms[number_of(bind->pod_uid)] = world_.now_ms;
    } else if (const auto* found = std::get_if<QuotasFound>(&event)) {
        Known& known = view.namespaces[found->namespace_name];
        known.quotas = found->quotas;
        known.asked_ms = known.asking_ms;
        known.failures = 0;
        known.promised = std::exchange(known.promised_next, {});
        world_.record.say([&] { return describe(replica, found->namespace_name, known); });
    } else if (const auto* missing = std::get_if<QuotasMissing>(&event)) {
        Known& known = view.namespaces[missing->namespace_name];
        ++known.failures;
        if (missing->problem != QuotaProblem::failed) {
            known.quotas = core::NamespaceQuotas{};
        }
    }
}

std::string QuotaChecker::describe(
    std::uint32_t replica, const std::string& namespace_name, const Known& known) {
    const auto sum_of = [](const std::map<std::string, Promise>& promises) {
        Taken sum;
        for (const auto& [uid, promise] : promises) {
            add(sum, promise.taken);
        }
        return sum;
    };
    std::string text = fmt::format("r{} hears of quotas of {}:", replica, namespace_name);
    for (const core::ResourceQuota& quota : known.quotas->quotas) {
        for (const core::QuotaAmount& amount : quota.amounts) {
            text += fmt::format(
                " {} {} of {} {}, {} promised;",
                quota.name,
                amount.resource,
                amount.hard,
                amount.used,
                amount_in(sum_of(known.promised), amount.resource));
        }
    }
    return text;
}

/// Nothing: not an application with executors, or a tenant has made something else of it.
const Application* QuotaChecker::find_declared(PodId driver) const {
    const ApplicationId application = world_.cluster.applications.find(driver);
    const core::Pod* const pod = world_.store.find_pod(driver);
    if (application == nobody || pod == nullptr) {
        return nullptr;
    }
    const Application& one = world_.cluster.applications.at(application);
    const bool is_edited = one.was_tampered || core::find_value(pod->labels, "edited") != nullptr;
    return one.driver == driver && !is_edited && one.declared > 0 ? &one : nullptr;
}

/// Of the executors; by the least that its conf ever said, where it was edited.
Taken QuotaChecker::needs_of(const Application& one) const {
    core::Resources executor{one.cpu_milli, one.memory_mib * 1024 * 1024, 0, {}};
    if (one.gpus > 0) {
        executor.extended = {{std::string(gpu_resource), one.gpus}};
    }
    return times(taken_by(executor), *std::min_element(one.ever.begin(), one.ever.end()));
}

/// Promises that were made before that time count.
std::optional<QuotaChecker::Gap> QuotaChecker::find_gap(
    const Known& known, const Application& one, PodId driver, std::int64_t before_ms) const {
    const Taken needs = needs_of(one);
    Taken promised;
    const std::string own = "p" + std::to_string(driver);
    for (const auto& [uid, promise] : known.promised) {
        if (uid != own && promise.at_ms < before_ms) {
            add(promised, promise.taken);
        }
    }
    const Taken driver_takes = taken_by({one.driver_cpu_milli, 1'408LL * 1024 * 1024, 0, {}});
    std::optional<Gap> gap;
    for (const core::LimitBounds& bounds : known.quotas->bounds) {
        if (bounds.max && one.memory_mib * 1024 * 1024 > *bounds.max) {
            return Gap{bounds.range, bounds.resource, true};
        }
    }
    for (const core::ResourceQuota& quota : known.quotas->quotas) {
        for (const core::QuotaAmount& amount : quota.amounts) {
            const std::int64_t asks = amount_in(needs, amount.resource);
            const std::int64_t taken = amount.used + amount_in(promised, amount.resource);
            if (asks == 0 || taken + asks <= amount.hard) {
                continue;
            }
            const std::int64_t alone =
                std::min(amount.used, amount_in(driver_takes, amount.resource)) + asks;
            const bool is_for_ever = alone > amount.hard;
            if (!gap || (is_for_ever && !gap->is_for_ever)) {
                gap = Gap{quota.name, amount.resource, is_for_ever};
            }
        }
    }
    return gap;
}

/// What gangs hold room for, and is not there yet, will be used beside what the answer says.
void QuotaChecker::asks(
    std::uint32_t replica, const Process& process, const std::string& namespace_name) {
    Known& known = views_[replica].namespaces[namespace_name];
    known.asking_ms = world_.now_ms;
    known.promised_next.clear();
    ++world_.record.counts.quotas_asked;
    for (const GangView& gang : process.scheduler.gangs()) {
        const Application* const one = find_declared(number_of(gang.driver_uid));
        if (gang.namespace_name != namespace_name || one == nullptr || gang.slots_open == 0 ||
            gang.state == GangState::waiting) {
            continue;
        }
        const std::int64_t least = *std::min_element(one->ever.begin(), one->ever.end());
        if (least > 0) {
            Promise& promise = known.promised_next[gang.driver_uid];
            promise.at_ms = world_.now_ms;
            for (const auto& [resource, amount] : needs_of(*one)) {
                promise.taken[resource] = amount / least * gang.slots_open;
            }
        }
    }
}

bool QuotaChecker::keeps_waiting(std::uint32_t replica, PodId driver) const {
    const Application* const one = find_declared(driver);
    const View& view = views_[replica];
    const auto since = view.waits_since_ms.find(driver);
    if (one == nullptr || since == view.waits_since_ms.end()) {
        return false;
    }
    const auto known = view.namespaces.find(one->tenant);
    return known != view.namespaces.end() && known->second.quotas &&
           since->second <= known->second.asked_ms &&
           find_gap(known->second, *one, driver, always).has_value();
}

void QuotaChecker::admits(std::uint32_t replica, const Process& process, const BindPod& bind) {
    const PodId driver = number_of(bind.pod.uid);
    const Application* const one = find_declared(driver);
    if (one == nullptr || amount_in(needs_of(*one), "pods") == 0) {
        return;
    }
    View& view = views_[replica];
    Known& known = view.namespaces[one->tenant];
    const auto wrong = [&](const std::string& why) {
        world_.checkers.violated(
            "namespace-quota",
            fmt::format("r{} binds {}/{}: {}", replica, one->tenant, bind.pod.name, why));
    };
    // What is forgotten because nobody waited there, and cannot be read again, is as good as
    // unknown.
    const bool is_given_up = known.failures >= failures_max;
    if (!known.quotas && !is_given_up) {
        return wrong("before it knows the quotas of its namespace");
    }
    if (known.quotas && !known.quotas->is_empty() && !is_given_up) {
        if (!known.quotas->quotas.empty() && known.asked_ms < view.waits_since_ms.at(driver)) {
            return wrong("by an answer from before its driver came");
        }
        if (const auto gap = find_gap(known, *one, driver, always)) {
            return wrong(fmt::format("{} of {} is not enough", gap->resource, gap->quota));
        }
        check_turn(replica, process, known, bind);
        ++world_.record.counts.gangs_within_quotas;
    }
    const Promise promise{needs_of(*one), world_.now_ms};
    known.promised[bind.pod.uid] = promise;
    known.promised_next[bind.pod.uid] = promise;
}

/// Who was admitted in the same step may have taken what another waits for now.
void QuotaChecker::check_turn(
    std::uint32_t replica, const Process& process, const Known& known, const BindPod& bind) const {
    const View& view = views_[replica];
    const PodId driver = number_of(bind.pod.uid);
    const Application& one = *find_declared(driver);
    const core::Pod& pod = *world_.store.find_pod(driver);
    for (const GangView& gang : process.scheduler.gangs()) {
        const PodId id = number_of(gang.driver_uid);
        const Application* const other = find_declared(id);
        const bool waits = gang.state != GangState::ended && is_about_quota(gang.code) &&
                           names_object(gang) && gang.namespace_name == one.tenant;
        if (!waits || other == nullptr || other->conf_was_edited || id == driver ||
            view.waits_since_ms.at(id) > known.asked_ms) {
            continue;
        }
        const core::Pod& before = *world_.store.find_pod(id);
        const bool is_before =
            std::pair(before.created, before.uid) < std::pair(pod.created, pod.uid) &&
            view.priorities.at(id) >= view.priorities.at(driver);
        const auto gap = is_before ? find_gap(known, *other, id, world_.now_ms) : std::nullopt;
        if (gap && !gap->is_for_ever && amount_in(needs_of(one), gap->resource) > 0) {
            world_.checkers.violated(
                "quota-turn",
                fmt::format(
                    "r{} binds {} while {}, which came before it, waits for {} of {}",
                    replica,
                    bind.pod.name,
                    gang.driver,
                    gap->resource,
                    gap->quota));
        }
    }
}

void QuotaChecker::inspect(std::uint32_t replica, const Process& process) {
    std::set<std::string> held_for;
    for (const NodeLedger& node : process.scheduler.ledger()) {
        for (const HeldUnit& unit : node.units) {
            held_for.insert(unit.driver_uid);
        }
    }
    std::set<std::string> waits_in;
    std::vector<GangView> gangs = process.scheduler.gangs();
    std::sort(gangs.begin(), gangs.end(), [](const GangView& a, const GangView& b) {
        return number_of(a.driver_uid) < number_of(b.driver_uid);
    });
    for (const GangView& gang : gangs) {
        const PodId driver = number_of(gang.driver_uid);
        const bool waits = gang.state == GangState::waiting || gang.state == GangState::parked;
        const Application* const one = find_declared(driver);
        if (!waits || one == nullptr) {
            continue;
        }
        const bool says = is_about_quota(gang.code);
        // Nothing is said of claims that are being read.
        const bool may_read = gang.code == ReasonCode::none && one->has_volumes;
        if (!says && !may_read && !comes_before_quota(gang.code) && keeps_waiting(replica, driver)) {
            world_.checkers.violated(
                "quota-said",
                fmt::format(
                    "r{}: {} is kept by a quota and says: {}", replica, gang.driver, gang.message));
        }
        if (says && held_for.contains(gang.driver_uid)) {
            world_.checkers.violated(
                "quota-room",
                fmt::format("r{}: {} waits for quota and holds room", replica, gang.driver));
        }
        if (says && names_object(gang)) {
            ++world_.record.counts.waits_for_quota;
            check_wait(replica, gang, waits_in.insert(gang.namespace_name).second);
        } else {
            views_[replica].free_since_ms.erase(driver);
        }
    }
}

/// Those behind another of their namespace wait for that one.
void QuotaChecker::check_wait(std::uint32_t replica, const GangView& gang, bool is_first) {
    const PodId driver = number_of(gang.driver_uid);
    auto& free_since_ms = views_[replica].free_since_ms;
    if (!world_.faults.is_calm() || !is_first || !has_room(*find_declared(driver))) {
        free_since_ms.erase(driver);
        return;
    }
    const std::int64_t since_ms = free_since_ms.try_emplace(driver, world_.now_ms).first->second;
    if (world_.now_ms - since_ms > noticed_ms_max) {
        world_.checkers.violated(
            "quota-wait",
            fmt::format(
                "r{}: {} could start since {:.1f} s, and says: {}",
                replica,
                gang.driver,
                static_cast<double>(since_ms) / 1'000,
                gang.message));
    }
}

/// In truth, with every slot that stands open in its namespace taken for an executor to come.
bool QuotaChecker::has_room(const Application& one) const {
    Known now;
    now.quotas = world_.cluster.namespace_quotas.now_in(one.tenant);
    const CapacityModel& room = world_.checkers.capacity_model();
    for (const auto& [driver, gang] : room.gangs().all()) {
        const ApplicationId application = world_.cluster.applications.find(driver);
        if (!gang.is_live || application == nobody ||
            world_.cluster.applications.at(application).tenant != one.tenant) {
            continue;
        }
        const Application& other = world_.cluster.applications.at(application);
        const std::int64_t open = std::max<std::int64_t>(0, gang.slots - room.pods().assigned(driver));
        const std::int64_t least = *std::min_element(other.ever.begin(), other.ever.end());
        if (least == 0) {
            return false;
        }
        Taken& promised = now.promised["p" + std::to_string(driver)].taken;
        for (const auto& [resource, amount] : needs_of(other)) {
            promised[resource] = amount / least * open;
        }
    }
    const std::int64_t most = *std::max_element(one.ever.begin(), one.ever.end());
    return most == *std::min_element(one.ever.begin(), one.ever.end()) &&
           !find_gap(now, one, one.driver, always);
}

}  // namespace gang::sim
