#include "gang/app/daemon/translate.hpp"

#include "gang/app/base/spark_conf.hpp"
#include "gang/host/requests.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace gang::app {
namespace {

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

k8s::VersionUse version_use(
    const DeclarationReader& reader, const std::variant<core::Pod, core::Node>& object) {
    const auto* pod = std::get_if<core::Pod>(&object);
    if (pod == nullptr || core::is_terminal(*pod)) {
        return k8s::VersionUse::never;
    }
    if (core::find_value(pod->annotations, std::string(reservation_annotation)) != nullptr) {
        return k8s::VersionUse::for_good;
    }
    if (pod->node_name.empty()) {
        return k8s::VersionUse::now;
    }
    const bool may_hold_reservation =
        reader.is_ours(*pod) && (reader.is_driver(*pod) || reader.membership_of(*pod));
    return may_hold_reservation ? k8s::VersionUse::for_good : k8s::VersionUse::never;
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

Event to_event(const FetchClaim& decision, const k8s::ClaimResult& result) {
    if (result.outcome == k8s::FetchOutcome::found) {
        return ClaimFound{decision.namespace_name, decision.name, result.claim};
    }
    ClaimProblem problem = ClaimProblem::failed;
    if (result.outcome == k8s::FetchOutcome::not_found) {
        problem = ClaimProblem::not_found;
    } else if (result.outcome == k8s::FetchOutcome::forbidden) {
        problem = ClaimProblem::forbidden;
    }
    return ClaimMissing{decision.namespace_name, decision.name, problem, result.message};
}

Event to_event(const FetchPodGroup& decision, const k8s::PodGroupResult& result) {
    PodGroupProblem problem = PodGroupProblem::failed;
    switch (result.outcome) {
        case k8s::FetchOutcome::found:
            return PodGroupFound{
                decision.dialect,
                decision.namespace_name,
                decision.name,
                result.group,
                result.uid,
                result.api_version,
                result.status};
        case k8s::FetchOutcome::not_found:
            problem = PodGroupProblem::not_found;
            break;
        case k8s::FetchOutcome::forbidden:
            problem = PodGroupProblem::forbidden;
            break;
        case k8s::FetchOutcome::unreadable:
            problem = PodGroupProblem::unreadable;
            break;
        case k8s::FetchOutcome::failed:
            break;
    }
    return PodGroupMissing{
        decision.dialect, decision.namespace_name, decision.name, problem, result.message};
}

Event to_event(const FetchQuotas& decision, const k8s::QuotaResult& result) {
    QuotaProblem problem = QuotaProblem::failed;
    switch (result.outcome) {
        case k8s::FetchOutcome::found:
            return QuotasFound{decision.namespace_name, result.quotas};
        case k8s::FetchOutcome::forbidden:
            problem = QuotaProblem::forbidden;
            break;
        case k8s::FetchOutcome::unreadable:
            problem = QuotaProblem::unreadable;
            break;
        case k8s::FetchOutcome::not_found:
        case k8s::FetchOutcome::failed:
            break;
    }
    return QuotasMissing{decision.namespace_name, problem, result.message};
}

}  // namespace gang::app
