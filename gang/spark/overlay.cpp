#include "gang/spark/overlay.hpp"

#include "gang/spark/keys.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gang::spark {
namespace {

/// The container with the conf's name if exactly one has it, else the first, else a new one.
core::ContainerRequest& select_container(core::PodRequests& requests, const ConfView& conf) {
    auto& containers = requests.containers;
    if (containers.empty()) {
        return containers.emplace_back();
    }
    const std::string* name = conf.find(keys::template_container);
    if (name == nullptr) {
        return containers.front();
    }
    const auto has_name = [&](const core::ContainerRequest& c) { return c.name == *name; };
    const bool is_unique = std::count_if(containers.begin(), containers.end(), has_name) == 1;
    return is_unique ? *std::find_if(containers.begin(), containers.end(), has_name)
                     : containers.front();
}

/// Spark sets CPU, memory and the custom resources of its conf; whatever else the template asks for
/// (ephemeral storage, other devices) stays.
core::Resources replaced(const core::Resources& in_template, const core::Resources& own) {
    core::Resources result = own;
    result.ephemeral_bytes = in_template.ephemeral_bytes;
    for (const auto& resource : in_template.extended) {
        if (own.extended_amount(resource.name) == 0) {
            result.extended.push_back(resource);
        }
    }
    std::sort(result.extended.begin(), result.extended.end());
    return result;
}

/// Selectors are added to the template's; an executor's own one wins over the one of both roles.
core::StringMap node_selector(
    const core::StringMap& in_template, const ConfView& conf, Version version) {
    std::map<std::string, std::string> merged(in_template.begin(), in_template.end());
    for (auto& [key, value] : conf.with_prefix(keys::node_selector_prefix)) {
        merged.insert_or_assign(key, value);
    }
    if (version >= executor_node_selector_since) {
        for (auto& [key, value] : conf.with_prefix(keys::executor_node_selector_prefix)) {
            merged.insert_or_assign(key, value);
        }
    }
    return {merged.begin(), merged.end()};
}

std::string scheduler_name(const std::string& in_template, const ConfView& conf, Version version) {
    if (const std::string* own = conf.find(keys::executor_scheduler_name)) {
        return *own;
    }
    const std::string* common = conf.find(keys::scheduler_name);
    if (common != nullptr && version >= scheduler_name_since) {
        return *common;
    }
    return in_template.empty() ? "default-scheduler" : in_template;
}

}  // namespace

core::Result<ExecutorShape> overlay(
    const Conf& conf, Version version, const core::Resources& spark_container) {
    const ConfView view(conf.properties);
    ExecutorTemplate base = conf.executor_template.value_or(ExecutorTemplate{});
    core::ContainerRequest& container = select_container(base.requests, view);
    container.requests = replaced(container.requests, spark_container);
    const auto requests = core::effective_requests(base.requests);
    if (!requests) {
        return core::Error{"an executor's requests together: " + requests.error().message};
    }
    ExecutorShape shape;
    shape.requests = *requests;
    shape.scheduler_name = scheduler_name(base.scheduler_name, view, version);
    shape.constraints = std::move(base.constraints);
    shape.constraints.node_selector = node_selector(shape.constraints.node_selector, view, version);
    shape.affinity_json = std::move(base.affinity_json);
    shape.topology_spread_json = std::move(base.topology_spread_json);
    shape.priority_class_name = std::move(base.priority_class_name);
    shape.runtime_class_name = std::move(base.runtime_class_name);
    return shape;
}

}  // namespace gang::spark
