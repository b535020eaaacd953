#include "gang/preempt/evictions.hpp"

#include "gang/report/messages.hpp"

#include <iterator>
#include <utility>

namespace gang {
namespace {

/// Those of a broken gang that are still there are asked again after so long.
constexpr std::int64_t again_ms = 60'000;

}  // namespace

Evictions::Evictions(Model& model, StepContext& step, StatusReporter& status_reporter)
    : model_(model), step_(step), status_reporter_(status_reporter) {}

void Evictions::ask(const std::string& gang, const Victim& victim) {
    send(
        {gang, victim.uid, victim.kind == Victim::Kind::gang, victim.reason, {}},
        model_.pods.id_of(victim.uid));
}

void Evictions::send(Asked asked, PodId pod) {
    const PodRef ref = ref_of(model_.pods.copy_of(pod).pod);
    asked.pod.namespace_name = ref.namespace_name;
    asked.pod.name = ref.name;
    asked.pod.uid = ref.uid;
    step_.decisions.emplace_back(EvictPod{ref, asked.reason});
    asked_.insert_or_assign(ref.uid, std::move(asked));
    set_evicting(ref.uid, true);
}

/// The pod's group counts on it, or does so no more.
void Evictions::set_evicting(const std::string& pod, bool is_evicting) {
    const bool is_new =
        is_evicting ? model_.evicting.insert(pod).second : model_.evicting.erase(pod) > 0;
    const auto id = model_.pods.find(pod);
    if (is_new && id && !model_.pods[*id].group().empty()) {
        model_.worklist.dirty_groups.insert(model_.pods[*id].group());
    }
}

std::optional<Evictions::Asked> Evictions::finish(const EvictFinished& event) {
    const auto found = asked_.find(event.pod_uid);
    if (found == asked_.end()) {
        return std::nullopt;
    }
    Asked asked = std::move(found->second);
    asked_.erase(found);
    ++step_.counters.evictions[static_cast<std::size_t>(asked.reason)]
                              [static_cast<std::size_t>(event.outcome)];
    if (event.outcome == EvictOutcome::evicted) {
        status_reporter_.event(
            asked.pod,
            true,
            "Preempted",
            "evicted for " + for_whom(asked.gang, asked.pod.namespace_name, asked.reason));
    }
    if (event.outcome != EvictOutcome::evicted) {
        set_evicting(event.pod_uid, false);
    }
    // The gang that it went for may have its room already, and wait no more.
    const bool has_gone = event.outcome == EvictOutcome::evicted ||
                          event.outcome == EvictOutcome::gone || is_gone(event.pod_uid);
    if (asked.is_driver && has_gone) {
        lost_driver(asked.victim, asked.gang, asked.reason);
    }
    return asked;
}

void Evictions::lost_driver(
    const std::string& driver, const std::string& gang, EvictReason reason) {
    broken_.try_emplace(driver, Broken{gang, reason, 0});
}

void Evictions::follow() {
    std::erase_if(model_.evicting, [this](const std::string& pod) { return is_gone(pod); });
    for (auto one = broken_.begin(); one != broken_.end();) {
        one = follow(one->first, one->second) ? std::next(one) : broken_.erase(one);
    }
}

/// False: nobody is left of it.
bool Evictions::follow(const std::string& driver, Broken& broken) {
    bool is_any_left = model_.pods.find(driver).has_value();
    bool is_any_asked = false;
    for (const PodId member : model_.pods.owners().sorted_members_of(driver)) {
        const std::string uid = model_.pods.uid(member);
        if (is_gone(uid)) {
            continue;
        }
        is_any_left = true;
        if (broken.not_before_ms <= step_.now_ms && is_placed(uid) && !asked_.contains(uid)) {
            send({broken.gang, driver, false, broken.reason, {}}, member);
            is_any_asked = true;
        }
    }
    if (is_any_asked) {
        broken.not_before_ms = step_.now_ms + again_ms;
        step_.wake_at(broken.not_before_ms);
    }
    return is_any_left;
}

void Evictions::forget_all() {
    model_.evicting.clear();
    asked_.clear();
    broken_.clear();
}

bool Evictions::is_gone(const std::string& pod) const {
    const auto id = model_.pods.find(pod);
    return !id || !model_.pods[*id].holds_capacity() ||
           (!model_.pods.is_compacted(*id) && model_.pods.at(*id).pod.deleting);
}

bool Evictions::is_placed(const std::string& pod) const {
    const PodId id = model_.pods.id_of(pod);
    return model_.pods.is_compacted(id) || !model_.pods.at(id).pod.node_name.empty();
}

std::string Evictions::for_whom(
    const std::string& gang, std::string_view reader, EvictReason reason) const {
    const Application* const app = model_.gangs.find(gang);
    const std::string name =
        app == nullptr ? std::string("a gang that waited")
                       : gang_name_for(reader, *app, model_.schema.names_other_namespaces);
    return name + (reason == EvictReason::reclaim ? ": its queue holds less than it is guaranteed"
                                                  : ": its priority is higher");
}

}  // namespace gang
