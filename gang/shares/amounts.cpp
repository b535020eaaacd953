#include "gang/shares/amounts.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"

#include <algorithm>
#include <limits>

namespace gang {

void Amounts::add(const core::Resources& one, std::int64_t count) {
    cpu_milli += core::Wide{one.cpu_milli} * count;
    memory_bytes += core::Wide{one.memory_bytes} * count;
    ephemeral_bytes += core::Wide{one.ephemeral_bytes} * count;
    for (const core::ExtendedResource& entry : one.extended) {
        if (!core::is_exclusive(entry.name) && !core::is_gpu_wish(entry.name) &&
            !core::is_card_ask(entry.name)) {
            add_extended(entry.name, core::Wide{entry.amount} * count);
        }
    }
}

void Amounts::add(const Amounts& other, std::int64_t count) {
    cpu_milli += other.cpu_milli * count;
    memory_bytes += other.memory_bytes * count;
    ephemeral_bytes += other.ephemeral_bytes * count;
    for (const auto& [name, amount] : other.extended) {
        add_extended(name, amount * count);
    }
}

void Amounts::add_extended(const std::string& name, core::Wide amount) {
    if (amount == 0) {
        return;
    }
    const auto at = std::lower_bound(
        extended.begin(), extended.end(), name, [](const auto& known, const std::string& wanted) {
            return known.first < wanted;
        });
    if (at == extended.end() || at->first != name) {
        extended.insert(at, {name, amount});
        return;
    }
    at->second += amount;
    if (at->second == 0) {
        extended.erase(at);
    }
}

core::Wide Amounts::of(std::string_view resource) const {
    if (resource == "cpu") {
        return cpu_milli;
    }
    if (resource == "memory") {
        return memory_bytes;
    }
    if (resource == "ephemeral-storage") {
        return ephemeral_bytes;
    }
    const auto found = std::find_if(extended.begin(), extended.end(), [&](const auto& entry) {
        return entry.first == resource;
    });
    return found == extended.end() ? core::Wide{0} : found->second;
}

std::int64_t to_int64(core::Wide amount) {
    constexpr core::Wide most = std::numeric_limits<std::int64_t>::max();
    constexpr core::Wide least = std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::clamp(amount, least, most));
}

core::Resources to_resources(const Amounts& amounts) {
    core::Resources resources;
    resources.cpu_milli = to_int64(amounts.cpu_milli);
    resources.memory_bytes = to_int64(amounts.memory_bytes);
    resources.ephemeral_bytes = to_int64(amounts.ephemeral_bytes);
    for (const auto& [name, amount] : amounts.extended) {
        resources.extended.push_back({name, to_int64(amount)});
    }
    return resources;
}

}  // namespace gang
