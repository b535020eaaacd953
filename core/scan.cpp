#include "core/scan.hpp"

#include <algorithm>
#include <limits>

// One binary for all machines of an architecture: where the processor has wider registers, the
// same loops are used as the compiler has made them for those. Results are equal, bit for bit.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define CORE_WIDEST_REGISTERS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CORE_WIDEST_REGISTERS
#endif

namespace core {

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Room of a resource that is not requested.
constexpr std::array<double, block_size> make_unlimited_rows() {
    std::array<double, block_size> rows = {};
    for (double& row : rows) row = no_limit;
    return rows;
}
constexpr std::array<double, block_size> unlimited_rows = make_unlimited_rows();

/// Added and taken away again it rounds to a whole number, the nearest.
constexpr double rounding = 6755399441055744.0;  // 1.5 * 2^52

}  // namespace

ScanDemand::ScanDemand(const Demand& demand) {
    const std::array<std::int64_t, plain_resources - 1> requests = {
        demand.cpu_milli, demand.memory_bytes, demand.ephemeral_bytes};
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i] == 0) continue;
        if (requests[i] > scanned_max) {
            is_wide = true;
            continue;
        }
        const auto request = static_cast<double>(requests[i]);
        // Never less than 1 / request times room, whatever the two roundings do (2^-53 each).
        parts[part_count++] = {i, request, 1.0 / request * (1.0 + 0x1p-50)};
    }
}

/// Let q = room / request be the least over resources, exactly, and the pod slots p <= 2^31 - 1.
/// The product with the inverse is at least q and at most q * (1 + 2^-49), and the least with p is
/// taken before rounding: what is rounded to the nearest is floor(min(q, p)) or one more. The one
/// more is found by multiplying back: request * c is a whole number below room + request, so below
/// 2^53, and exact.
CORE_WIDEST_REGISTERS
void scan_rows(const ScanDemand& demand, const RoomRows& rows, std::int32_t* capacities) {
    const auto room_of = [&](std::size_t part) {
        return part < demand.part_count ? rows[demand.parts[part].resource] : unlimited_rows.data();
    };
    const double* const pods = rows[plain_resources - 1];
    const double* const a = room_of(0);
    const double* const b = room_of(1);
    const double a_inverse = demand.parts[0].inverse;
    const double b_inverse = demand.parts[1].inverse;
    const double a_request = demand.parts[0].request;
    const double b_request = demand.parts[1].request;
    if (demand.part_count < demand.parts.size()) {
        for (std::size_t i = 0; i < block_size; ++i) {
            const double by_a = a[i] * a_inverse;
            const double by_b = b[i] * b_inverse;
            double least = by_a < by_b ? by_a : by_b;
            least = least < pods[i] ? least : pods[i];
            const double count = (least + rounding) - rounding;
            const double over =
                (count * a_request > a[i] ? 1.0 : 0.0) + (count * b_request > b[i] ? 1.0 : 0.0);
            capacities[i] = static_cast<std::int32_t>(count - (over < 1.0 ? over : 1.0));
        }
        return;
    }
    const double* const c = room_of(2);
    const double c_inverse = demand.parts[2].inverse;
    const double c_request = demand.parts[2].request;
    for (std::size_t i = 0; i < block_size; ++i) {
        const double by_a = a[i] * a_inverse;
        const double by_b = b[i] * b_inverse;
        const double by_c = c[i] * c_inverse;
        double least = by_a < by_b ? by_a : by_b;
        least = least < by_c ? least : by_c;
        least = least < pods[i] ? least : pods[i];
        const double count = (least + rounding) - rounding;
        const double over = (count * a_request > a[i] ? 1.0 : 0.0) +
                            (count * b_request > b[i] ? 1.0 : 0.0) +
                            (count * c_request > c[i] ? 1.0 : 0.0);
        capacities[i] = static_cast<std::int32_t>(count - (over < 1.0 ? over : 1.0));
    }
}

CORE_WIDEST_REGISTERS
std::int32_t largest_of(const std::int32_t* capacities) {
    std::int32_t largest = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        largest = capacities[i] > largest ? capacities[i] : largest;
    }
    return largest;
}

CORE_WIDEST_REGISTERS
bool has_between(const std::int32_t* capacities, std::int32_t limit) {
    std::int32_t found = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        found |= (capacities[i] > 0 ? 1 : 0) & (capacities[i] < limit ? 1 : 0);
    }
    return found != 0;
}

CORE_WIDEST_REGISTERS
std::int64_t sum_of(const std::int32_t* capacities, double largest) {
    if (largest < 0x1p25) {  // 64 of them stay below 2^31
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < block_size; ++i) sum += capacities[i];
        return sum;
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < block_size; ++i) sum += capacities[i];
    return sum;
}

}  // namespace core
