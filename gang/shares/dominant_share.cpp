#include "gang/shares/dominant_share.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace gang {
namespace {

__extension__ typedef unsigned __int128 Product;

/// 192 bits.
struct Triple {
    Product high = 0;
    std::uint64_t low = 0;
    friend auto operator<=>(const Triple&, const Triple&) = default;
};

Triple multiply(std::uint64_t a, std::uint64_t b, std::uint64_t small) {
    const Product product = Product{a} * b;
    const Product low = Product{static_cast<std::uint64_t>(product)} * small;
    const Product high = (product >> 64) * small + (low >> 64);
    return {high, static_cast<std::uint64_t>(low)};
}

/// Of two fractions, exactly.
int compare_fractions(const DominantShare& a, const DominantShare& b) {
    const auto order =
        multiply(a.above, b.total, b.weight) <=> multiply(b.above, a.total, a.weight);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::uint64_t to_unsigned(core::Wide amount) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(to_int64(amount), 0));
}

std::int64_t guaranteed(const QueueNode& queue, std::string_view resource) {
    const auto found = std::find_if(
        queue.guarantee.begin(), queue.guarantee.end(), [&](const core::ExtendedResource& entry) {
            return entry.name == resource;
        });
    return found == queue.guarantee.end() ? 0 : found->amount;
}

}  // namespace

DominantShare share_of(const QueueNode& queue, const Amounts& held, const Amounts& totals) {
    DominantShare share;
    share.weight = static_cast<std::uint64_t>(queue.said.weight);
    held.for_each([&](std::string_view resource, core::Wide amount) {
        DominantShare in_this = share;
        in_this.above = to_unsigned(amount - guaranteed(queue, resource));
        in_this.total = to_unsigned(totals.of(resource));
        if (in_this.total == 0) {
            in_this.above = std::min<std::uint64_t>(in_this.above, 1);
            in_this.total = 1;
        }
        if (compare_fractions(share, in_this) < 0) {
            share = in_this;
        }
    });
    share.is_below_guarantee =
        !queue.guarantee.empty() &&
        std::all_of(queue.guarantee.begin(), queue.guarantee.end(), [&](const auto& guarantee) {
            return held.of(guarantee.name) < guarantee.amount;
        });
    return share;
}

DominantShare share_of(const Amounts& held, const Amounts& totals) {
    static const QueueNode nobody;
    return share_of(nobody, held, totals);
}

int compare(const DominantShare& a, const DominantShare& b) {
    if (a.is_below_guarantee != b.is_below_guarantee) {
        return a.is_below_guarantee ? -1 : 1;
    }
    return compare_fractions(a, b);
}

std::int64_t millionths(const DominantShare& share) {
    const Product scaled = Product{share.above} * 1'000'000U;
    const Product result = scaled / share.total / share.weight;
    return static_cast<std::int64_t>(
        std::min(result, Product{std::numeric_limits<std::int64_t>::max()}));
}

}  // namespace gang
