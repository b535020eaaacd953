#include "core/score/balanced.hpp"

#include <algorithm>

namespace core {

std::int64_t balance(const Used& cpu, const Used& memory) {
    if (cpu.whole == 0 || memory.whole == 0) return score_max;
    // Up to 2^56 each: 50 times a product of two fits in 128 bits.
    __extension__ using Product = __int128;
    const Product whole = Product{cpu.whole} * memory.whole;
    Product distance = Product{std::min(cpu.part, cpu.whole)} * memory.whole -
                       Product{std::min(memory.part, memory.whole)} * cpu.whole;
    if (distance < 0) distance = -distance;
    const Product lost = (distance * (score_max / 2) + whole - 1) / whole;
    return score_max - static_cast<std::int64_t>(lost);
}

std::int64_t balanced_change(std::int64_t after, std::int64_t before) {
    return 50 + (50 + after - before) / 2;
}

std::int64_t balanced_allocation(const NodeLoad& load) {
    const auto balance_with = [&load](std::int64_t cpu, std::int64_t memory) {
        return balance(used(cpu, load.cpu.allocatable), used(memory, load.memory.allocatable));
    };
    return balanced_change(
        balance_with(load.cpu.after(), load.memory.after()),
        balance_with(load.cpu.requested, load.memory.requested));
}

}  // namespace core
