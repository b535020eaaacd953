#pragma once
// What a pod wishes of GPUs as they are measured, in Genius' labels: how many, with how much free
// memory, of which model. An annotation of the same name counts instead of the label: a label's
// value has no spaces, and none of the characters that expressions are made of.
//
// A wish is counted as an extended resource whose name is the whole wish,
// "genius/gpu-number=2,gpu-memory-each=4000", and of which a pod asks for one: a node offers as
// many as it could take of such pods (core/cluster/device/sampled_room.hpp). The API server admits
// no resource with a '=' in its name, so neither a node's status nor a pod's requests can name one.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

inline constexpr std::int64_t gpu_number_max = 64;
inline constexpr std::int64_t gpu_memory_max = 1'000'000'000;  ///< MiB

struct GpuWish {
    std::int64_t number = 1;     ///< cards, each of which meets all that is wished of one
    std::int64_t each_mib = 0;   ///< free on each of them; 0: no matter
    std::int64_t total_mib = 0;  ///< free on all cards of the model together; 0: no matter
    std::string model;           ///< a ModelPattern; empty: any
    friend bool operator==(const GpuWish&, const GpuWish&) = default;
};

/// How much memory a pod with that wish may come to use; 0: it does not say.
std::int64_t memory_of(const GpuWish& wish);

/// Names that stand for a model in wishes, and the model's own name.
using ModelAliases = std::vector<std::pair<std::string, std::string>>;

/// Whether a pod's annotation is a part of a wish.
bool is_gpu_annotation(std::string_view key);
/// Whether the pod says anything of GPUs, readable or not.
bool wishes_gpus(const StringMap& labels, const StringMap& annotations);

/// Nothing: there is no wish. The error names the key, what it says, and what is expected.
Result<std::optional<GpuWish>> read_gpu_wish(
    const StringMap& labels, const StringMap& annotations, const ModelAliases& aliases = {});

/// genius/priority: the bigger goes first; 0 where there is none.
Result<std::int32_t> read_gpu_priority(const StringMap& labels, const StringMap& annotations);

std::string name_of(const GpuWish& wish);
bool is_gpu_wish(std::string_view extended_name);
/// Nothing: it is no name_of() a wish that can be met.
std::optional<GpuWish> wish_of(std::string_view extended_name);
/// "2 GPUs with 4000 MiB free each, of model 1070.Ti".
std::string describe(const GpuWish& wish);

/// Asks for one of it.
void add_gpu_wish(Resources& to, const GpuWish& wish);
/// Its name among these resources; nullptr: none is asked for.
const std::string* find_gpu_wish(const Resources& resources);
Resources without_gpu_wishes(Resources resources);

}  // namespace core
