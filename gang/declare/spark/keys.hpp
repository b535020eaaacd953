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
inline constexpr Key driver_template_file = "spark.kubernetes.driver.podTemplateFile";
inline constexpr Key limit_cores = "spark.kubernetes.executor.limit.cores";
inline constexpr Key block_manager_port = "spark.blockManager.port";
inline constexpr Key legacy_access_mode = "spark.kubernetes.legacy.useReadWriteOnceAccessMode";
inline constexpr Key batch_size = "spark.kubernetes.allocation.batch.size";
inline constexpr Key allocator = "spark.kubernetes.allocation.pods.allocator";
inline constexpr Key shuffle_tracking = "spark.dynamicAllocation.shuffleTracking.enabled";
inline constexpr Key shuffle_service = "spark.shuffle.service.enabled";
inline constexpr Key decommission = "spark.decommission.enabled";
inline constexpr Key decommission_shuffle = "spark.storage.decommission.shuffleBlocks.enabled";
inline constexpr Key name_prefix = "spark.kubernetes.executor.podNamePrefix";
inline constexpr Key task_cpus = "spark.task.cpus";

inline constexpr Key executor_image = "spark.kubernetes.executor.container.image";
inline constexpr Key container_image = "spark.kubernetes.container.image";

// Names of former versions, which Spark still reads when the key itself is absent.
inline constexpr Key old_executor_overhead = "spark.yarn.executor.memoryOverhead";
inline constexpr Key old_off_heap_enabled = "spark.unsafe.offHeap";

struct Renamed {
    Key key;
    Key former;
};
inline constexpr std::array renamed = {
    Renamed{executor_overhead, old_executor_overhead},
    Renamed{off_heap_enabled, old_off_heap_enabled}};

inline constexpr std::array exact = {
    executor_image,
    container_image,
    executor_memory,
    executor_overhead,
    executor_overhead_factor,
    executor_min_overhead,
    executor_bursty,
    executor_pyspark,
    executor_cores,
    executor_instances,
    off_heap_enabled,
    off_heap_size,
    dynamic_enabled,
    dynamic_min,
    dynamic_initial,
    dynamic_max,
    overhead_factor,
    resource_type,
    request_cores,
    driver_master,
    scheduler_name,
    executor_scheduler_name,
    template_file,
    template_container,
    driver_template_file,
    limit_cores,
    allocator,
    name_prefix,
    shuffle_tracking,
    shuffle_service,
    decommission,
    decommission_shuffle,
    block_manager_port,
    legacy_access_mode,
    batch_size,
    task_cpus,
    old_executor_overhead,
    old_off_heap_enabled};

/// Node selectors: what follows the prefix is the label's key.
inline constexpr Key node_selector_prefix = "spark.kubernetes.node.selector.";
inline constexpr Key executor_node_selector_prefix = "spark.kubernetes.executor.node.selector.";

/// Labels of the executors: what follows the prefix is the label's key.
inline constexpr Key executor_label_prefix = "spark.kubernetes.executor.label.";

/// Annotations of the executors, of which only those are kept that say something of GPUs.
inline constexpr Key executor_annotation_prefix = "spark.kubernetes.executor.annotation.";
inline constexpr std::array gpu_annotation_prefixes = {
    Key("spark.kubernetes.executor.annotation.genius/"),
    Key("spark.kubernetes.executor.annotation.gpu-"),
    Key("spark.kubernetes.executor.annotation.nvidia.com/"),
    Key("spark.kubernetes.executor.annotation.volcano.sh/vgpu-")};

/// Volumes: prefix, type, name, and what of it.
inline constexpr Key volume_prefix = "spark.kubernetes.executor.volumes.";

/// Custom resources: prefix, name, and what of it.
inline constexpr Key resource_prefix = "spark.executor.resource.";
inline constexpr Key task_resource_prefix = "spark.task.resource.";
inline constexpr Key amount_suffix = ".amount";
inline constexpr Key vendor_suffix = ".vendor";

/// All that begins with one of these is kept.
inline constexpr std::array prefixes = {
    node_selector_prefix,
    executor_node_selector_prefix,
    executor_label_prefix,
    volume_prefix,
    resource_prefix,
    task_resource_prefix,
    gpu_annotation_prefixes[0],
    gpu_annotation_prefixes[1],
    gpu_annotation_prefixes[2],
    gpu_annotation_prefixes[3]};

}  // namespace gang::spark::keys
