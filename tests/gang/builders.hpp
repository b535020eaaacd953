#pragma once
// Short ways to write down nodes, pods and Spark applications in tests.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/spark/conf.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tests {

inline constexpr std::int64_t mebibyte = 1024 * 1024;
inline constexpr std::int64_t minute_ms = 60'000;

inline core::Node node(std::string name, std::int64_t cpu, std::int64_t memory_mi) {
    core::Node node;
    node.uid = "node-" + name;
    node.name = std::move(name);
    node.allocatable = {cpu * 1000, memory_mi * mebibyte, 0, {}};
    node.pods = 110;
    node.ready = true;
    return node;
}

inline core::Node node_in_zone(const std::string& name, const std::string& zone, std::int64_t cpu) {
    core::Node in = node(name, cpu, 64 * 1024);
    in.labels = {{"kubernetes.io/hostname", name}, {"zone", zone}};
    return in;
}

inline core::Pod pod(std::string name, std::int64_t cpu_milli, std::int64_t memory_mi) {
    core::Pod pod;
    pod.namespace_name = "etl";
    pod.name = std::move(name);
    pod.scheduler_name = "gang-scheduler";
    pod.created = 1'000;
    pod.requests = {cpu_milli, memory_mi * mebibyte, 0, {}};
    return pod;
}

/// A driver as Spark's cluster mode makes it: 1 cpu, 1408Mi.
inline core::Pod driver(std::string name, std::string application) {
    core::Pod driver = pod(std::move(name), 1000, 1408);
    driver.labels = {
        {"spark-app-selector", std::move(application)},
        {"spark-role", "driver"},
        {"spark-version", "4.1.0"}};
    driver.spark_properties = {"spark-drv-" + driver.name + "-conf-map", "spark.properties"};
    return driver;
}

inline core::Pod driver(std::string name) {
    std::string application = "spark-" + name;
    return driver(std::move(name), std::move(application));
}

/// The conf of an application whose executors ask 1 cpu and 1408Mi each.
inline gang::spark::Conf conf(std::int64_t executors) {
    gang::spark::Conf conf;
    conf.spark_version = "4.1.0";
    conf.properties = {
        {"spark.executor.cores", "1"},
        {"spark.executor.instances", std::to_string(executors)},
        {"spark.executor.memory", "1g"},
        {"spark.kubernetes.scheduler.name", "gang-scheduler"}};
    return conf;
}

/// The conf with one more property.
inline gang::spark::Conf with(gang::spark::Conf conf, std::string key, std::string value) {
    std::erase_if(conf.properties, [&key](const auto& entry) { return entry.first == key; });
    conf.properties.emplace_back(std::move(key), std::move(value));
    std::sort(conf.properties.begin(), conf.properties.end());
    return conf;
}

/// An executor of that driver (which must have its uid): 1 cpu, 1408Mi.
inline core::Pod executor(std::string name, const core::Pod& driver) {
    core::Pod executor = pod(std::move(name), 1000, 1408);
    executor.namespace_name = driver.namespace_name;
    executor.created = driver.created + 5;
    executor.labels = {
        {"spark-app-selector", *core::find_value(driver.labels, "spark-app-selector")},
        {"spark-exec-resourceprofile-id", "0"},
        {"spark-role", "executor"}};
    executor.owners = {{"Pod", driver.name, driver.uid, true}};
    return executor;
}

}  // namespace tests
