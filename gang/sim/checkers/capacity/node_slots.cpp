#include "gang/sim/checkers/capacity/node_slots.hpp"

#include <algorithm>

namespace gang::sim {

SizedSlots& NodeSlots::of(const Amount& size) {
    for (SizedSlots& one : sizes) {
        if (one.unit == size) {
            return one;
        }
    }
    if (sizes.empty()) {
        sizes.push_back({0, 0, size});
    }
    return sizes.front();
}

SizedSlots& NodeSlots::open_for(const Amount& size) {
    const auto find_open = [&](auto&& is_fine) {
        return std::find_if(sizes.begin(), sizes.end(), [&](const SizedSlots& one) {
            return one.open() > 0 && is_fine(one);
        });
    };
    auto found = find_open([&](const SizedSlots& one) { return one.unit == size; });
    if (found == sizes.end()) {
        found = find_open([&](const SizedSlots& one) { return size.is_within(one.unit); });
    }
    if (found == sizes.end()) {
        found = find_open([](const SizedSlots&) { return true; });
    }
    return found == sizes.end() ? of(size) : *found;
}

std::int64_t NodeSlots::named() const {
    std::int64_t sum = 0;
    for (const SizedSlots& one : sizes) {
        sum += one.slots;
    }
    return sum;
}

std::int64_t NodeSlots::open() const {
    std::int64_t sum = 0;
    for (const SizedSlots& one : sizes) {
        sum += one.open();
    }
    return sum;
}

Amount NodeSlots::room() const {
    Amount sum;
    for (const SizedSlots& one : sizes) {
        sum.add(one.unit, one.open());
    }
    return sum;
}

}  // namespace gang::sim
