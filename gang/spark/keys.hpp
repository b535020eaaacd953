#pragma once
// The conf keys that sizing reads, in one place: what is not listed here is never kept.

#include <array>
#include <string_view>

namespace gang::spark::keys {

using Key = std::string_view;

inline constexpr Key executor_memory = "spark.executor.memory";
inline constexpr Key executor_overhead = "spark.executor.memoryOverhead";
inline constexpr Key executor_overhead_factor = "spark.executor.memoryOverheadFactor";
inline constexpr Key executor_min_overhead = "spark.executor.minMemoryOverhead";
inline constexpr Key executor_bursty = "spark.executor.memoryOverheadBursty.enabled";
inline constexpr Key executor_pyspark = "spark.executor.pyspark.memory";
inline constexpr Key executor_cores = "spark.executor.cores";
inline constexpr Key executor_instances = "spark.executor.instances";
inline constexpr Key off_heap_enabled = "spark.memory.offHeap.enabled";
inline constexpr Key off_heap_size = "spark.memory.offHeap.size";
inline constexpr Key dynamic_enabled = "spark.dynamicAllocation.enabled";
inline constexpr Key dynamic_min = "spark.dynamicAllocation.minExecutors";
inline constexpr Key dynamic_initial = "spark.dynamicAllocation.initialExecutors";
inline constexpr Key dynamic_max = "spark.dynamicAllocation.maxExecutors";
inline constexpr Key overhead_factor = "spark.kubernetes.memoryOverheadFactor";
inline constexpr Key resource_type = "spark.kubernetes.resource.type";
inline constexpr Key request_cores = "spark.kubernetes.executor.request.cores";
inline constexpr Key driver_master = "spark.kubernetes.driver.master";
inline constexpr Key scheduler_name = "spark.kubernetes.scheduler.name";
inline constexpr Key executor_scheduler_name = "spark.kubernetes.executor.scheduler.name";
inline constexpr Key template_file = "spark.kubernetes.executor.podTemplateFile";
inline constexpr Key template_container = "spark.kubernetes.executor.podTemplateContainerName";

inline constexpr std::array exact = {
    executor_memory,  executor_overhead, executor_overhead_factor, executor_min_overhead,
    executor_bursty,  executor_pyspark,  executor_cores,           executor_instances,
    off_heap_enabled, off_heap_size,     dynamic_enabled,          dynamic_min,
    dynamic_initial,  dynamic_max,       overhead_factor,          resource_type,
    request_cores,    driver_master,     scheduler_name,           executor_scheduler_name,
    template_file,    template_container};

/// Node selectors: what follows the prefix is the label's key.
inline constexpr Key node_selector_prefix = "spark.kubernetes.node.selector.";
inline constexpr Key executor_node_selector_prefix = "spark.kubernetes.executor.node.selector.";

/// Custom resources: prefix, name, then one of the two suffixes.
inline constexpr Key resource_prefix = "spark.executor.resource.";
inline constexpr Key amount_suffix = ".amount";
inline constexpr Key vendor_suffix = ".vendor";

}  // namespace gang::spark::keys
