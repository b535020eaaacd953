#pragma once
// Nodes, pods and shapes for tests, in one line each: node("n1").cpu(8).memory("32Gi"). Values that
// a test does not name are harmless: a ready, roomy node; a pending pod of one small container.
// (Some strings are appended, not assigned: GCC 12 warns falsely of literals when it optimises.)

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/quantity.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace build {

inline void put(core::StringMap& map, std::string key, std::string value) {
    const auto at =
        std::lower_bound(map.begin(), map.end(), key, [](const auto& entry, const std::string& k) {
            return entry.first < k;
        });
    if (at != map.end() && at->first == key) {
        at->second = std::move(value);
    } else {
        map.emplace(at, std::move(key), std::move(value));
    }
}

inline std::int64_t bytes(std::string_view quantity) {
    const core::Result<std::int64_t> parsed = core::parse_whole(quantity);
    ENSURE(parsed.has_value());
    return *parsed;
}

inline void set(core::Resources& resources, std::string_view name, std::string_view quantity) {
    ENSURE(core::set_resource(resources, name, quantity).has_value());
}

/// resources("4", "8Gi"): CPU and memory.
inline core::Resources resources(std::string_view cpu, std::string_view memory = "0") {
    core::Resources made;
    set(made, "cpu", cpu);
    set(made, "memory", memory);
    return made;
}

class NodeBuilder {
public:
    explicit NodeBuilder(std::string name) {
        node_.name = std::move(name);
        node_.uid.append("uid-").append(node_.name);
        node_.resource_version.push_back('1');
        node_.allocatable.cpu_milli = 4000;
        node_.allocatable.memory_bytes = bytes("16Gi");
        node_.allocatable.ephemeral_bytes = bytes("100Gi");
        node_.pods = 110;
        node_.ready = true;
        put(node_.labels, "kubernetes.io/hostname", node_.name);
    }
    NodeBuilder& cpu(std::int64_t cores) { return cpu_milli(cores * 1000); }
    NodeBuilder& cpu_milli(std::int64_t milli) {
        node_.allocatable.cpu_milli = milli;
        return *this;
    }
    NodeBuilder& memory(std::string_view quantity) {
        node_.allocatable.memory_bytes = bytes(quantity);
        return *this;
    }
    NodeBuilder& ephemeral(std::string_view quantity) {
        node_.allocatable.ephemeral_bytes = bytes(quantity);
        return *this;
    }
    NodeBuilder& pods(std::int64_t count) {
        node_.pods = count;
        return *this;
    }
    NodeBuilder& extended(std::string_view name, std::string_view quantity) {
        set(node_.allocatable, name, quantity);
        return *this;
    }
    NodeBuilder& label(std::string key, std::string value) {
        put(node_.labels, std::move(key), std::move(value));
        return *this;
    }
    NodeBuilder& taint(
        std::string key,
        std::string value,
        core::TaintEffect effect = core::TaintEffect::no_schedule) {
        node_.taints.push_back({std::move(key), std::move(value), effect});
        return *this;
    }
    NodeBuilder& cordoned(bool value = true) {
        node_.unschedulable = value;
        return *this;
    }
    NodeBuilder& ready(bool value) {
        node_.ready = value;
        return *this;
    }
    NodeBuilder& resource_version(std::string version) {
        node_.resource_version = std::move(version);
        return *this;
    }
    operator core::Node() const { return node_; }  // NOLINT: a builder is its value
    const core::Node& get() const { return node_; }

private:
    core::Node node_;
};

inline NodeBuilder node(std::string name) {
    return NodeBuilder(std::move(name));
}

class PodBuilder {
public:
    explicit PodBuilder(std::string name) {
        pod_.namespace_name = "default";
        pod_.name = std::move(name);
        pod_.uid.append("uid-").append(pod_.name);
        pod_.resource_version.push_back('1');
        pod_.scheduler_name = "gang-scheduler";
        pod_.requests.cpu_milli = 100;
        pod_.requests.memory_bytes = bytes("64Mi");
    }
    PodBuilder& in(std::string namespace_name) {
        pod_.namespace_name = std::move(namespace_name);
        return *this;
    }
    PodBuilder& uid(std::string value) {
        pod_.uid = std::move(value);
        return *this;
    }
    PodBuilder& resource_version(std::string version) {
        pod_.resource_version = std::move(version);
        return *this;
    }
    PodBuilder& scheduler(std::string name) {
        pod_.scheduler_name = std::move(name);
        return *this;
    }
    PodBuilder& cpu(std::int64_t cores) { return cpu_milli(cores * 1000); }
    PodBuilder& cpu_milli(std::int64_t milli) {
        pod_.requests.cpu_milli = milli;
        return *this;
    }
    PodBuilder& memory(std::string_view quantity) {
        pod_.requests.memory_bytes = bytes(quantity);
        return *this;
    }
    PodBuilder& extended(std::string_view name, std::string_view quantity) {
        set(pod_.requests, name, quantity);
        return *this;
    }
    PodBuilder& requests(core::Resources value) {
        pod_.requests = std::move(value);
        return *this;
    }
    PodBuilder& on(std::string node_name) {
        pod_.node_name = std::move(node_name);
        return *this;
    }
    PodBuilder& phase(core::PodPhase value) {
        pod_.phase = value;
        return *this;
    }
    PodBuilder& deleting(bool value = true) {
        pod_.deleting = value;
        return *this;
    }
    PodBuilder& gated(bool value = true) {
        pod_.gated = value;
        return *this;
    }
    PodBuilder& created(std::int64_t unix_seconds) {
        pod_.created = unix_seconds;
        return *this;
    }
    PodBuilder& label(std::string key, std::string value) {
        put(pod_.labels, std::move(key), std::move(value));
        return *this;
    }
    PodBuilder& annotation(std::string key, std::string value) {
        put(pod_.annotations, std::move(key), std::move(value));
        return *this;
    }
    PodBuilder& node_selector(std::string key, std::string value) {
        put(pod_.constraints.edit().node_selector, std::move(key), std::move(value));
        return *this;
    }
    PodBuilder& tolerates(core::Toleration toleration) {
        pod_.constraints.edit().tolerations.push_back(std::move(toleration));
        return *this;
    }
    /// One more term: any term suffices.
    PodBuilder& affinity(core::NodeSelectorTerm term) {
        pod_.constraints.edit().has_required_affinity = true;
        pod_.constraints.edit().required_affinity.push_back(std::move(term));
        return *this;
    }
    PodBuilder& owner(core::OwnerReference reference) {
        pod_.owners.push_back(std::move(reference));
        return *this;
    }
    PodBuilder& spark_properties(std::string config_map, std::string key = "spark.properties") {
        pod_.spark_properties = core::ConfigMapKey{std::move(config_map), std::move(key)};
        return *this;
    }
    operator core::Pod() const { return pod_; }  // NOLINT: a builder is its value
    const core::Pod& get() const { return pod_; }

private:
    core::Pod pod_;
};

inline PodBuilder pod(std::string name) {
    return PodBuilder(std::move(name));
}

}  // namespace build
