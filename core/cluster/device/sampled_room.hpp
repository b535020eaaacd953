#pragma once
// How many pods with one wish (core/value/device/gpu_wish.hpp) a node's GPUs take, by what is free
// of them now, and what is free of them after that.

#include "core/value/device/gpu_wish.hpp"
#include "core/value/device/model_pattern.hpp"
#include "core/value/device/sampled_gpu.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// More pods than a node ever has: of a wish that takes no memory there is no limit.
inline constexpr std::int64_t gpu_pods_unlimited = 1'000'000;

/// A wish with its expression made ready. It remembers which models match: there are few of them.
class GpuAsk {
public:
    /// Nothing: that is no name of a wish.
    static std::optional<GpuAsk> make(std::string_view name);

    const GpuWish& wish() const { return wish_; }
    bool matches(const std::string& model) const;

private:
    static constexpr std::size_t models_max = 256;

    explicit GpuAsk(GpuWish wish) : wish_(std::move(wish)) {}

    GpuWish wish_;
    std::optional<ModelPattern> pattern_;
    mutable std::map<std::string, bool> known_;
};

/// What stands between a node and one more pod with the wish.
enum class GpuLack : std::uint8_t {
    nothing,
    number,        ///< fewer cards of the model than wished
    memory_each,   ///< fewer of them with so much free
    memory_total,  ///< less free on all of them together
};

struct GpuRoom {
    std::int64_t pods = 0;
    GpuLack lack = GpuLack::nothing;  ///< of the first pod
    std::int64_t has = 0;             ///< cards, or MiB: what there is of what is lacking
};

/// `free` is by card, as `gpus`. A pod takes its cards where the most is left, and what it wishes
/// in total beyond that anywhere; so the number is exact: the largest n with sum over cards of
/// min(n, floor(free / each)) >= number * n, and n * memory_of(wish) <= all that is free.
GpuRoom find_gpu_room(
    const GpuAsk& ask, std::span<const SampledGpu> gpus, std::span<const std::int64_t> free);

/// Takes `mib` of memory for a pod with the wish: so much of it on each of its cards, the one with
/// the most left first, and the rest likewise. May leave less than nothing.
void take_gpu_memory(
    const GpuAsk& ask,
    std::int64_t mib,
    std::span<const SampledGpu> gpus,
    std::span<std::int64_t> free);

}  // namespace core
