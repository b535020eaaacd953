#include "gang/app/daemon/translate.hpp"

#include "gang/app/base/spark_conf.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace gang::app {
namespace {

k8s::PodName to_name(const PodRef& pod) {
    return k8s::PodName{pod.namespace_name, pod.name, pod.uid};
}

/// For whose turn a bind waits: the uid of the gang's driver, which a slot's name begins with.
/// Empty: a lone pod, or an executor without a slot.
std::string gang_of(const BindPod& decision) {
    if (decision.starts_gang) {
        return decision.pod.uid;
    }
    const std::string* slot = core::find_value(decision.annotations, slot_annotation);
    const std::size_t end = slot == nullptr ? std::string::npos : slot->find('/');
    return end == std::string::npos ? std::string() : slot->substr(0, end);
}

BindOutcome to_outcome(k8s::BindOutcome outcome) {
    switch (outcome) {
        case k8s::BindOutcome::bound:
            return BindOutcome::bound;
        case k8s::BindOutcome::taken:
            return BindOutcome::taken;
        case k8s::BindOutcome::gone:
            return BindOutcome::gone;
        case k8s::BindOutcome::changed:
            return BindOutcome::changed;
        case k8s::BindOutcome::not_bindable:
            return BindOutcome::not_bindable;
        case k8s::BindOutcome::refused:
            return BindOutcome::refused;
        case k8s::BindOutcome::not_sent:
            return BindOutcome::not_sent;
    }
    ENSURE(false);
    return BindOutcome::not_sent;
}

/// Turns each kind of watch event over; the kind matters only for the ends of a list.
struct WatchTranslator {
    Kind kind;
    Event operator()(k8s::RelistBegun) const { return RelistBegun{kind}; }
    Event operator()(k8s::RelistEnded) const { return RelistEnded{kind}; }
    Event operator()(k8s::PodUpserted&& e) const { return PodUpserted{std::move(e.pod)}; }
    Event operator()(k8s::PodDeleted&& e) const { return PodDeleted{std::move(e.uid)}; }
    Event operator()(k8s::NodeUpserted&& e) const { return NodeUpserted{std::move(e.node)}; }
    Event operator()(k8s::NodeDeleted&& e) const { return NodeDeleted{std::move(e.name)}; }
};

ConfProblem to_problem(k8s::FetchOutcome outcome) {
    switch (outcome) {
        case k8s::FetchOutcome::not_found:
            return ConfProblem::not_found;
        case k8s::FetchOutcome::forbidden:
            return ConfProblem::forbidden;
        case k8s::FetchOutcome::found:
        case k8s::FetchOutcome::unreadable:
            return ConfProblem::unreadable;
        case k8s::FetchOutcome::failed:
            return ConfProblem::failed;
    }
    ENSURE(false);
    return ConfProblem::failed;
}

struct Trouble {
    ConfProblem problem;
    std::string message;
};

/// Says which config map is meant, unless the API server's own words do.
std::string name_trouble(const std::string& config_map, const std::string& message) {
    const bool is_named = message.find(fmt::format("\"{}\"", config_map)) != std::string::npos;
    return is_named ? message : fmt::format("config map {}: {}", config_map, message);
}

/// The text under the key, or why there is none.
std::variant<const std::string*, Trouble> find_text(
    const k8s::ConfigMapResult& result, const core::ConfigMapKey& wanted) {
    if (result.outcome != k8s::FetchOutcome::found) {
        return Trouble{to_problem(result.outcome), name_trouble(wanted.config_map, result.message)};
    }
    const std::string* text = core::find_value(result.config_map.data, wanted.key);
    if (text == nullptr) {
        return Trouble{
            ConfProblem::unreadable,
            fmt::format("config map {} has no key {}", wanted.config_map, wanted.key)};
    }
    return text;
}

}  // namespace

Event to_event(k8s::WatchKind kind, k8s::WatchEvent event) {
    const Kind ours = kind == k8s::WatchKind::pods ? Kind::pods : Kind::nodes;
    return std::visit(WatchTranslator{ours}, std::move(event));
}

k8s::VersionUse version_use(const std::variant<core::Pod, core::Node>& object) {
    const auto* pod = std::get_if<core::Pod>(&object);
    if (pod == nullptr || core::is_terminal(*pod)) {
        return k8s::VersionUse::never;
    }
    if (core::find_value(pod->annotations, std::string(reservation_annotation)) != nullptr) {
        return k8s::VersionUse::for_good;
    }
    return pod->node_name.empty() ? k8s::VersionUse::now : k8s::VersionUse::never;
}

k8s::BindRequest to_request(const BindPod& decision) {
    return k8s::BindRequest{
        to_name(decision.pod),
        decision.resource_version,
        decision.node,
        decision.annotations,
        gang_of(decision),
        decision.starts_gang};
}

BindFinished to_event(const k8s::BindResult& result) {
    return BindFinished{result.request.pod.uid, to_outcome(result.outcome), result.message};
}

k8s::StatusPatch to_patch(const SetCondition& decision) {
    return k8s::StatusPatch{
        to_name(decision.pod),
        decision.resource_version,
        k8s::PodCondition{decision.reason, decision.message, decision.is_transition},
        {}};
}

k8s::StatusPatch to_patch(const UpdateReservation& decision) {
    return k8s::StatusPatch{
        to_name(decision.driver), decision.resource_version, std::nullopt, decision.annotations};
}

StatusWritten to_event(const std::string& pod_uid, const k8s::StatusResult& result) {
    const auto outcome = result.written   ? WriteOutcome::written
                         : result.changed ? WriteOutcome::changed
                                          : WriteOutcome::failed;
    return StatusWritten{pod_uid, outcome, result.message};
}

k8s::PodEvent to_pod_event(const RecordEvent& decision) {
    return k8s::PodEvent{
        to_name(decision.pod), decision.warning, decision.reason, decision.message};
}

Event to_event(
    const FetchSparkConf& decision,
    const k8s::ConfigMapResult& properties,
    const k8s::ConfigMapResult& executor_template) {
    const auto missing = [&](Trouble trouble) {
        return SparkConfMissing{decision.driver.uid, trouble.problem, std::move(trouble.message)};
    };
    const auto text = find_text(properties, decision.properties);
    if (const auto* trouble = std::get_if<Trouble>(&text)) {
        return missing(*trouble);
    }
    SparkTexts texts{decision.spark_version, *std::get<const std::string*>(text), std::nullopt};
    if (decision.executor_template) {
        const auto more = find_text(executor_template, *decision.executor_template);
        if (const auto* trouble = std::get_if<Trouble>(&more)) {
            return missing(*trouble);
        }
        texts.executor_template = *std::get<const std::string*>(more);
    }
    auto conf = make_spark_conf(texts);
    if (!conf) {
        return missing(Trouble{
            ConfProblem::unreadable,
            fmt::format(
                "config map {}: {}", decision.properties.config_map, conf.error().message)});
    }
    return SparkConfFound{decision.driver.uid, *std::move(conf)};
}

}  // namespace gang::app
