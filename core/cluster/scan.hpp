#pragma once
// The inner loop of planning: the capacities of 64 rows of room at once, in doubles that hold whole
// numbers, without a division. Exact, see scan_rows().

#include "core/cluster/node_columns.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace core {

/// Rows that are scanned together: nodes of a block, blocks of a region.
inline constexpr std::size_t block_size = 64;

/// `count` and what the last block is short of: columns are as long as whole blocks.
constexpr std::size_t padded_to_blocks(std::size_t count) {
    return (count + block_size - 1) / block_size * block_size;
}
/// cpu, memory, ephemeral storage, pods: what every node has. Numbered in this order.
inline constexpr std::size_t plain_resources = 4;
/// Up to here amounts are scanned as doubles; 4 PiB of memory, or 4,500 million cores.
inline constexpr std::int64_t scanned_max = std::int64_t{1} << 52;
/// The room in a row that no amount fills.
inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Where 64 rows begin, by resource. Room is whole, not negative, and at most scanned_max (or,
/// where only a bound is wanted, infinite); pod slots are at most pod_slots_max.
using FreeRows = std::array<const double*, plain_resources>;

/// A demand as the loop wants it.
struct ScanDemand {
    explicit ScanDemand(const Demand& demand);

    struct Part {
        std::size_t resource = 0;
        double request = 1;
        double inverse = 1;  ///< of the request, and a little more
    };
    std::array<Part, plain_resources - 1> parts;  ///< what is requested, then what limits nothing
    std::size_t part_count = 0;
    /// So much of an extended resource.
    struct Device {
        ExtendedId id;
        double request = 1;
        double inverse = 1;  ///< as of a part
    };
    static constexpr std::size_t devices_max = 4;
    std::array<Device, devices_max> devices;
    std::size_t device_count = 0;
    /// Each pod takes its units of one card.
    bool wants_cards = false;
    /// There are more.
    bool leaves_devices_out = false;
    /// Asks more than scanned_max of something, which is in neither list: capacities are bounds.
    bool is_wide = false;
};

/// How many pods of the demand each of 64 rows takes, extended resources aside.
void scan_rows(const ScanDemand& demand, const FreeRows& rows, std::int32_t* capacities);

/// The same and limit_rows() in one go, of a demand with a part to spare.
void scan_rows_and_device(
    const ScanDemand& demand,
    const FreeRows& rows,
    const ScanDemand::Device& device,
    const double* device_rows,
    std::int32_t* capacities);

/// The same beside something that takes so much of each resource; only where that fits.
void scan_rows_beside(
    const ScanDemand& demand,
    const FreeRows& rows,
    const std::array<double, plain_resources>& taken,
    std::int32_t* capacities);

/// No more pods in each of 64 rows than there is of a device; rows as those of a FreeRows.
void limit_rows(const ScanDemand::Device& device, const double* rows, std::int32_t* capacities);

/// No more than find their units on one card: the sum over cards of floor(free / units). `cards` is
/// 64 rows of the first card of each, then of the second, and so on; infinite: there is no limit.
void limit_rows_by_cards(
    const ScanDemand::Device& device,
    const double* cards,
    std::size_t card_count,
    std::int32_t* capacities);

/// How 64 rows stand when they are filled with pods that take units of one card each.
struct FilledCards {
    std::uint64_t is_short = 0;         ///< no card has enough left for one more; as bits
    std::array<double, block_size> best;  ///< what is left on the card with the most, of these rows
};
/// `filled` pods of the device are there, and fit (nullptr: none): which cards they are on does not
/// matter for what is asked. Rows without a limit are short of nothing.
FilledCards fill_cards(
    const ScanDemand::Device& device,
    const double* cards,
    std::size_t card_count,
    const std::int32_t* filled);

/// 64 numbers, with 0 for those whose bit is not set; both may be the same.
void mask_rows(const std::int32_t* numbers, std::uint64_t kept, std::int32_t* into);

/// No number of 64 is larger than `most` afterwards.
void cap_rows(std::int32_t* numbers, std::int32_t most);

/// Which of 64 rows of room are short of a request, as bits, when each is filled with so many pods
/// (nullptr: with none) that take `filler` of it and fit there: all is whole and below 2^53.
std::uint64_t bits_short(
    const double* rows, double request, const std::int32_t* filled, double filler);

/// What is known of 64 capacities without another look at them.
struct Summary {
    std::int64_t total = 0;
    std::int32_t least = 0;  ///< of those that are not 0; 0: there is none
    std::int32_t most = 0;
    friend bool operator==(const Summary&, const Summary&) = default;
};
/// None of the capacities is above `bound`.
Summary summarize(const std::int32_t* capacities, double bound);
/// The largest of 64 capacities.
std::int32_t largest_of(const std::int32_t* capacities);
/// The least of 64 numbers that is not 0; 0: all are.
std::int32_t least_of(const std::int32_t* numbers);
/// The largest of 64 rows of room.
double largest_free(const double* rows);

/// Which of 64 numbers n have 0 < n <= limit, as bits.
std::uint64_t bits_up_to(const std::int32_t* numbers, std::int32_t limit);
/// Which of 64 numbers are at least `limit`.
std::uint64_t bits_from(const std::int32_t* numbers, std::int32_t limit);
/// Which of 64 numbers are `wanted`.
std::uint64_t bits_equal(const std::int32_t* numbers, std::int32_t wanted);
/// The least of 64 numbers that is above `limit`, and the largest below it, of numbers from 0; 0:
/// there is none.
std::int32_t least_above(const std::int32_t* numbers, std::int32_t limit);
std::int32_t largest_below(const std::int32_t* numbers, std::int32_t limit);

}  // namespace core
