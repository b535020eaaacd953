#include "gang/preempt/victim_sender.hpp"

#include "gang/preempt/victim_list.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace gang {
namespace {

constexpr std::int64_t minute_ms = 60'000;
/// Who was refused by a budget is passed over for so long: longer than until others are looked for.
constexpr std::int64_t budget_ms = 2 * minute_ms;
constexpr std::int64_t refused_ms = 10 * minute_ms;
constexpr std::int64_t unsent_ms = 5'000;

}  // namespace

VictimSender::VictimSender(
    Model& model, StepContext& step, StatusReporter& status_reporter, Publisher& publisher)
    : model_(model),
      step_(step),
      status_reporter_(status_reporter),
      publisher_(publisher),
      evictions_(model, step, status_reporter),
      soft_(model, publisher) {}

/// Victims of the last minute stay counted.
void VictimSender::forget_all() {
    evictions_.forget_all();
    soft_.forget_all();
    spared_.clear();
}

void VictimSender::forget_old() {
    std::erase_if(spared_, [&](const auto& one) { return one.second <= step_.now_ms; });
    while (!taken_ms_.empty() && taken_ms_.front() <= step_.now_ms - minute_ms) {
        taken_ms_.pop_front();
    }
}

void VictimSender::on(const EvictFinished& event) {
    const auto asked = evictions_.finish(event);
    if (!asked) {
        return;
    }
    if (soft_.is_taken(event.pod_uid)) {
        finish_soft(event, *asked);
    }
    const auto nominated = model_.nominations.all().find(asked->gang);
    if (nominated == model_.nominations.all().end() || asked->victim != event.pod_uid) {
        return;  // of a gang that ends in any case, or of one that waits no more
    }
    for (Victim& victim : nominated->second.victims) {
        if (victim.uid != event.pod_uid || victim.kind == Victim::Kind::open_slot) {
            continue;
        }
        switch (event.outcome) {
            case EvictOutcome::evicted:
            case EvictOutcome::gone:
                victim.stage = Victim::Stage::ending;
                break;
            case EvictOutcome::budget:
            case EvictOutcome::refused:
                spared_[victim.uid] =
                    step_.now_ms +
                    (event.outcome == EvictOutcome::budget ? budget_ms : refused_ms);
                victim.stage = Victim::Stage::planned;
                nominated->second.replan_ms = step_.now_ms + minute_ms;
                step_.wake_at(nominated->second.replan_ms);
                break;
            case EvictOutcome::not_sent:
                victim.stage = Victim::Stage::planned;
                victim.not_before_ms = step_.now_ms + unsent_ms;
                step_.wake_at(victim.not_before_ms);
                break;
        }
    }
}

/// Of an executor whose slot has left its gang's reservation.
void VictimSender::finish_soft(const EvictFinished& event, const Evictions::Asked& asked) {
    switch (event.outcome) {
        case EvictOutcome::evicted:
            step_.counters.soft_slots_given_up[static_cast<std::size_t>(asked.reason)] += 1;
            if (const Application* const app = model_.gangs.find(soft_.driver_of(event.pod_uid))) {
                status_reporter_.event(
                    model_.driver_of(*app),
                    true,
                    "Preempted",
                    "executor " + asked.pod.name + ", beyond the minimum, was evicted for " +
                        evictions_.for_whom(asked.gang, app->namespace_name.str(), asked.reason));
            }
            soft_.went(event.pod_uid);
            break;
        case EvictOutcome::gone:
            soft_.went(event.pod_uid);
            break;
        case EvictOutcome::budget:
        case EvictOutcome::refused:
            soft_.put_back(event.pod_uid);
            break;
        case EvictOutcome::not_sent:
            soft_.set_asked(event.pod_uid, false);
            break;  // asked again, or put back when nobody wants its room
    }
}

/// Their gang waits no more, or has found other room.
void VictimSender::put_back_unwanted() {
    if (soft_.remembered() == 0) {
        return;
    }
    std::set<std::string> wanted;
    for (const auto& [gang, nomination] : model_.nominations.all()) {
        for (const Victim& victim : nomination.victims) {
            wanted.insert(victim.uid);
        }
    }
    const std::size_t before = soft_.remembered();
    soft_.put_back_unless([&](const std::string& pod) {
        return wanted.contains(pod) || evictions_.is_asked(pod) || evictions_.is_gone(pod);
    });
    if (soft_.remembered() != before) {
        step_.wake_at(step_.now_ms);
    }
}

/// That are there, and hold room.
std::int64_t VictimSender::pods_of(const Victim& victim) const {
    if (victim.kind == Victim::Kind::open_slot) {
        return 0;
    }
    const auto holds = [&](PodId pod) { return model_.pods[pod].holds_capacity() ? 1 : 0; };
    const auto first = model_.pods.find(victim.uid);
    std::int64_t pods = first ? holds(*first) : 0;
    if (victim.kind == Victim::Kind::gang) {
        for (const PodId member : model_.pods.owners().members_of(victim.uid)) {
            pods += holds(member);
        }
    }
    return pods;
}

void VictimSender::send(const std::string& gang, Nomination& nomination) {
    for (Victim& victim : nomination.victims) {
        const bool may_go = nomination.replan_ms == 0 && victim.not_before_ms <= step_.now_ms;
        if (victim.kind == Victim::Kind::soft_executor) {
            if (victim.stage == Victim::Stage::planned && may_go) {
                send_soft(gang, nomination, victim);
            }
            continue;
        }
        if (victim.stage == Victim::Stage::planned && evictions_.is_gone(victim.uid)) {
            // Pods of a group stay when the one that we call its driver has ended by itself.
            const bool is_over = victim.kind == Victim::Kind::open_slot || pods_of(victim) == 0;
            if (!is_over && (!may_go || !may_take_victim())) {
                continue;
            }
            victim.stage = Victim::Stage::ending;
        }
        if (victim.stage == Victim::Stage::ending && victim.kind == Victim::Kind::gang) {
            evictions_.lost_driver(victim.uid, gang, victim.reason);
        }
        if (victim.kind == Victim::Kind::open_slot) {
            if (victim.stage == Victim::Stage::planned && may_go) {
                take_slots(gang, nomination, victim);
            }
            continue;
        }
        // Of an executor that lost its slot for a plan of before.
        const bool is_taken = soft_.is_taken(victim.uid);
        if (victim.stage != Victim::Stage::planned || !may_go ||
            !evictions_.is_placed(victim.uid) || (is_taken && !soft_.is_out(victim.uid)) ||
            !may_take_victim()) {
            continue;
        }
        if (is_taken) {
            soft_.set_asked(victim.uid, true);
        }
        victim.stage = Victim::Stage::asked;
        evictions_.ask(gang, victim);
    }
}

/// Its slot leaves the reservation first. Who is on its way out by itself is not asked.
void VictimSender::send_soft(const std::string& gang, Nomination& nomination, Victim& victim) {
    if (!soft_.is_taken(victim.uid)) {
        if (!evictions_.is_gone(victim.uid) && !has_victims_left(soft_.waiting())) {
            return;
        }
        if (!soft_.take_out(victim.uid)) {
            plan_anew(nomination);
            return;
        }
        step_.wake_at(step_.now_ms);  // what it says now is written with the next tick
    }
    if (evictions_.is_gone(victim.uid)) {
        victim.stage = Victim::Stage::ending;
        soft_.went(victim.uid);
    } else if (model_.pods[model_.pods.id_of(victim.uid)].slot() >= 0) {
        soft_.put_back(victim.uid);  // an open slot of its gang on its node has become its own
        plan_anew(nomination);
    } else if (soft_.is_out(victim.uid) && may_take_victim()) {
        victim.stage = Victim::Stage::asked;
        soft_.set_asked(victim.uid, true);
        evictions_.ask(gang, victim);
    }
}

void VictimSender::plan_anew(Nomination& nomination) {
    nomination.nodes_version = void_plan;
    step_.wake_at(step_.now_ms);
}

/// All that are to go of the same gang. Their room is free when the API server has its new
/// reservation. If an executor has come for one of them, others are looked for.
void VictimSender::take_slots(
    const std::string& gang, Nomination& nomination, const Victim& first) {
    const std::string owner_uid = first.uid;
    const EvictReason reason = first.reason;
    Application& owner = *model_.gangs.find(owner_uid);  // send() has asked whether it is gone
    std::vector<std::size_t> soft = soft_slots(owner, model_.pods).open;
    std::vector<std::size_t> taken;
    for (Victim& victim : nomination.victims) {
        if (victim.uid != owner_uid || victim.kind != Victim::Kind::open_slot) {
            continue;
        }
        victim.stage = Victim::Stage::ending;
        const auto slot = std::find_if(soft.begin(), soft.end(), [&](std::size_t i) {
            return owner.slots[i].shape == victim.shape &&
                   model_.cluster.allocations().of(owner.slots[i].allocation).node == victim.node;
        });
        if (slot == soft.end()) {
            plan_anew(nomination);
            continue;
        }
        taken.push_back(*slot);
        soft.erase(slot);
    }
    if (taken.empty()) {
        return;
    }
    std::sort(taken.begin(), taken.end());
    step_.counters.soft_slots_given_up[static_cast<std::size_t>(reason)] += taken.size();
    model_.ledger.give_up(owner, taken, publisher_.rewrite(owner));
    model_.worklist.dirty_gangs.insert(owner.uid);
    step_.wake_at(step_.now_ms);  // it is written with the next tick
    status_reporter_.event(
        model_.driver_of(owner),
        true,
        "Preempted",
        std::to_string(taken.size()) + " open slots beyond the minimum were given to " +
            evictions_.for_whom(gang, owner.namespace_name.str(), reason));
}

/// More than those for whom there is a place already.
bool VictimSender::has_victims_left(std::size_t promised) {
    const auto most = static_cast<std::size_t>(model_.schema.preemption.max_victims_per_minute);
    if (taken_ms_.size() + promised < most) {
        return true;
    }
    if (!taken_ms_.empty()) {
        step_.wake_at(taken_ms_.front() + minute_ms);
    }
    return false;
}

bool VictimSender::may_take_victim() {
    if (!has_victims_left(0)) {
        return false;
    }
    taken_ms_.push_back(step_.now_ms);
    return true;
}

}  // namespace gang
