#pragma once
// Values of a queue in the file: its name, amounts of resources, who may use it, and the rules that
// give a gang its queue. What is wrong inside a mapping or list is complained about where it
// stands.

#include "config/queues/queue.hpp"
#include "config/tree.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// As full_queue_name() has it.
core::Result<std::string> read_queue_name(const Tree& tree);

/// A queue counts it: cpu, memory, ephemeral-storage, huge pages, extended resources.
bool is_queue_resource(std::string_view name);

/// {cpu: 64, memory: 256Gi, nvidia.com/gpu: 8}; `path` is the mapping's own. What cannot be read is
/// left out.
ResourceAmounts read_amounts(
    const Tree& tree, const std::string& path, std::vector<Complaint>& complaints);

/// A list of "namespace/serviceaccount", not empty.
core::Result<std::vector<std::string>> read_queue_users(const Tree& tree);
/// A list of namespaces, not empty.
core::Result<std::vector<std::string>> read_queue_namespaces(const Tree& tree);

/// The list under `placement`.
std::vector<PlacementRule> read_placement(const Tree& tree, std::vector<Complaint>& complaints);

}  // namespace config
