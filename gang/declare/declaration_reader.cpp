#include "gang/declare/declaration_reader.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "gang/declare/group_size.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace gang {
namespace {

bool has_label(const core::Pod& pod, std::string_view key, std::string_view value) {
    const std::string* found = core::find_value(pod.labels, key);
    return found != nullptr && *found == value;
}

/// Those that the conf gives executors. Annotations of the template are not known.
core::StringMap executor_annotations(const spark::Conf& conf, bool (*is_wanted)(std::string_view)) {
    constexpr std::string_view prefix = spark::keys::executor_annotation_prefix;
    core::StringMap annotations;
    for (const auto& [key, value] : conf.properties) {
        if (key.starts_with(prefix) && is_wanted(key.substr(prefix.size()))) {
            annotations.emplace_back(key.substr(prefix.size()), value);
        }
    }
    std::sort(annotations.begin(), annotations.end());
    return annotations;
}

}  // namespace

bool DeclarationReader::is_ours(const core::Pod& pod) const {
    return schema_.find_profile(pod.scheduler_name) != nullptr || is_of_extender(pod);
}

bool DeclarationReader::is_of_extender(const core::Pod& pod) const {
    return names_extender(pod) && (is_driver(pod) || is_executor(pod) || was_admitted(pod));
}

bool DeclarationReader::reads_gangs() const {
    return schema_.gang.discovery != config::Discovery::none;
}

bool DeclarationReader::reads_confs() const {
    return schema_.gang.discovery == config::Discovery::automatic ||
           schema_.gang.discovery == config::Discovery::spark_conf;
}

bool DeclarationReader::reads_declarations() const {
    return schema_.gang.discovery == config::Discovery::automatic ||
           schema_.gang.discovery == config::Discovery::annotations;
}

bool DeclarationReader::is_spark_driver(const core::Pod& pod) const {
    return reads_confs() && profiles_.has_gangs(pod.scheduler_name) && pod.spark_properties &&
           has_label(pod, "spark-role", "driver");
}

bool DeclarationReader::is_driver(const core::Pod& pod) const {
    return is_spark_driver(pod) ||
           (reads_declarations() && profiles_.has_gangs(pod.scheduler_name) &&
            (declares_gang(pod) || names_group_alone(pod)));
}

/// A driver of which nothing is known but the PodGroup that was made for its application.
bool DeclarationReader::names_group_alone(const core::Pod& pod) const {
    return role_of(pod) == Role::driver && !names_extender(pod) && group_of_driver(pod);
}

bool DeclarationReader::is_executor(const core::Pod& pod) const {
    if (!profiles_.has_gangs(pod.scheduler_name)) {
        return false;
    }
    return reads_declarations() ? role_of(pod) == Role::executor
                                : reads_confs() && has_label(pod, "spark-role", "executor");
}

bool DeclarationReader::was_admitted(const core::Pod& pod) const {
    return schema_.is_sealed() && reads_gangs() && !pod.node_name.empty() &&
           core::find_value(pod.annotations, reservation_annotation) != nullptr;
}

std::optional<GroupMembership> DeclarationReader::membership_of(const core::Pod& pod) const {
    if (!reads_declarations() || !profiles_.has_gangs(pod.scheduler_name) || is_driver(pod) ||
        pod.spark_properties || names_extender(pod)) {
        return std::nullopt;
    }
    switch (role_of(pod)) {
        case Role::none:
            return read_membership(pod);
        case Role::executor:
            return read_client_mode(pod);
        case Role::driver:
            break;
    }
    return std::nullopt;
}

std::optional<GroupMembership> DeclarationReader::group_of_driver(const core::Pod& driver) const {
    auto named = reads_declarations() ? read_membership(driver) : std::nullopt;
    return named && named->dialect != GroupDialect::labels ? std::move(named) : std::nullopt;
}

Declaration DeclarationReader::declaration_of(const core::Pod& pod) const {
    return reads_declarations() && profiles_.has_gangs(pod.scheduler_name)
               ? read_declaration(pod, !schema_.queues.empty())
               : Declaration{};
}

bool DeclarationReader::says_other(const core::Pod& before, const core::Pod& now) const {
    return reads_declarations() &&
           (before.labels != now.labels || before.annotations != now.annotations) &&
           (declares_gang(before) || declares_gang(now) ||
            (!is_spark_driver(now) && (names_group_alone(before) || names_group_alone(now))));
}

spark::Derivation DeclarationReader::derive(
    const spark::Conf& conf, const core::Pod& driver) const {
    spark::Derivation derived = spark::derive(conf, driver, limits());
    // Of a static application nobody has said that it may not ask for more one day.
    const auto dynamic =
        spark::ConfView(conf.properties).boolean_or(spark::keys::dynamic_enabled, false);
    for (spark::ExecutorShape& shape : derived.executors) {
        shape.max = dynamic && *dynamic ? shape.max : spark::unlimited_executors;
    }
    return derived;
}

spark::Limits DeclarationReader::limits() const {
    return {schema_.gang.max_gang_size, schema_.gang.dynamic_allocation, schema_.scheduler_names()};
}

bool DeclarationReader::is_sized_by_group(const core::Pod& driver) const {
    return names_group_alone(driver) && !declaration_of(driver).count;
}

GangSize DeclarationReader::size_of(
    const core::Pod& driver, const spark::Conf* conf, const core::PodGroup* group) const {
    if (conf == nullptr && is_sized_by_group(driver) &&
        (group != nullptr || !declares_gang(driver))) {
        const Declaration declaration = declaration_of(driver);
        GangSize size = size_by_group(
            driver, declaration, group == nullptr ? core::PodGroup{} : *group, limits());
        if (!size.executors.empty() || !size.problem.empty() || !declares_gang(driver)) {
            add_card_asks(nullptr, size);
            return size;
        }
    }
    const auto derived = conf == nullptr ? std::nullopt : std::optional(derive(*conf, driver));
    GangSize size =
        size_gang(driver, declaration_of(driver), derived ? &*derived : nullptr, limits());
    if (schema_.gpu_metrics.is_on() && conf != nullptr) {
        add_gpu_wishes(*conf, size);
    }
    add_card_asks(conf, size);
    return size;
}

/// Requests for cards are one ask, and what no executor would be served with is said of all.
void DeclarationReader::add_card_asks(const spark::Conf* conf, GangSize& size) const {
    const core::StringMap annotations =
        conf == nullptr ? core::StringMap() : executor_annotations(*conf, core::names_cards);
    for (spark::ExecutorShape& shape : size.executors) {
        std::string problem = core::refused_card_words(annotations, shape.requests);
        if (problem.empty()) {
            problem = core::add_card_ask(shape.requests);
        }
        if (!problem.empty()) {
            size.problem = "the executors: " + problem;
        }
    }
}

void DeclarationReader::add_gpu_wishes(const spark::Conf& conf, GangSize& size) const {
    const core::StringMap annotations = executor_annotations(conf, core::is_gpu_annotation);
    for (spark::ExecutorShape& shape : size.executors) {
        const auto wish =
            core::read_gpu_wish(shape.labels, annotations, schema_.gpu_metrics.model_aliases);
        if (!wish) {
            size.problem = "the executors: " + wish.error().message;
        } else if (*wish) {
            core::add_gpu_wish(shape.requests, **wish);
        }
    }
}

}  // namespace gang
