#pragma once
// What a pod asks or a node offers: integers only. CPU in thousandths of a core, everything else in
// bytes or whole units. Extended resources (nvidia.com/gpu, hugepages-2Mi) are kept by name here
// and interned by the cluster; among them is what pods have to themselves (exclusive.hpp).

#include "core/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct ExtendedResource {
    std::string name;
    std::int64_t amount = 0;
    friend auto operator<=>(const ExtendedResource&, const ExtendedResource&) = default;
};

struct Resources {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t ephemeral_bytes = 0;
    std::vector<ExtendedResource> extended;  ///< sorted by name, no duplicates, amounts > 0

    /// Amount of the named extended resource, 0 if absent.
    std::int64_t extended_amount(std::string_view name) const;
    friend auto operator<=>(const Resources&, const Resources&) = default;
};

/// Adds a resource in its Kubernetes spelling ("cpu", "memory", "nvidia.com/gpu") and quantity
/// text. A negative amount is an error. "pods" is ignored here: nodes carry it apart.
Result<Done> set_resource(Resources& into, std::string_view name, std::string_view quantity);

/// Sum; overflow is an error.
Result<Resources> sum(const Resources& a, const Resources& b);

/// The larger amount of each resource.
Resources larger(const Resources& a, const Resources& b);

// Sums for people, and for what is shown: what does not fit in 64 bits is the nearest that does.

/// total + amount * count.
std::int64_t add_times(std::int64_t total, std::int64_t amount, std::int64_t count);
/// Adds `count` times what one asks; -1 takes it away once, below zero if need be.
void add_times(Resources& total, const Resources& one, std::int64_t count);
/// What is left of each amount of `a`, nothing below zero.
Resources difference(const Resources& a, const Resources& b);

/// "4 cpu, 23.8Gi memory, 1 nvidia.com/gpu": for messages. Resources that are zero are left out,
/// bytes as format_bytes_short() has them.
std::string describe(const Resources& resources);

/// The same with every byte, for messages that set two amounts side by side: these must not look
/// alike.
std::string describe_exactly(const Resources& resources);

}  // namespace core
