#include "core/value/resources.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace core {

namespace {

bool name_less(const ExtendedResource& entry, std::string_view name) {
    return entry.name < name;
}

void set_extended(Resources& into, std::string_view name, std::int64_t amount) {
    const auto at = std::lower_bound(into.extended.begin(), into.extended.end(), name, name_less);
    const bool found = at != into.extended.end() && at->name == name;
    if (found && amount == 0) {
        into.extended.erase(at);
    } else if (found) {
        at->amount = amount;
    } else if (amount > 0) {
        into.extended.insert(at, {std::string(name), amount});
    }
}

/// Walks both sorted lists at once; combine(a, b) gets 0 for a missing one.
template <typename Combine>
std::vector<ExtendedResource> merge_extended(
    const Resources& a, const Resources& b, const Combine& combine) {
    std::vector<ExtendedResource> merged;
    auto left = a.extended.begin();
    auto right = b.extended.begin();
    while (left != a.extended.end() || right != b.extended.end()) {
        const bool only_left =
            right == b.extended.end() || (left != a.extended.end() && left->name < right->name);
        const bool only_right =
            left == a.extended.end() || (right != b.extended.end() && right->name < left->name);
        const std::string& name = only_right ? right->name : left->name;
        merged.push_back(
            {name, combine(only_right ? 0 : left->amount, only_left ? 0 : right->amount)});
        if (!only_right) ++left;
        if (!only_left) ++right;
    }
    return merged;
}

}  // namespace

std::int64_t Resources::extended_amount(std::string_view name) const {
    const auto at = std::lower_bound(extended.begin(), extended.end(), name, name_less);
    return at != extended.end() && at->name == name ? at->amount : 0;
}

Result<Done> set_resource(Resources& into, std::string_view name, std::string_view quantity) {
    if (name == "pods") return Done{};
    const Result<std::int64_t> amount =
        name == "cpu" ? parse_milli(quantity) : parse_whole(quantity);
    if (!amount) return Error{fmt::format("{}: {}", name, amount.error().message)};
    if (*amount < 0) return Error{fmt::format("{}: \"{}\" is negative", name, quantity)};
    if (name == "cpu") {
        into.cpu_milli = *amount;
    } else if (name == "memory") {
        into.memory_bytes = *amount;
    } else if (name == "ephemeral-storage") {
        into.ephemeral_bytes = *amount;
    } else {
        set_extended(into, name, *amount);
    }
    return Done{};
}

Result<Resources> sum(const Resources& a, const Resources& b) {
    bool overflowed = false;
    const auto add = [&overflowed](std::int64_t left, std::int64_t right) {
        std::int64_t total = 0;
        if (__builtin_add_overflow(left, right, &total)) overflowed = true;
        return total;
    };
    Resources total;
    total.cpu_milli = add(a.cpu_milli, b.cpu_milli);
    total.memory_bytes = add(a.memory_bytes, b.memory_bytes);
    total.ephemeral_bytes = add(a.ephemeral_bytes, b.ephemeral_bytes);
    total.extended = merge_extended(a, b, add);
    if (overflowed) return Error{"the sum of the requests does not fit in 64 bits"};
    return total;
}

Resources larger(const Resources& a, const Resources& b) {
    const auto most = [](std::int64_t left, std::int64_t right) { return std::max(left, right); };
    Resources made;
    made.cpu_milli = most(a.cpu_milli, b.cpu_milli);
    made.memory_bytes = most(a.memory_bytes, b.memory_bytes);
    made.ephemeral_bytes = most(a.ephemeral_bytes, b.ephemeral_bytes);
    made.extended = merge_extended(a, b, most);
    return made;
}

std::int64_t add_times(std::int64_t total, std::int64_t amount, std::int64_t count) {
    __extension__ typedef __int128 Wide;
    constexpr Wide least = std::numeric_limits<std::int64_t>::min();
    constexpr Wide most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(
        std::clamp(static_cast<Wide>(amount) * count + total, least, most));
}

void add_times(Resources& total, const Resources& one, std::int64_t count) {
    if (count == 0) return;
    total.cpu_milli = add_times(total.cpu_milli, one.cpu_milli, count);
    total.memory_bytes = add_times(total.memory_bytes, one.memory_bytes, count);
    total.ephemeral_bytes = add_times(total.ephemeral_bytes, one.ephemeral_bytes, count);
    if (one.extended.empty()) return;
    total.extended = merge_extended(total, one, [count](std::int64_t left, std::int64_t right) {
        return add_times(left, right, count);
    });
}

Resources difference(const Resources& a, const Resources& b) {
    const auto left = [](std::int64_t from, std::int64_t amount) {
        return std::max<std::int64_t>(0, from - amount);
    };
    Resources made{
        left(a.cpu_milli, b.cpu_milli),
        left(a.memory_bytes, b.memory_bytes),
        left(a.ephemeral_bytes, b.ephemeral_bytes),
        merge_extended(a, b, left)};
    std::erase_if(made.extended, [](const ExtendedResource& entry) { return entry.amount == 0; });
    return made;
}

namespace {

std::string describe_with(const Resources& resources, std::string (*bytes)(std::int64_t)) {
    std::string text;
    const auto add = [&text](const std::string& amount, std::string_view name) {
        fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : ", ", amount, name);
    };
    if (resources.cpu_milli != 0) add(format_cpu(resources.cpu_milli), "cpu");
    if (resources.memory_bytes != 0) add(bytes(resources.memory_bytes), "memory");
    if (resources.ephemeral_bytes != 0) add(bytes(resources.ephemeral_bytes), "ephemeral-storage");
    for (const ExtendedResource& entry : resources.extended) {
        if (is_exclusive(entry.name)) {
            if (entry.amount >= exclusive_all) text += (text.empty() ? "" : ", ") + entry.name;
            continue;
        }
        if (is_card_ask(entry.name)) continue;  // its parts are among them
        if (const auto wish = wish_of(entry.name)) {
            add(fmt::format("{} x", entry.amount), describe(*wish));
            continue;
        }
        const bool is_bytes = entry.name.starts_with("hugepages-");
        add(is_bytes ? bytes(entry.amount) : fmt::format("{}", entry.amount), entry.name);
    }
    return text.empty() ? "nothing" : text;
}

}  // namespace

std::string describe(const Resources& resources) {
    return describe_with(resources, format_bytes_short);
}

std::string describe_exactly(const Resources& resources) {
    return describe_with(resources, format_bytes);
}

}  // namespace core
