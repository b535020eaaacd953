#include "gang/declare/spark/executor/overlay.hpp"

#include "core/value/exclusive.hpp"
#include "core/value/image/node_images.hpp"
#include "core/value/quantity.hpp"
#include "gang/declare/spark/executor/claims.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::spark {
namespace {

constexpr std::int64_t default_block_manager_port = 7079;
constexpr std::int64_t port_min = 1024;
constexpr std::int64_t port_max = 65535;

template <typename T>
const core::Error* find_error(const core::Result<T>& result) {
    return result ? nullptr : &result.error();
}

/// The template's containers, and among them the one that runs Spark.
struct Containers {
    core::PodTemplate pod;
    std::size_t spark = 0;
};

/// The container with the conf's name if exactly one has it, else the first, else a new one.
Containers select_container(const Conf& conf, const ConfView& view) {
    Containers result{conf.executor_template.value_or(core::PodTemplate{}), 0};
    auto& containers = result.pod.requests.containers;
    if (containers.empty()) {
        containers.emplace_back();
    }
    result.pod.containers.resize(containers.size());
    const std::string* name = view.find(keys::template_container);
    if (name == nullptr) {
        return result;
    }
    const auto has_name = [&](const core::ContainerRequest& c) { return c.name == *name; };
    if (std::count_if(containers.begin(), containers.end(), has_name) == 1) {
        const auto found = std::find_if(containers.begin(), containers.end(), has_name);
        result.spark = static_cast<std::size_t>(found - containers.begin());
    }
    return result;
}

/// Spark gives its own container a name when the template has none, the others are refused.
core::Result<core::Done> check_names(const Containers& base) {
    const auto& containers = base.pod.requests.containers;
    for (std::size_t i = 0; i < containers.size(); ++i) {
        if (i != base.spark && containers[i].name.empty()) {
            return core::Error{
                "the executor template has a container without a name: no executor can be created"};
        }
    }
    return core::Done{};
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

/// Spark's container has the conf's image, whatever the template says.
std::vector<std::string> images(const Containers& base, const ConfView& conf) {
    const std::string* own = conf.find(keys::executor_image);
    if (own == nullptr) {
        own = conf.find(keys::container_image);
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < base.pod.containers.size(); ++i) {
        std::string name = base.pod.containers[i].image;
        if (i == base.spark) {
            name = own == nullptr || own->empty() ? "" : core::full_image_name(*own);
        }
        if (!name.empty()) {
            names.push_back(std::move(name));
        }
    }
    const auto& of_init = base.pod.constraints.images;
    names.insert(names.end(), of_init.begin(), of_init.end());
    return names;
}

/// An empty name is one that is set, and means Kubernetes' own scheduler.
std::string scheduler_name(const std::string& in_template, const ConfView& conf, Version version) {
    const std::string* name = &in_template;
    const std::string* common = conf.find(keys::scheduler_name);
    if (common != nullptr && version >= scheduler_name_since) {
        name = common;
    }
    if (const std::string* own = conf.find(keys::executor_scheduler_name)) {
        name = own;
    }
    return name->empty() ? "default-scheduler" : *name;
}

/// The API server refuses a container that asks for more CPU than its limit.
core::Result<std::optional<std::int64_t>> cpu_limit(
    const ConfView& conf, const std::optional<std::int64_t>& in_template, std::int64_t request) {
    const std::string* text = conf.find(keys::limit_cores);
    if (text == nullptr) {
        if (in_template && *in_template < request) {
            return core::Error{
                "the executor template limits its Spark container to " +
                core::format_cpu(*in_template) + " cpu, less than the " +
                core::format_cpu(request) + " that Spark requests: no executor can be created; " +
                std::string(keys::limit_cores) + " replaces the template's limit"};
        }
        return in_template;
    }
    const auto limit = core::parse_milli(trimmed(*text));
    if (!limit) {
        return wrong_value(
            keys::limit_cores, *text, "expected a Kubernetes quantity, such as 500m or 2");
    }
    if (*limit < request) {
        return wrong_value(
            keys::limit_cores,
            *text,
            "less than the " + core::format_cpu(request) +
                " cpu that an executor requests, so none can be created");
    }
    return std::optional(*limit);
}

/// Spark adds the block manager's port to its container (once instead of the ports it had), which
/// is one of the node only on the host's network; 0 means none.
core::Result<std::vector<core::HostPort>> host_ports(
    const Containers& base, const ConfView& conf, Version version) {
    const core::PodTemplate& pod = base.pod;
    std::vector<core::HostPort> ports = pod.sidecar_ports;
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
        if (i != base.spark || version >= template_ports_since) {
            const auto& own = pod.containers[i].host_ports;
            ports.insert(ports.end(), own.begin(), own.end());
        }
    }
    const auto port = conf.integer_or(keys::block_manager_port, default_block_manager_port, 0);
    if (!port) {
        return port.error();
    }
    if (*port != 0 && (*port < port_min || *port > port_max)) {
        return wrong_value(
            keys::block_manager_port,
            *conf.find(keys::block_manager_port),
            "expected 0 or a port from 1024 to 65535");
    }
    if (pod.host_network && *port != 0) {
        ports.push_back({"", "TCP", *port});
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

/// Executors are in their driver's namespace, which the template does not know.
std::optional<core::PodRules> rules(
    std::optional<core::PodRules> from, const std::string& namespace_name) {
    if (!from) {
        return from;
    }
    const auto name_it = [&namespace_name](core::PodAffinityTerm& term) {
        std::replace(term.namespaces.begin(), term.namespaces.end(), std::string(), namespace_name);
    };
    for (core::PodAffinityTerm& term : from->affinity) {
        name_it(term);
    }
    for (core::PodAffinityTerm& term : from->anti_affinity) {
        name_it(term);
    }
    for (core::PreferredPods& one : from->preferred) {
        name_it(one.term);
    }
    return from;
}

/// Spark makes its container's memory limit what it requests.
std::vector<core::ContainerLimits> container_limits(
    const Containers& base, const std::optional<std::int64_t>& cpu_limit_milli) {
    std::vector<core::ContainerLimits> limits;
    for (std::size_t i = 0; i < base.pod.requests.containers.size(); ++i) {
        const core::Resources& requests = base.pod.requests.containers[i].requests;
        const core::TemplateContainer& said = base.pod.containers[i];
        const bool is_spark = i == base.spark;
        limits.push_back(
            {requests,
             is_spark ? cpu_limit_milli : said.cpu_limit_milli,
             is_spark ? requests.memory_bytes : said.memory_limit_bytes});
    }
    return limits;
}

/// Everything but requests, ports, labels and claims, which can fail.
ExecutorShape placed(core::PodTemplate from, const ConfView& conf, const Ground& ground) {
    ExecutorShape shape;
    const Version version = ground.version;
    shape.rules = rules(std::move(from.rules), ground.driver.namespace_name);
    shape.scheduler_name = scheduler_name(from.scheduler_name, conf, version);
    shape.constraints = std::move(from.constraints);
    shape.constraints.node_selector = node_selector(shape.constraints.node_selector, conf, version);
    shape.affinity_json = std::move(from.affinity_json);
    shape.topology_spread_json = std::move(from.topology_spread_json);
    shape.volumes_json = std::move(from.volumes_json);
    shape.scheduling_gates_json = std::move(from.scheduling_gates_json);
    shape.node_name = std::move(from.node_name);
    shape.priority_class_name = std::move(from.priority_class_name);
    shape.preemption_policy = std::move(from.preemption_policy);
    shape.runtime_class_name = std::move(from.runtime_class_name);
    return shape;
}

}  // namespace

core::Result<ExecutorShape> overlay(const Ground& ground, const core::Resources& spark_container) {
    const ConfView view(ground.conf.properties, ground.version);
    Containers base = select_container(ground.conf, view);
    if (const auto named = check_names(base); !named) {
        return named.error();
    }
    core::ContainerRequest& container = base.pod.requests.containers[base.spark];
    const auto limited = cpu_limit(
        view, base.pod.containers[base.spark].cpu_limit_milli, spark_container.cpu_milli);
    if (!limited) {
        return limited.error();
    }
    container.requests = replaced(container.requests, spark_container);
    const auto requests = core::effective_requests(base.pod.requests);
    if (!requests) {
        return core::Error{"an executor's requests together: " + requests.error().message};
    }
    auto ports = host_ports(base, view, ground.version);
    auto labels = executor_labels(base.pod.labels, view, ground);
    auto claims = volume_claims(view, ground.version);
    for (const auto* error : {find_error(ports), find_error(labels), find_error(claims)}) {
        if (error != nullptr) {
            return *error;
        }
    }
    const std::vector<core::InTreeDisk> disks = base.pod.disks;
    std::vector<core::ContainerLimits> containers = container_limits(base, *limited);
    base.pod.constraints.images = images(base, view);
    ExecutorShape shape = placed(std::move(base.pod), view, ground);
    shape.requests = *requests;
    shape.containers = std::move(containers);
    shape.host_ports = *std::move(ports);
    core::add_host_ports(shape.requests, shape.host_ports);
    core::add_disks(shape.requests, disks);
    shape.constraints.has_host_ports = !shape.host_ports.empty();
    shape.labels = *std::move(labels);
    shape.claims = *std::move(claims);
    return shape;
}

}  // namespace gang::spark
