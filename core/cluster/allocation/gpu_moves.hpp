#pragma once
// Who came to a node, and who left it, of pods with a wish of GPUs (value/device/gpu_wish.hpp), since
// somebody last asked.

#include "core/base/ids.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Pods with a wish of GPUs got room on a node, or gave it back.
struct GpuMove {
    AllocationId allocation;
    std::string node;
    std::uint32_t count = 1;
    bool taken = true;
    std::string wish;  ///< its name as a resource
    friend bool operator==(const GpuMove&, const GpuMove&) = default;
};

class GpuMoves {
public:
    /// From now on they are noted.
    void begin() { is_on_ = true; }
    bool is_on() const { return is_on_; }
    bool has_any() const { return !moves_.empty(); }
    void note(GpuMove move) { moves_.push_back(std::move(move)); }
    /// What is taken back was the last to be noted.
    void forget_last() { moves_.pop_back(); }
    /// Those since this was last asked, in order.
    std::vector<GpuMove> take() { return std::exchange(moves_, {}); }
    friend bool operator==(const GpuMoves&, const GpuMoves&) = default;

private:
    bool is_on_ = false;
    std::vector<GpuMove> moves_;
};

}  // namespace core
