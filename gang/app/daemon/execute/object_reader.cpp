#include "gang/app/daemon/execute/object_reader.hpp"

#include "gang/app/daemon/execute/log_names.hpp"
#include "gang/app/daemon/translate.hpp"

#include <array>
#include <utility>
#include <variant>

namespace gang::app {
namespace {

using config::LogLevel;

std::string word(ConfProblem problem) {
    constexpr std::array<const char*, 4> words = {"not_found", "forbidden", "unreadable", "failed"};
    return words[static_cast<std::size_t>(problem)];
}

}  // namespace

ObjectReader::ObjectReader(
    boost::asio::io_context& io, const std::shared_ptr<k8s::Endpoint>& endpoint, Wiring wiring)
    : wiring_(std::move(wiring)),
      pods_(io, endpoint, wiring_.log, wiring_.answer),
      groups_(io, endpoint),
      quotas_(io, endpoint) {}

void ObjectReader::stop() {
    pods_.stop();
    groups_.stop();
    quotas_.stop();
}

void ObjectReader::read(const FetchSparkConf& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch conf",
        {{"pod", full_name(decision.driver)}, {"configMap", decision.properties.config_map}});
    wiring_.writer->get_config_map(
        decision.driver.namespace_name,
        decision.properties.config_map,
        [this, decision](const k8s::ConfigMapResult& properties) {
            if (properties.outcome == k8s::FetchOutcome::found && decision.executor_template) {
                read_template(decision, properties);
            } else {
                conf_answered(to_event(decision, properties, k8s::ConfigMapResult{}));
            }
        });
}

void ObjectReader::read_template(
    const FetchSparkConf& decision, const k8s::ConfigMapResult& properties) {
    wiring_.writer->get_config_map(
        decision.driver.namespace_name,
        decision.executor_template->config_map,
        [this, decision, properties](const k8s::ConfigMapResult& executor_template) {
            conf_answered(to_event(decision, properties, executor_template));
        });
}

void ObjectReader::conf_answered(Event event) {
    if (const auto* missing = std::get_if<SparkConfMissing>(&event)) {
        wiring_.log->write(
            LogLevel::debug,
            "conf missing",
            {{"driverUid", missing->driver_uid},
             {"problem", word(missing->problem)},
             {"why", missing->message}});
    }
    wiring_.answer(std::move(event));
}

void ObjectReader::read(const FetchClaim& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch claim",
        {{"claim", full_name(decision.namespace_name, decision.name)}});
    wiring_.claims->read(
        decision.namespace_name, decision.name, [this, decision](const k8s::ClaimResult& result) {
            wiring_.answer(to_event(decision, result));
        });
}

void ObjectReader::read(const FetchPodGroup& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch pod group",
        {{"group", full_name(decision.namespace_name, decision.name)}});
    groups_.read(
        {decision.dialect, decision.namespace_name, decision.name},
        [this, decision](const k8s::PodGroupResult& result) {
            wiring_.answer(to_event(decision, result));
        });
}

void ObjectReader::read(const FetchQuotas& decision) {
    wiring_.log->write(LogLevel::debug, "fetch quotas", {{"namespace", decision.namespace_name}});
    quotas_.read(decision.namespace_name, [this, decision](const k8s::QuotaResult& result) {
        quotas_answered(to_event(decision, result));
    });
}

void ObjectReader::quotas_answered(Event event) {
    if (const auto* missing = std::get_if<QuotasMissing>(&event)) {
        const bool is_new = std::exchange(quota_problem_, missing->message) != missing->message;
        wiring_.log->write(
            is_new ? LogLevel::warning : LogLevel::debug,
            missing->problem == QuotaProblem::failed
                ? "quotas could not be read: they will be asked for again"
                : "quotas could not be read: gangs of the namespace start without a look at them",
            {{"namespace", missing->namespace_name}, {"why", missing->message}});
    }
    wiring_.answer(std::move(event));
}

void ObjectReader::read(const ListPods&) {
    wiring_.log->write(LogLevel::info, "list pods for their labels");
    pods_.list();
}

}  // namespace gang::app
