#include "gang/called/called_extenders.hpp"

#include "gang/model/timers.hpp"
#include "gang/model/work.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace gang {
namespace {

constexpr std::int64_t retry_first_ms = 1'000;
constexpr std::int64_t retry_ms_max = 30'000;
/// More than HeadOfLine::holds_up_others() lets one fail.
constexpr int too_many_failures = 1'000;

bool is_asked_about(const config::CalledExtender& extender, const core::Resources& requests) {
    const auto& managed = extender.managed_resources;
    return extender.is_asked() &&
           (managed.empty() ||
            std::any_of(managed.begin(), managed.end(), [&](const std::string& name) {
                return requests.extended_amount(name) > 0;
            }));
}

/// By their places in the file.
std::vector<std::int64_t> extenders_for(
    const config::Schema& schema, const core::Resources& requests) {
    std::vector<std::int64_t> asked;
    for (std::size_t i = 0; i < schema.extenders.size(); ++i) {
        if (is_asked_about(schema.extenders[i], requests)) {
            asked.push_back(static_cast<std::int64_t>(i));
        }
    }
    return asked;
}

}  // namespace

/// What its pods ask, from the shape as it is now: it is their own, or has our answer in it.
void CalledExtenders::take_part(Gang& gang, std::size_t index, core::ShapeId shape) {
    const core::Resources& requests = model_.cluster.resources(shape);
    const core::Constraints& constraints = model_.cluster.shapes().constraints(shape);
    Part& part = gang.parts[index];
    const bool is_known = part.own == constraints || part.applied == constraints;
    if (part.requests == requests && is_known) {
        return;
    }
    part = {};
    part.requests = requests;
    part.own = part.placed = part.applied = constraints;
    part.extenders = extenders_for(model_.schema, requests);
    part.is_answered = part.extenders.empty();
}

void CalledExtenders::prepare(Application& app, PodEntry& entry) {
    if (!is_on()) {
        return;
    }
    Gang& gang = gangs_[app.uid];
    gang.rank = app.rank();
    gang.parts.resize(1 + app.declared.shapes.size());
    take_part(gang, 0, *app.declared.driver_shape);
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        take_part(gang, i + 1, app.declared.shapes[i].id);
    }
    schedule(app.uid, gang, step_.now_ms + extender_answer_ms);
    const bool is_answered = std::all_of(
        gang.parts.begin(), gang.parts.end(), [](const Part& part) { return part.is_answered; });
    if (!is_answered || !is_current(gang)) {
        return wait(entry, gang);
    }
    place_as_answered(app, gang);
    const bool is_asked =
        std::any_of(gang.parts.begin(), gang.parts.end(), [](const Part& part) {
            return !part.extenders.empty();
        });
    if (is_asked) {  // and current: that is later
        schedule(app.uid, gang, gang.answered_ms + extender_answer_ms);
    }
    const auto refused = std::find_if(
        gang.parts.begin(), gang.parts.end(), [](const Part& part) { return part.is_refused; });
    if (refused != gang.parts.end()) {
        const bool is_driver = refused == gang.parts.begin();
        gang.problem = std::string("an extender lets ") + (is_driver ? "it" : "its executors") +
                       " go to no node" + (refused->refusal.empty() ? "" : ": " + refused->refusal);
        entry.retry.make() = {
            ReasonCode::waiting_for_extender,
            std::numeric_limits<std::int64_t>::max(),
            {},
            gang.problem,
            too_many_failures};
        return;
    }
    if (entry.retry->code == ReasonCode::waiting_for_extender) {
        entry.retry.reset();
    }
}

/// Of gangs that nobody asks about the answers are always current.
bool CalledExtenders::is_current(const Gang& gang) const {
    const bool is_asked =
        std::any_of(gang.parts.begin(), gang.parts.end(), [](const Part& part) {
            return !part.extenders.empty();
        });
    const std::int64_t age_ms = step_.now_ms - gang.answered_ms;
    const bool is_of_these_nodes =
        gang.node_set == node_set_ &&
        (!gang.has_unasked || gang.nodes_version == model_.cluster_model.nodes_version());
    return !is_asked || (age_ms < extender_answer_ms && is_of_these_nodes);
}

void CalledExtenders::place_as_answered(Application& app, Gang& gang) {
    const auto place = [&](core::ShapeId& shape, Part& part) {
        part.applied = part.placed;
        set_constraints(shape, part, part.placed);
    };
    place(*app.declared.driver_shape, gang.parts.front());
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        place(app.declared.shapes[i].id, gang.parts[i + 1]);
    }
}

void CalledExtenders::placed(Application& app) {
    const auto found = gangs_.find(app.uid);
    if (found != gangs_.end() && found->second.parts.size() == 1 + app.declared.shapes.size()) {
        std::vector<std::vector<std::string>> refused;
        bool is_any = false;
        for (std::size_t i = 1; i < found->second.parts.size(); ++i) {
            is_any = is_any || !found->second.parts[i].refused.empty();
            refused.push_back(found->second.parts[i].refused);
        }
        if (is_any) {
            refused_[app.uid] = std::move(refused);
        }
    }
    take_back(app);
}

/// What an answer added to its shapes.
void CalledExtenders::take_back(Application& app) {
    const auto found = gangs_.find(app.uid);
    if (found == gangs_.end() || found->second.parts.size() != 1 + app.declared.shapes.size()) {
        return;
    }
    const std::vector<Part>& parts = found->second.parts;
    set_constraints(*app.declared.driver_shape, parts.front(), parts.front().own);
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        set_constraints(app.declared.shapes[i].id, parts[i + 1], parts[i + 1].own);
    }
}

/// A node that came since nobody has refused.
core::ShapeId CalledExtenders::without_refused(const Application& app, std::size_t shape) {
    const core::ShapeId id = app.declared.shapes[shape].id;
    core::Constraints constraints = model_.cluster.shapes().constraints(id);
    const auto found = refused_.find(app.uid);
    if (found != refused_.end() && shape < found->second.size() && !found->second[shape].empty()) {
        const std::vector<std::string>& refused = found->second[shape];
        std::vector<std::string> nodes;
        for (const core::NodeIndex node : model_.cluster.nodes().by_name()) {
            const std::string& name = model_.cluster.nodes().node(node).name;
            if (!std::binary_search(refused.begin(), refused.end(), name)) {
                nodes.push_back(name);
            }
        }
        constraints = core::among(std::move(constraints), std::move(nodes));
    }
    return model_.cluster.intern_shape(model_.cluster.resources(id), constraints);
}

void CalledExtenders::forget_ended() {
    if (gangs_seen_ == model_.gangs.size()) {
        return;
    }
    gangs_seen_ = model_.gangs.size();
    std::erase_if(refused_, [this](const auto& one) {
        const Application* const app = model_.gangs.find(one.first);
        return app == nullptr || app->phase == Phase::ended;
    });
}

void CalledExtenders::set_constraints(
    core::ShapeId& shape, const Part& part, const core::Constraints& constraints) {
    if (model_.cluster.shapes().constraints(shape) != constraints) {
        const core::ShapeId changed = model_.cluster.intern_shape(part.requests, constraints);
        model_.shapes.release(std::exchange(shape, changed));
    }
}

void CalledExtenders::wait(PodEntry& entry, Gang& gang) {
    if (gang.began_ms < 0) {
        gang.began_ms = step_.now_ms;
        schedule(entry.pod.uid, gang, step_.now_ms + extender_patience_ms);
    }
    const bool is_patient = step_.now_ms - gang.began_ms < extender_patience_ms;
    entry.retry.make() = {
        ReasonCode::waiting_for_extender,
        std::numeric_limits<std::int64_t>::max(),
        {},
        gang.problem.empty() && !is_patient ? "an extender has not answered yet" : gang.problem,
        is_patient ? 0 : too_many_failures};
    if (gang.under_way == 0) {
        gang.not_before_ms =
            std::max(gang.not_before_ms, gang.answered_ms + extender_answer_ms_min);
        to_ask_.insert(gang.rank);
        step_.wake_at(std::max(step_.now_ms, gang.not_before_ms));
    }
}

/// One time for each gang, the earliest.
void CalledExtenders::schedule(const std::string& uid, Gang& gang, std::int64_t at_ms) {
    if (gang.due_ms != 0 && gang.due_ms <= at_ms) {
        return;
    }
    due_.erase({gang.due_ms, uid});
    gang.due_ms = at_ms;
    due_.insert({at_ms, uid});
    step_.wake_at(std::max(at_ms, step_.now_ms));  // run() may have had its turn in this tick
}

void CalledExtenders::look_again(const std::string& uid) {
    Application* const app = model_.gangs.find(uid);
    if (app == nullptr || !WaitingLine::contains(*app)) {
        const auto found = gangs_.find(uid);
        if (found == gangs_.end() || found->second.under_way > 0) {
            return;
        }
        if (app != nullptr && app->phase == Phase::waiting && app->declared.driver_shape) {
            take_back(*app);  // it may wait again one day
        }
        to_ask_.erase(found->second.rank);
        due_.erase({found->second.due_ms, uid});
        gangs_.erase(found);
        return;
    }
    model_.waiting.changed(*app);
    model_.worklist.queue_changed = true;
}

/// A node that came after the question was not asked about. Nor was one that our own filters left out
/// then: an answer is for the nodes that it names (take_answer()), and where none was left the
/// question is put when nodes change.
void CalledExtenders::note_nodes() {
    if (nodes_version_ == model_.cluster_model.nodes_version()) {
        return;
    }
    nodes_version_ = model_.cluster_model.nodes_version();
    std::vector<std::string> nodes;
    for (const core::NodeIndex node : model_.cluster.nodes().by_name()) {
        nodes.push_back(model_.cluster.nodes().node(node).name);
    }
    const bool is_another_set = nodes != nodes_;
    if (is_another_set) {
        nodes_ = std::move(nodes);
        ++node_set_;
    }
    for (auto& [uid, gang] : gangs_) {
        if (is_another_set || gang.has_unasked) {
            schedule(uid, gang, step_.now_ms);
        }
    }
}

void CalledExtenders::run() {
    if (!is_on()) {
        return;
    }
    note_nodes();
    forget_ended();
    while (!due_.empty() && due_.begin()->first <= step_.now_ms) {
        const std::string uid = due_.begin()->second;
        due_.erase(due_.begin());
        gangs_.at(uid).due_ms = 0;
        look_again(uid);
    }
    for (auto next = to_ask_.begin();
         next != to_ask_.end() && under_way_.size() < extender_questions_max;) {
        const auto found = gangs_.find(next->uid);
        if (found == gangs_.end()) {
            next = to_ask_.erase(next);
        } else if (found->second.not_before_ms > step_.now_ms) {
            step_.wake_at(found->second.not_before_ms);
            ++next;
        } else {
            next = to_ask_.erase(next);
            ask(found->first, found->second);
        }
    }
    if (!due_.empty()) {
        step_.wake_at(std::max(due_.begin()->first, step_.now_ms));
    }
}

/// All kinds of its pods together: answers of one time.
void CalledExtenders::ask(const std::string& uid, Gang& gang) {
    const auto id = model_.pods.find(uid);
    if (!id) {
        return;
    }
    const core::Pod pod = model_.pods.copy_of(*id).pod;
    gang.answered_ms = step_.now_ms;
    gang.node_set = node_set_;
    gang.nodes_version = model_.cluster_model.nodes_version();
    gang.has_unasked = false;
    gang.has_failed = false;
    for (std::size_t i = 0; i < gang.parts.size(); ++i) {
        Part& part = gang.parts[i];
        if (part.extenders.empty()) {
            continue;
        }
        std::vector<std::string> nodes = nodes_for(part);
        part.is_answered = nodes.empty();
        part.is_refused = false;
        if (part.is_answered) {
            part.placed = part.own;
            gang.has_unasked = true;
            continue;  // what keeps it off all nodes is said by those who know
        }
        const std::string name = uid + "/" + std::to_string(i) + "/" + std::to_string(++questions_);
        part.question = name;
        ++gang.under_way;
        ++step_.counters.extenders_asked;
        step_.decisions.emplace_back(AskExtenders{
            name,
            {pod.namespace_name, pod.name, pod.uid},
            i > 0,
            pod.scheduler_name,
            part.requests,
            part.extenders,
            nodes});
        under_way_[name] = Question{uid, i, std::move(nodes)};
    }
    if (gang.under_way == 0) {
        end_round(gang);
        look_again(uid);
    }
}

/// Where one of them could go if nobody was there.
std::vector<std::string> CalledExtenders::nodes_for(const Part& part) const {
    std::vector<std::string> nodes;
    const core::ShapeId shape = model_.cluster.intern_shape(part.requests, part.own);
    for (const core::NodeIndex node : model_.cluster.nodes().by_name()) {
        if (model_.cluster.capacity(node, shape, core::View::allocatable) > 0) {
            nodes.push_back(model_.cluster.nodes().node(node).name);
        }
    }
    model_.shapes.release(shape);
    step_.work_left -= static_cast<std::int64_t>(nodes.size()) * work_per_node_asked;
    return nodes;
}

void CalledExtenders::on(const ExtendersAnswered& event) {
    const auto asked = under_way_.find(event.question);
    if (asked == under_way_.end()) {
        return;
    }
    const Question question = std::move(asked->second);
    under_way_.erase(asked);
    Gang& gang = gangs_.at(question.uid);
    --gang.under_way;
    if (!event.problem.empty()) {
        ++step_.counters.extenders_failed;
        gang.problem = event.problem;
        gang.has_failed = true;
    } else if (
        question.part < gang.parts.size() &&
        gang.parts[question.part].question == event.question) {
        take_answer(gang.parts[question.part], question, event);
    }
    if (gang.under_way == 0) {
        end_round(gang);
        look_again(question.uid);
    }
}

void CalledExtenders::end_round(Gang& gang) {
    if (gang.has_failed) {
        gang.not_before_ms = step_.now_ms + doubled(retry_first_ms, gang.failures++, retry_ms_max);
        return;
    }
    gang.failures = 0;
    gang.not_before_ms = 0;
    gang.problem.clear();
    const bool is_whole = std::all_of(
        gang.parts.begin(), gang.parts.end(), [](const Part& part) { return part.is_answered; });
    gang.began_ms = is_whole ? -1 : gang.began_ms;
}

void CalledExtenders::take_answer(
    Part& part, const Question& question, const ExtendersAnswered& event) {
    const std::set<std::string_view> passed(event.nodes.begin(), event.nodes.end());
    std::vector<std::string> nodes;
    part.refused.clear();
    for (const std::string& name : question.nodes) {
        (passed.contains(name) ? nodes : part.refused).push_back(name);
    }
    std::sort(part.refused.begin(), part.refused.end());
    part.is_answered = true;
    part.is_refused = nodes.empty();
    part.refusal = event.refusal;
    part.placed = part.own;
    part.placed.points = event.points;
    if (!nodes.empty() && nodes.size() < nodes_.size()) {
        part.placed = core::among(std::move(part.placed), std::move(nodes));
    }
}

void CalledExtenders::forget_all() {
    under_way_.clear();
    refused_.clear();
    to_ask_.clear();
    for (auto& [uid, gang] : gangs_) {
        gang.under_way = 0;
        for (Part& part : gang.parts) {
            part.is_answered = part.extenders.empty();
            part.question.clear();
        }
        schedule(uid, gang, step_.now_ms);
    }
}

}  // namespace gang
