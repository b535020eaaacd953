#include "gang/preempt/preemption.hpp"

#include "gang/model/work.hpp"
#include "gang/preempt/victim_search.hpp"
#include "gang/quota/turns.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gang {
namespace {

/// A nomination for which nothing more comes free, though all victims have gone, is over.
constexpr std::int64_t stalled_ms = 60'000;
/// A search in vain is repeated, if something has changed, after so long.
constexpr std::int64_t search_ms = 5'000;
/// Those of one queue that cannot be a preemptor, passed over to find one that can.
constexpr int passed_over_max = 16;

bool is_configured(const config::Schema& schema) {
    return std::any_of(schema.queues.begin(), schema.queues.end(), [](const config::Queue& queue) {
        return queue.preemption != config::QueuePreemption{};
    });
}

core::ShapeId shape_of(const Application& app, std::size_t shape) {
    return shape == 0 ? *app.declared.driver_shape : app.declared.shapes[shape - 1].id;
}

}  // namespace

Preemption::Preemption(
    Model& model,
    StepContext& step,
    StatusReporter& status_reporter,
    Publisher& publisher,
    Placer& placer,
    DomainPlacer& domain_placer,
    QuotaGate& quota,
    WaitingStatus& status)
    : model_(model),
      step_(step),
      placer_(placer),
      domain_placer_(domain_placer),
      quota_(quota),
      status_(status),
      sender_(model, step, status_reporter, publisher),
      is_on_(is_configured(model.schema)) {}

void Preemption::on(const LeadershipLost&) {
    forget_plans();
    sender_.forget_all();
}

void Preemption::forget_plans() {
    while (model_.nominations.size() > 0) {
        give_back(std::string(model_.nominations.all().begin()->first));
    }
    searched_.clear();
    progress_.clear();
}

void Preemption::config_changed() {
    is_on_ = is_configured(model_.schema);
    if (!is_on_) {
        forget_plans();
        sender_.forget_spared();
    }
    for (auto& [uid, nomination] : model_.nominations.all()) {
        nomination.nodes_version = void_plan;  // planned anew, by what the file allows now
    }
    searched_.clear();
}

/// The gang is searched for anew.
void Preemption::give_back(const std::string& gang) {
    model_.nominations.give_back(gang, model_.cluster);
    searched_.erase(gang);
    progress_.erase(gang);
}

/// A wish gives way to what exists: nothing stays held on a node that others have overcommitted.
void Preemption::give_way() {
    std::vector<std::string> over;
    for (const auto& [uid, nomination] : model_.nominations.all()) {
        const bool is_in_the_way = std::any_of(
            nomination.held.begin(), nomination.held.end(), [this](core::AllocationId room) {
                return model_.cluster.columns().is_overcommitted(
                    model_.cluster.allocations().of(room).node);
            });
        if (is_in_the_way) {
            over.push_back(uid);
        }
    }
    for (const std::string& uid : over) {
        give_back(uid);
    }
}

void Preemption::hold_room() {
    sender_.hold_unwritten();
    give_way();
    bool is_any_held = false;
    for (auto& [uid, nomination] : model_.nominations.all()) {
        const Application* const app = model_.gangs.find(uid);
        if (app == nullptr || !is_valid(uid, nomination)) {
            continue;  // review() gives it back
        }
        for (Nomination::Place& place : nomination.places) {
            const core::ShapeId shape = shape_of(*app, place.shape);
            for (std::int64_t room = model_.cluster.capacity(place.node, shape, core::View::free);
                 place.left > 0 && room > 0;
                 --room) {
                model_.nominations.hold(
                    nomination,
                    place,
                    model_.cluster.allocate(place.node, shape, core::UsedBy::gang));
                is_any_held = true;
            }
        }
    }
    if (is_any_held) {
        model_.fit_cache.forget_fits();
    }
}

void Preemption::run() {
    if (!is_on_) {
        sender_.follow();  // what was begun before the file forbade it
        sender_.put_back_unwanted();
        return;
    }
    step_.work_left = work_per_tick;
    forget_old();
    const std::size_t given_back = review();
    for (auto& [uid, nomination] : model_.nominations.all()) {
        sender_.send(uid, nomination);
    }
    sender_.follow();
    for (std::size_t i = 0; i <= given_back; ++i) {
        search();  // before anybody else has the room that was given back
    }
    sender_.put_back_unwanted();
}

void Preemption::forget_old() {
    sender_.forget_old();
    std::erase_if(searched_, [&](const auto& one) {
        const Application* const app = model_.gangs.find(one.first);
        return app == nullptr || !WaitingLine::contains(*app);
    });
    std::erase_if(progress_, [&](const auto& one) {
        return model_.nominations.find(one.first) == nullptr;
    });
}

/// The gang still waits for what was planned, and the plan's nodes are as they were.
bool Preemption::is_valid(const std::string& gang, Nomination& nomination) const {
    const Application* const app = model_.gangs.find(gang);
    return app != nullptr && app->phase == Phase::waiting && WaitingLine::contains(*app) &&
           app->declared.driver_shape &&
           nomination.nodes_version == model_.cluster_model.nodes_version() &&
           std::all_of(
               nomination.places.begin(), nomination.places.end(), [&](const auto& place) {
                   return place.shape <= app->declared.shapes.size();
               });
}

/// Nobody holds it back for another reason than room: it may have been held, or be over a limit now.
bool Preemption::may_start(const Application& app) {
    const QueueEntry& entry = model_.waiting.entry(app);
    return entry.gang_class != nullptr && quota_.keeps_to_quotas(app) &&
           !quota_.passes_overdue(app) && !domain_placer_.is_reached(app);
}

/// All victims have gone, and for a minute no more room has come free: others have taken it, or it
/// was not enough.
bool Preemption::is_stalled(const std::string& gang, const Nomination& nomination) {
    Progress& seen = progress_[gang];
    const std::size_t held = nomination.held.size();
    if (seen.gone != nomination.pods_gone || seen.held != held || seen.since_ms == 0) {
        seen = {nomination.pods_gone, held, step_.now_ms};
    }
    const bool is_over = std::all_of(
        nomination.victims.begin(), nomination.victims.end(), [this](const Victim& victim) {
            return victim.stage == Victim::Stage::ending && sender_.pods_of(victim) == 0;
        });
    if (!is_over) {
        return false;
    }
    step_.wake_at(seen.since_ms + stalled_ms);
    return step_.now_ms >= seen.since_ms + stalled_ms;
}

/// How many were given back.
std::size_t Preemption::review() {
    std::vector<std::string> over;
    for (auto& [uid, nomination] : model_.nominations.all()) {
        const bool is_to_plan_anew =
            nomination.replan_ms != 0 && nomination.replan_ms <= step_.now_ms;
        if (is_to_plan_anew || !is_valid(uid, nomination) || !may_start(*model_.gangs.find(uid)) ||
            is_stalled(uid, nomination)) {
            over.push_back(uid);
        } else {
            count_gone(uid, nomination);
        }
    }
    for (const std::string& uid : over) {
        give_back(uid);
        if (Application* const app = model_.gangs.find(uid)) {
            model_.waiting.forget_reported(*app);
        }
        model_.worklist.queue_changed = true;
        step_.wake_at(step_.now_ms);
    }
    return over.size();
}

void Preemption::count_gone(const std::string& gang, Nomination& nomination) {
    std::int64_t there = 0;
    for (const Victim& victim : nomination.victims) {
        there += sender_.pods_of(victim);
    }
    const std::int64_t gone = std::max<std::int64_t>(nomination.pods - there, 0);
    Application& app = *model_.gangs.find(gang);
    model_.waiting.entry(app).code = ReasonCode::waiting_for_preemption;
    const bool was_refused = nomination.replan_ms != 0;
    if (gone != nomination.pods_gone || was_refused != nomination.was_refused) {
        nomination.pods_gone = gone;
        nomination.was_refused = was_refused;
        status_.report(app, nullptr);
    }
}

/// The first of each queue that room alone keeps waiting; one search a tick.
void Preemption::search() {
    if (model_.nominations.size() >= nominations_max) {
        return;
    }
    QueueIndex done = no_queue;
    QueueIndex at = no_queue;
    int passed_over = 0;
    for (const LaneAndLine* const lane_and_line : lanes_in_order(model_, quota_.totals())) {
        const auto& [lane, line] = *lane_and_line;
        if (lane.queue == done) {
            continue;
        }
        passed_over = lane.queue == at ? passed_over : 0;
        at = lane.queue;
        for (Application* const app : line) {
            const QueueEntry& entry = model_.waiting.entry(*app);
            const bool is_in_the_way =
                !app->is_surplus && !entry.is_infeasible &&
                (is_about_capacity(entry.code) ||
                 entry.code == ReasonCode::waiting_for_nodes ||
                 entry.code == ReasonCode::waiting_for_preemption);
            if (!is_in_the_way) {
                if (++passed_over < passed_over_max) {
                    continue;
                }
                done = lane.queue;
                break;
            }
            // That it has waited for long makes nobody's priority lower: the next may have more luck.
            const bool is_passed = app->declared.is_overdue;
            done = is_passed ? done : lane.queue;
            if (!is_candidate(*app)) {
                if (is_passed) {
                    continue;
                }
                break;
            }
            searched_[app->uid] = step_.now_ms + search_ms;
            model_.bought.give_back(app->uid, model_.cluster);  // as its plan may need it
            if (!nominate(*app)) {
                step_.wake_at(step_.now_ms + search_ms);
            }
            step_.wake_at(step_.now_ms);  // the next queue's first has its turn
            return;
        }
    }
}

bool Preemption::is_candidate(Application& app) {
    const PodEntry& entry = model_.pods.at(app.uid);
    const PodGroup* const group = model_.groups.find(app.group.str());
    const bool never_preempts =
        entry.pod.never_preempts ||
        (group != nullptr && group->object && group->object->never_preempts);
    if (model_.nominations.find(app.uid) != nullptr || never_preempts || !entry.is_bindable() ||
        !entry.is_ready(step_.now_ms) || model_.reader.names_extender(entry.pod) || !may_start(app)) {
        return false;
    }
    const auto searched = searched_.find(app.uid);
    if (searched != searched_.end() && searched->second > step_.now_ms) {
        step_.wake_at(searched->second);
        return false;
    }
    return true;
}

/// Of an open slot or an executor in a slot, whose gang is a victim as well.
bool Preemption::goes_with_gang(
    const Victim& victim, const std::vector<Evictable>& victims) const {
    const bool is_executor = victim.kind == Victim::Kind::soft_executor;
    if (!is_executor && victim.kind != Victim::Kind::open_slot) {
        return false;
    }
    const std::string& owner =
        is_executor ? model_.pods[model_.pods.id_of(victim.uid)].owner() : victim.uid;
    return std::any_of(victims.begin(), victims.end(), [&](const Evictable& other) {
        return other.victim.kind == Victim::Kind::gang && other.victim.uid == owner;
    });
}

/// False: nobody's end would let it in.
bool Preemption::nominate(Application& app) {
    Amounts wanted;
    wanted.add(model_.cluster.resources(*app.declared.driver_shape), 1);
    for (const GangShape& shape : app.declared.shapes) {
        wanted.add(model_.cluster.resources(shape.id), shape.count);
    }
    VictimList list(model_, quota_.totals(), sender_.evictions(), sender_.spared(), step_.now_ms);
    std::vector<Evictable> all = list.find(app, wanted);
    if (!list.has_rights() || (all.empty() && list.ending().empty())) {
        return false;
    }
    step_.counters.victim_searches += 1;
    auto chosen = VictimSearch(model_, placer_, app).find(std::move(all), list.ending());
    if (!chosen) {
        return false;
    }
    Nomination nomination;
    nomination.nodes_version = model_.cluster_model.nodes_version();
    nomination.places.push_back({chosen->plan.driver, 0, 1});
    for (std::size_t shape = 0; shape < chosen->plan.executors.size(); ++shape) {
        for (const core::NodeCount& found : chosen->plan.executors[shape]) {
            nomination.places.push_back({found.node, shape + 1, found.count});
        }
    }
    for (const Evictable& one : chosen->victims) {
        if (!goes_with_gang(one.victim, chosen->victims)) {
            nomination.victims.push_back(one.victim);
            nomination.pods += sender_.pods_of(one.victim);
        }
        for (const std::string& other : one.others) {
            nomination.victims.push_back({other, Victim::Kind::pod, one.victim.reason});
            ++nomination.pods;
        }
    }
    nomination.whom = names_of(nomination.victims, app.namespace_name.str());
    model_.nominations.add(app.uid, std::move(nomination));
    hold_room();
    model_.waiting.entry(app).code = ReasonCode::waiting_for_preemption;
    status_.report(app, nullptr);
    return true;
}

/// "gang etl/a, executor etl/b-exec-3 and 2 more". Slots of one gang stand side by side, and count
/// once.
std::string Preemption::names_of(std::vector<Victim> victims, const std::string& reader) const {
    constexpr std::size_t named_max = 3;
    constexpr const char* kinds[] = {
        "executor ", "open slots of gang ", "executor ", "pod ", "gang "};
    const auto are_slots_of_one = [](const Victim& a, const Victim& b) {
        return a.kind == Victim::Kind::open_slot && a.kind == b.kind && a.uid == b.uid;
    };
    victims.erase(std::unique(victims.begin(), victims.end(), are_slots_of_one), victims.end());
    std::string names;
    for (std::size_t i = 0; i < std::min(victims.size(), named_max); ++i) {
        names += i == 0 ? "" : ", ";
        names += kinds[static_cast<std::size_t>(victims[i].kind)];
        const std::string full = model_.pods[model_.pods.id_of(victims[i].uid)].full_name();
        const std::size_t slash = full.find('/');
        names += name_for(
            reader,
            std::string_view(full).substr(0, slash),
            std::string_view(full).substr(slash + 1),
            model_.schema.names_other_namespaces);
    }
    if (victims.size() > named_max) {
        names += " and " + std::to_string(victims.size() - named_max) + " more";
    }
    return names;
}

}  // namespace gang
