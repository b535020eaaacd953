#include "core/cluster/scan.hpp"

#include <algorithm>

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

/// Room of a resource that is not requested.
constexpr std::array<double, block_size> make_unlimited_rows() {
    std::array<double, block_size> rows = {};
    for (double& row : rows) row = no_limit;
    return rows;
}
constexpr std::array<double, block_size> unlimited_rows = make_unlimited_rows();

/// Added and taken away again it rounds to a whole number, the nearest.
constexpr double rounding = 6755399441055744.0;  // 1.5 * 2^52

/// Never less than 1 / request times room, whatever the two roundings do (2^-53 each).
double inverse_of(double request) {
    return 1.0 / request * (1.0 + 0x1p-50);
}

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
        parts[part_count++] = {i, request, inverse_of(request)};
    }
    for (const ExtendedDemand& wanted : demand.extended) {
        is_wide = is_wide || wanted.amount > scanned_max;
        leaves_devices_out = leaves_devices_out || device_count == devices_max;
        if (wanted.amount > scanned_max || device_count == devices_max) continue;
        const auto request = static_cast<double>(wanted.amount);
        devices[device_count++] = {wanted.id, request, inverse_of(request)};
    }
    wants_cards = demand.wants_cards;
}

/// Let q = room / request be the least over resources, exactly, and the pod slots p <= 2^31 - 1.
/// The product with the inverse is at least q and at most q * (1 + 2^-49), and the least with p is
/// taken before rounding: what is rounded to the nearest is floor(min(q, p)) or one more. The one
/// more is found by multiplying back: request * c is a whole number below room + request, so below
/// 2^53, and exact.
CORE_WIDEST_REGISTERS
void scan_rows(const ScanDemand& demand, const FreeRows& rows, std::int32_t* capacities) {
    const auto free_of = [&](std::size_t part) {
        return part < demand.part_count ? rows[demand.parts[part].resource] : unlimited_rows.data();
    };
    const double* const pods = rows[plain_resources - 1];
    const double* const a = free_of(0);
    const double* const b = free_of(1);
    const double a_inverse = demand.parts[0].inverse;
    const double b_inverse = demand.parts[1].inverse;
    const double a_request = demand.parts[0].request;
    const double b_request = demand.parts[1].request;
    if (demand.part_count == demand.parts.size()) {
        const ScanDemand::Part& third = demand.parts[2];
        const ScanDemand::Device alike{{}, third.request, third.inverse};
        scan_rows_and_device(demand, rows, alike, rows[third.resource], capacities);
        return;
    }
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
}

/// As in scan_rows(): what the first two parts do not ask for is there without end.
CORE_WIDEST_REGISTERS
void scan_rows_and_device(
    const ScanDemand& demand,
    const FreeRows& rows,
    const ScanDemand::Device& device,
    const double* device_rows,
    std::int32_t* capacities) {
    const auto free_of = [&](std::size_t part) {
        return part < demand.part_count ? rows[demand.parts[part].resource] : unlimited_rows.data();
    };
    const double* const pods = rows[plain_resources - 1];
    const double* const a = free_of(0);
    const double* const b = free_of(1);
    const double* const c = device_rows;
    const double a_inverse = demand.parts[0].inverse;
    const double b_inverse = demand.parts[1].inverse;
    const double c_inverse = device.inverse;
    const double a_request = demand.parts[0].request;
    const double b_request = demand.parts[1].request;
    const double c_request = device.request;
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

namespace {

CORE_WIDEST_REGISTERS
void take_away(const double* rows, double taken, double* left) {
    for (std::size_t i = 0; i < block_size; ++i) {
        const double rest = rows[i] - taken;
        left[i] = rest > 0 ? rest : 0;
    }
}

}  // namespace

void scan_rows_beside(
    const ScanDemand& demand,
    const FreeRows& rows,
    const std::array<double, plain_resources>& taken,
    std::int32_t* capacities) {
    std::array<std::array<double, block_size>, plain_resources> left;
    FreeRows beside = {};
    for (std::size_t i = 0; i < plain_resources; ++i) {
        take_away(rows[i], taken[i], left[i].data());
        beside[i] = left[i].data();
    }
    scan_rows(demand, beside, capacities);
}

/// As in scan_rows(), with the capacity so far for the pod slots.
CORE_WIDEST_REGISTERS
void limit_rows(const ScanDemand::Device& device, const double* rows, std::int32_t* capacities) {
    const double request = device.request;
    const double inverse = device.inverse;
    for (std::size_t i = 0; i < block_size; ++i) {
        const double by_device = rows[i] * inverse;
        const double most = capacities[i];
        const double least = by_device < most ? by_device : most;
        const double count = (least + rounding) - rounding;
        capacities[i] = static_cast<std::int32_t>(count - (count * request > rows[i] ? 1.0 : 0.0));
    }
}

/// Each card's count is limited by the capacity so far, so none of the sums is inexact before it is
/// too large to matter.
CORE_WIDEST_REGISTERS
void limit_rows_by_cards(
    const ScanDemand::Device& device,
    const double* cards,
    std::size_t card_count,
    std::int32_t* capacities) {
    const double request = device.request;
    const double inverse = device.inverse;
    std::array<double, block_size> sums = {};
    for (std::size_t card = 0; card < card_count; ++card) {
        const double* const rows = cards + card * block_size;
        for (std::size_t i = 0; i < block_size; ++i) {
            const double by_card = rows[i] * inverse;
            const double most = capacities[i];
            const double least = by_card < most ? by_card : most;
            const double count = (least + rounding) - rounding;
            sums[i] += count - (count * request > rows[i] ? 1.0 : 0.0);
        }
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        const double most = capacities[i];
        capacities[i] = static_cast<std::int32_t>(sums[i] < most ? sums[i] : most);
    }
}

/// With n pods filled, of which the cards take the sum of floor(free / units) at most: one more
/// finds its card if and only if n is less than that. If it is not, each card is left with what the
/// units do not divide.
CORE_WIDEST_REGISTERS
FilledCards fill_cards(
    const ScanDemand::Device& device,
    const double* cards,
    std::size_t card_count,
    const std::int32_t* filled) {
    const double request = device.request;
    const double inverse = device.inverse;
    constexpr double many = 0x1p31;  // no node has more pods
    FilledCards found;
    found.best.fill(0);
    std::array<double, block_size> more = {};
    for (std::size_t i = 0; i < block_size; ++i) {
        more[i] = filled == nullptr ? 0.0 : -static_cast<double>(filled[i]);
    }
    for (std::size_t card = 0; card < card_count; ++card) {
        const double* const rows = cards + card * block_size;
        for (std::size_t i = 0; i < block_size; ++i) {
            const double by_card = rows[i] * inverse;
            const double least = by_card < many ? by_card : many;
            double count = (least + rounding) - rounding;
            count -= count * request > rows[i] ? 1.0 : 0.0;
            more[i] += count;
            const double left = rows[i] - count * request;
            found.best[i] = left > found.best[i] ? left : found.best[i];
        }
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        found.is_short |= std::uint64_t{more[i] < 1.0} << i;
    }
    return found;
}

CORE_WIDEST_REGISTERS
void mask_rows(const std::int32_t* numbers, std::uint64_t kept, std::int32_t* into) {
    for (std::size_t i = 0; i < block_size; ++i) {
        into[i] = numbers[i] & -static_cast<std::int32_t>((kept >> i) & 1U);
    }
}

CORE_WIDEST_REGISTERS
void cap_rows(std::int32_t* numbers, std::int32_t most) {
    if (most == std::numeric_limits<std::int32_t>::max()) return;
    for (std::size_t i = 0; i < block_size; ++i) {
        numbers[i] = numbers[i] < most ? numbers[i] : most;
    }
}

CORE_WIDEST_REGISTERS
std::uint64_t bits_short(
    const double* rows, double request, const std::int32_t* filled, double filler) {
    std::uint64_t bits = 0;
    if (filled == nullptr) {
        for (std::size_t i = 0; i < block_size; ++i) {
            bits |= std::uint64_t{rows[i] < request} << i;
        }
        return bits;
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        bits |= std::uint64_t{rows[i] - filled[i] * filler < request} << i;
    }
    return bits;
}

CORE_WIDEST_REGISTERS
std::int32_t largest_of(const std::int32_t* capacities) {
    std::int32_t largest = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        largest = capacities[i] > largest ? capacities[i] : largest;
    }
    return largest;
}

/// Of n - 1 as unsigned numbers 0 becomes the largest.
CORE_WIDEST_REGISTERS
std::int32_t least_of(const std::int32_t* numbers) {
    std::uint32_t least = UINT32_MAX;
    for (std::size_t i = 0; i < block_size; ++i) {
        const std::uint32_t less_one = static_cast<std::uint32_t>(numbers[i]) - 1;
        least = less_one < least ? less_one : least;
    }
    return static_cast<std::int32_t>(least + 1);
}

CORE_WIDEST_REGISTERS
Summary summarize(const std::int32_t* capacities, double bound) {
    std::uint32_t least = UINT32_MAX;
    std::int32_t most = 0;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        const std::uint32_t less_one = static_cast<std::uint32_t>(capacities[i]) - 1;
        least = less_one < least ? less_one : least;
        most = capacities[i] > most ? capacities[i] : most;
        sum = static_cast<std::int32_t>(
            static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(capacities[i]));
    }
    Summary summary{sum, static_cast<std::int32_t>(least + 1), most};
    if (bound < 0x1p25) return summary;  // 64 of them stay below 2^31
    summary.total = 0;
    for (std::size_t i = 0; i < block_size; ++i) summary.total += capacities[i];
    return summary;
}

/// In lanes, for the compiler may not change the order of comparisons of doubles.
CORE_WIDEST_REGISTERS
double largest_free(const double* rows) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> most = {};
    for (std::size_t i = 0; i < block_size; i += lanes) {
        for (std::size_t j = 0; j < lanes; ++j) {
            most[j] = rows[i + j] > most[j] ? rows[i + j] : most[j];
        }
    }
    double largest = 0;
    for (const double lane : most) largest = lane > largest ? lane : largest;
    return largest;
}

CORE_WIDEST_REGISTERS
std::uint64_t bits_up_to(const std::int32_t* numbers, std::int32_t limit) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        const auto less_one = static_cast<std::uint32_t>(numbers[i]) - 1;
        bits |= std::uint64_t{less_one < static_cast<std::uint32_t>(limit)} << i;
    }
    return bits;
}

CORE_WIDEST_REGISTERS
std::uint64_t bits_from(const std::int32_t* numbers, std::int32_t limit) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        bits |= std::uint64_t{numbers[i] >= limit} << i;
    }
    return bits;
}

CORE_WIDEST_REGISTERS
std::uint64_t bits_equal(const std::int32_t* numbers, std::int32_t wanted) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        bits |= std::uint64_t{numbers[i] == wanted} << i;
    }
    return bits;
}

/// Of n - limit - 1 as unsigned numbers those not above the limit become the largest: 2^31 or more.
CORE_WIDEST_REGISTERS
std::int32_t least_above(const std::int32_t* numbers, std::int32_t limit) {
    const std::uint32_t next = static_cast<std::uint32_t>(limit) + 1;
    std::uint32_t least = UINT32_MAX;
    for (std::size_t i = 0; i < block_size; ++i) {
        const std::uint32_t beyond = static_cast<std::uint32_t>(numbers[i]) - next;
        least = beyond < least ? beyond : least;
    }
    return least > INT32_MAX ? 0 : static_cast<std::int32_t>(least + next);
}

CORE_WIDEST_REGISTERS
std::int32_t largest_below(const std::int32_t* numbers, std::int32_t limit) {
    std::int32_t largest = 0;
    for (std::size_t i = 0; i < block_size; ++i) {
        const std::int32_t number = numbers[i] < limit ? numbers[i] : 0;
        largest = number > largest ? number : largest;
    }
    return largest;
}

}  // namespace core
