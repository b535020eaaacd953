#include "gang/app/show/pod_view.hpp"

#include "config/printable.hpp"
#include "core/base/suggest.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/text.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace gang::app {
namespace {

constexpr std::string_view application_label = "spark-app-selector";
/// What Spark writes there of spark.app.name, since 3.3.
constexpr std::string_view app_name_label = "spark-app-name";

std::string label_of(const core::Pod& pod, std::string_view key) {
    const std::string* value = core::find_value(pod.labels, key);
    return value != nullptr ? *value : std::string();
}

std::string full_name(const core::Pod& pod) {
    return pod.namespace_name + "/" + pod.name;
}

const std::string* find_annotation(const core::Pod& pod, std::string_view key) {
    return core::find_value(pod.annotations, std::string(key));
}

std::optional<SaidReason> said_about(const core::Pod& pod) {
    if (!pod.node_name.empty() || !pod.scheduled || pod.scheduled->status) {
        return std::nullopt;
    }
    return read_condition(pod.scheduled->message);
}

/// Whether an executor was bound beyond its gang's slots.
bool is_surplus(const core::Pod& executor) {
    const std::string* value = find_annotation(executor, slot_annotation);
    return value != nullptr && *value == surplus_slot;
}

/// The pods of one cluster, and who belongs to whom.
class Picture {
public:
    Picture(const std::vector<core::Pod>& pods, const PodQuestion& question) : question_(question) {
        for (const core::Pod& pod : pods) {
            if (question.namespace_name.empty() || pod.namespace_name == question.namespace_name) {
                pods_.push_back(&pod);
                by_uid_[pod.uid] = &pod;
            }
        }
        for (const core::Pod* pod : pods_) {
            if (const core::Pod* driver = find_driver(*pod)) {
                executors_[driver->uid].push_back(pod);
            }
        }
    }

    const std::vector<const core::Pod*>& pods() const { return pods_; }

    bool is_ours(const core::Pod& pod) const {
        const auto& names = question_.scheduler_names;
        return std::find(names.begin(), names.end(), pod.scheduler_name) != names.end() ||
               find_annotation(pod, reservation_annotation) != nullptr ||
               find_annotation(pod, slot_annotation) != nullptr || said_about(pod).has_value();
    }

    /// The pod whose gang this one belongs to, if it is not itself the start of a gang.
    const core::Pod* find_driver(const core::Pod& pod) const {
        if (!is_member(pod)) {
            return nullptr;
        }
        const auto it = by_uid_.find(core::find_controller(pod)->uid);
        const bool same = it != by_uid_.end() && it->second->namespace_name == pod.namespace_name;
        return same ? it->second : nullptr;
    }

    /// Whether another pod controls this one: an executor, even when its driver is gone already.
    static bool is_member(const core::Pod& pod) {
        const core::OwnerReference* owner = core::find_controller(pod);
        return owner != nullptr && owner->kind == "Pod";
    }

    Explanation explain(const core::Pod& driver) const;

private:
    const PodQuestion& question_;
    std::vector<const core::Pod*> pods_;
    std::map<std::string, const core::Pod*> by_uid_;
    std::map<std::string, std::vector<const core::Pod*>> executors_;  ///< by the driver's uid
};

void fill_identity(GangView& gang, const core::Pod& driver) {
    gang.namespace_name = driver.namespace_name;
    gang.driver = driver.name;
    gang.driver_uid = driver.uid;
    const std::string* application = core::find_value(driver.labels, application_label);
    gang.application = application != nullptr ? *application : driver.name;
    gang.app_name = label_of(driver, app_name_label);
    gang.waiting_since_ms = driver.created * 1000;
    gang.needs = driver.requests;
}

/// "needs 1 driver + 4 executors (9 cpu, 11Gi memory);": the size of a gang that waits stands in no
/// pod but here. A sentence that says otherwise leaves what is known.
void take_said_needs(std::string_view sentence, GangView& gang) {
    constexpr std::string_view begin = "needs 1 driver + ";
    const std::size_t at = sentence.find(begin);
    if (at == std::string_view::npos) {
        return;
    }
    std::string_view rest = sentence.substr(at + begin.size());
    std::int32_t executors = 0;
    const auto [after, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), executors);
    const std::size_t open = rest.find(" (");
    const std::size_t close = rest.find(')');
    const std::string_view word =
        rest.substr(static_cast<std::size_t>(after - rest.data())).substr(0, 9);
    if (ec != std::errc{} || executors < 0 || word != " executor" ||
        open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return;
    }
    core::Resources needs;
    rest = rest.substr(open + 2, close - open - 2);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        const std::string_view one = rest.substr(0, end);
        const std::size_t space = one.find(' ');
        if (space == std::string_view::npos ||
            !core::set_resource(needs, one.substr(space + 1), one.substr(0, space))) {
            return;
        }
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    gang.executors = executors;
    gang.needs = std::move(needs);
}

void fill_waiting(Explanation& out, const core::Pod& driver) {
    GangView& gang = out.gang;
    const bool is_spark = driver.spark_properties.has_value();
    gang.executors = is_spark ? executors_unknown : 0;
    const auto said = said_about(driver);
    if (!said) {
        gang.message = driver.gated ? "the pod has scheduling gates: somebody must lift them first"
                                    : "no scheduler of ours has said anything about it yet: is "
                                      "`gang-scheduler run` running?";
        return;
    }
    gang.code = said->code;
    gang.message = said->sentence;
    // Labels and annotations may say a size as well as a conf does.
    take_said_needs(said->sentence, gang);
    switch (said->code) {
        case ReasonCode::waiting_for_spark_conf:
            gang.state = GangState::waiting_for_conf;
            break;
        case ReasonCode::exceeds_cluster:
        case ReasonCode::constraints_unsatisfiable:
        case ReasonCode::exceeds_quota:
        case ReasonCode::misconfigured:
        case ReasonCode::driver_ended:
            gang.state = GangState::parked;
            break;
        case ReasonCode::none:
        case ReasonCode::waiting_for_capacity:
        case ReasonCode::waiting_for_nodes:
        case ReasonCode::pod_rules_not_met:
        case ReasonCode::waiting_for_volumes:
        case ReasonCode::waiting_for_pod_group:
        case ReasonCode::waiting_for_quota:
        case ReasonCode::waiting_for_extender:
        case ReasonCode::queue_stopped:
        case ReasonCode::held:
        case ReasonCode::waiting_for_preemption:
        case ReasonCode::gpu_metrics_stale:
        case ReasonCode::waiting_in_queue:
        case ReasonCode::backing_off:
        case ReasonCode::bind_failed:
            gang.state = GangState::waiting;
            break;
    }
}

/// The whole gang's needs; a sum that overflows says nothing rather than something wrong.
core::Resources total_needs(const core::Pod& driver, const Reservation& reservation) {
    core::Resources total = driver.requests;
    for (const ReservedShape& shape : reservation.shapes) {
        std::int64_t count = shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
        }
        core::add_times(total, shape.requests, count);
    }
    return total;
}

void fill_slots(Explanation& out, const core::Pod& driver, std::int32_t bound) {
    const std::string* text = find_annotation(driver, reservation_annotation);
    if (text == nullptr) {
        return;
    }
    const auto reservation = decode_reservation(*text, shown_slots_max);
    if (!reservation) {
        out.notes.push_back(
            fmt::format("its reservation cannot be read: {}", reservation.error().message));
        return;
    }
    GangView& gang = out.gang;
    gang.executors = static_cast<std::int32_t>(slot_count(*reservation));
    gang.slots_open = std::max(0, gang.executors - bound);
    gang.needs = total_needs(driver, *reservation);
    std::map<std::string, std::int64_t> per_node;
    std::int64_t unplaced = 0;
    for (const ReservedShape& shape : reservation->shapes) {
        out.executor = core::larger(out.executor, shape.requests);
        unplaced += shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            per_node[node] += slots;
        }
    }
    for (const auto& [node, slots] : per_node) {
        out.slots_per_node.emplace_back(node, static_cast<std::int32_t>(slots));
    }
    if (unplaced > 0) {
        gang.state = GangState::degraded;
        out.notes.push_back(fmt::format("{} of its slots have no node now", unplaced));
    }
}

Explanation Picture::explain(const core::Pod& driver) const {
    Explanation out;
    GangView& gang = out.gang;
    fill_identity(gang, driver);
    out.driver = driver.requests;
    if (core::is_terminal(driver)) {
        gang.state = GangState::ended;
        gang.message = driver.phase == core::PodPhase::succeeded ? "it has ended: Succeeded"
                                                                 : "it has ended: Failed";
        return out;
    }
    if (driver.node_name.empty()) {
        fill_waiting(out, driver);
        return out;
    }
    std::int32_t surplus = 0;
    const auto it = executors_.find(driver.uid);
    if (it != executors_.end()) {
        for (const core::Pod* executor : it->second) {
            if (!executor->node_name.empty() && !core::is_terminal(*executor)) {
                ++(is_surplus(*executor) ? surplus : gang.slots_bound);
            }
        }
    }
    gang.state = GangState::running;
    gang.executors = gang.slots_bound;
    fill_slots(out, driver, gang.slots_bound);
    gang.message = "bound to " + driver.node_name;
    if (surplus > 0) {
        out.notes.push_back(fmt::format(
            "{} more {} than it reserved {} a node",
            surplus,
            surplus == 1 ? "executor" : "executors",
            surplus == 1 ? "has" : "have"));
    }
    return out;
}

bool is_waiting(const GangView& gang) {
    return gang.state == GangState::waiting || gang.state == GangState::waiting_for_conf ||
           gang.state == GangState::parked;
}

/// A pod that is alone and already has its node has nothing to wait for and nothing to hold.
bool is_settled_alone(const GangView& gang) {
    return !is_waiting(gang) && gang.executors == 0;
}

auto listing_order(const GangView& gang) {
    return std::tuple(!is_waiting(gang), gang.waiting_since_ms, gang.namespace_name, gang.driver);
}

bool is_named(const core::Pod& pod, std::string_view pod_or_app) {
    return pod.name == pod_or_app || pod.uid == pod_or_app || full_name(pod) == pod_or_app;
}

bool is_asked_for(const core::Pod& pod, std::string_view pod_or_app) {
    return is_named(pod, pod_or_app) ||
           (!pod_or_app.empty() && (label_of(pod, application_label) == pod_or_app ||
                                    label_of(pod, app_name_label) == pod_or_app));
}

/// ", did you mean ...?" of drivers, lone pods, and the names of their applications.
std::string suggestion(const Picture& picture, std::string_view pod_or_app) {
    std::vector<std::string> names;
    for (const core::Pod* pod : picture.pods()) {
        if (!picture.is_ours(*pod) || picture.is_member(*pod)) {
            continue;
        }
        names.push_back(pod->name);
        names.push_back(full_name(*pod));
        names.push_back(label_of(*pod, app_name_label));
        names.push_back(label_of(*pod, application_label));
    }
    std::erase(names, "");
    return core::did_you_mean(pod_or_app, names);
}

}  // namespace

std::vector<GangView> gangs_from_pods(
    const std::vector<core::Pod>& pods, const PodQuestion& question) {
    const Picture picture(pods, question);
    std::vector<GangView> out;
    for (const core::Pod* pod : picture.pods()) {
        if (picture.is_ours(*pod) && !core::is_terminal(*pod) && !picture.is_member(*pod)) {
            GangView gang = picture.explain(*pod).gang;
            if (!is_settled_alone(gang) || pod->spark_properties) {
                out.push_back(std::move(gang));
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const GangView& a, const GangView& b) {
        return listing_order(a) < listing_order(b);
    });
    return out;
}

core::Result<Explanation> explain_from_pods(
    const std::vector<core::Pod>& pods, const PodQuestion& question, std::string_view pod_or_app) {
    const Picture picture(pods, question);
    // By driver: an application's label is on every pod of it.
    std::map<const core::Pod*, const core::Pod*> found;
    for (const core::Pod* pod : picture.pods()) {
        if (is_asked_for(*pod, pod_or_app)) {
            const core::Pod* driver = picture.find_driver(*pod);
            found.emplace(driver != nullptr ? driver : pod, pod);
        }
    }
    const std::string shown = config::printable(pod_or_app, 300);
    if (found.empty()) {
        return core::Error{fmt::format(
            "no pod or application is called {}{}", shown, suggestion(picture, pod_or_app))};
    }
    // A job that runs each night has one name each time.
    const bool is_any_there = std::any_of(
        found.begin(), found.end(), [](const auto& one) { return !core::is_terminal(*one.first); });
    if (is_any_there) {
        std::erase_if(found, [](const auto& one) { return core::is_terminal(*one.first); });
    }
    if (found.size() > 1) {
        std::vector<std::string> names;
        for (const auto& [driver, pod] : found) {
            names.push_back(config::printable(full_name(*driver), 300));
        }
        std::sort(names.begin(), names.end());
        return core::Error{fmt::format(
            "{} names several: {}; ask with namespace/name", shown, fmt::join(names, ", "))};
    }
    const auto [driver, pod] = *found.begin();
    if (!picture.is_ours(*driver) && !picture.is_ours(*pod)) {
        return core::Error{fmt::format(
            "pod {} belongs to scheduler \"{}\", not to us",
            config::printable(full_name(*pod), 300),
            config::printable(driver->scheduler_name, 300))};
    }
    Explanation out = picture.explain(*driver);
    out.is_executor = pod != driver && is_named(*pod, pod_or_app);
    if (out.is_executor) {
        if (const auto said = said_about(*pod)) {
            out.notes.push_back(fmt::format("about executor {}: {}", pod->name, said->sentence));
        }
    }
    return out;
}

}  // namespace gang::app
