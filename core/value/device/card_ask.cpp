#include "core/value/device/card_ask.hpp"

#include "core/value/pod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace core {

namespace {

constexpr std::array families = {
    CardFamily{
        "volcano.sh/vgpu",
        "volcano.sh/vgpu-number",
        "volcano.sh/vgpu-memory",
        "volcano.sh/vgpu-memory-percentage",
        "volcano.sh/vgpu-cores",
        "volcano.sh/vgpu+memory",
        "volcano.sh/vgpu+cores",
        "volcano.sh/vgpu+slots"},
    CardFamily{
        "volcano.sh/gpu",
        "volcano.sh/gpu-number",
        "volcano.sh/gpu-memory",
        {},
        {},
        "volcano.sh/gpu+memory",
        {},
        {}}};

/// HAMi's own, which its scheduler alone can serve.
constexpr std::array<std::string_view, 4> hami_words = {
    "nvidia.com/gpumem",
    "nvidia.com/gpumem-percentage",
    "nvidia.com/gpucores",
    "nvidia.com/priority"};

/// "deviceclass.resource.kubernetes.io/gpu.nvidia.com": a device of that DeviceClass, for which the
/// scheduler has to make a ResourceClaim. No node lists it.
constexpr std::string_view device_class_prefix = "deviceclass.resource.kubernetes.io/";

bool is_word_of(const CardFamily& family, std::string_view name) {
    return name == family.number || name == family.units ||
           (!family.percent.empty() && name == family.percent) ||
           (!family.cores.empty() && name == family.cores);
}

bool is_hami_word(std::string_view name) {
    return std::find(hami_words.begin(), hami_words.end(), name) != hami_words.end();
}

/// Not empty: nobody here can serve who asks for it.
std::string why_refused(std::string_view name) {
    if (is_hami_word(name)) {
        return fmt::format(
            "{} is not supported: HAMi's device plugin finds a pod by a lock on its node, which "
            "gang-scheduler does not write; ask for volcano.sh/vgpu-number and "
            "volcano.sh/vgpu-memory where HAMi's device plugin for Volcano runs, or leave the "
            "pod to HAMi's scheduler",
            name);
    }
    if (name.starts_with(device_class_prefix)) {
        return fmt::format(
            "{} is not supported: dynamic resource allocation serves it alone; ask for an extended "
            "resource that nodes list, such as nvidia.com/gpu, or let kube-scheduler place the pod",
            name);
    }
    return {};
}

/// Nothing is taken of a text that has no such number.
std::optional<std::int64_t> take_number(std::string_view& text, std::string_view key) {
    if (!text.starts_with(key)) return std::nullopt;
    const std::string_view digits = text.substr(key.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string out_of_range(std::string_view name, std::int64_t amount, std::int64_t most) {
    return fmt::format("{} is {}, expected a whole number from 1 to {}", name, amount, most);
}

/// The ask in the words of one family; the error says what is wrong with it.
Result<CardAsk> read_ask(const CardFamily& family, const Resources& requests) {
    const auto amount = [&requests](std::string_view name) {
        return name.empty() ? 0 : requests.extended_amount(name);
    };
    CardAsk ask{&family, amount(family.number), amount(family.units), amount(family.percent), 0};
    ask.cores = amount(family.cores);
    if (family.counted_slots.empty()) {
        if (ask.cards > 0 && ask.units > 0) {
            return Error{fmt::format(
                "{} and {} are both asked for: the first means whole GPUs, the second a part of "
                "one",
                family.number,
                family.units)};
        }
        if (ask.cards == 0) ask.cards = 1;
    } else if (ask.cards == 0) {
        return Error{fmt::format(
            "{} is missing: the device plugin gives GPUs only to a container that says how many",
            family.number)};
    }
    if (ask.cards > asked_cards_max)
        return Error{out_of_range(family.number, ask.cards, asked_cards_max)};
    if (ask.percent > 100) return Error{out_of_range(family.percent, ask.percent, 100)};
    if (ask.cores > 100) return Error{out_of_range(family.cores, ask.cores, 100)};
    if (ask.percent > 0) ask.units = 0;
    if (ask.units == 0 && ask.percent == 0) ask.percent = 100;
    return ask;
}

}  // namespace

const CardFamily* family_of_cards(std::string_view units) {
    const auto found =
        std::find_if(families.begin(), families.end(), [units](const CardFamily& family) {
            return family.units == units;
        });
    return found == families.end() ? nullptr : &*found;
}

std::vector<std::string_view> counted_resources(const NodeCards& cards) {
    if (cards.cards.empty()) return {};
    const CardFamily* const family = family_of_cards(cards.resource);
    if (family == nullptr) return {cards.resource};
    std::vector<std::string_view> resources = {family->counted_units};
    if (!family->counted_cores.empty()) resources.push_back(family->counted_cores);
    if (!family->counted_slots.empty()) resources.push_back(family->counted_slots);
    return resources;
}

std::vector<ExtendedResource> counts_of(const NodeCards& cards, const Card& card) {
    const CardFamily* const family = family_of_cards(cards.resource);
    if (family == nullptr) return {{card_name(cards.resource, card.id), card.units}};
    std::vector<ExtendedResource> counts = {
        {card_name(family->counted_units, card.id), card.units}};
    if (!family->counted_cores.empty())
        counts.push_back({card_name(family->counted_cores, card.id), card.cores});
    if (!family->counted_slots.empty())
        counts.push_back({card_name(family->counted_slots, card.id), card.slots});
    return counts;
}

/// A card with little memory is not had for nothing.
std::int64_t units_of(const CardAsk& ask, std::int64_t card_units) {
    if (ask.units > 0) return ask.units;
    return std::max<std::int64_t>(
        card_units / 100 * ask.percent + card_units % 100 * ask.percent / 100, 1);
}

std::string name_of(const CardAsk& ask) {
    std::string name = fmt::format("{}={}", ask.family->name, ask.cards);
    name += ask.units > 0 ? fmt::format(",units={}", ask.units)
                          : fmt::format(",percent={}", ask.percent);
    if (ask.cores > 0) name += fmt::format(",cores={}", ask.cores);
    return name;
}

bool is_card_ask(std::string_view extended_name) {
    return std::any_of(families.begin(), families.end(), [&](const CardFamily& family) {
        return extended_name.starts_with(family.name) &&
               extended_name.substr(family.name.size(), 1) == "=";
    });
}

std::optional<CardAsk> card_ask_of(std::string_view extended_name) {
    for (const CardFamily& family : families) {
        std::string_view rest = extended_name;
        if (!rest.starts_with(family.name)) continue;
        rest.remove_prefix(family.name.size());
        const auto cards = take_number(rest, "=");
        if (!cards || *cards < 1 || *cards > asked_cards_max) continue;
        CardAsk ask{&family, *cards, 0, 0, 0};
        ask.units = take_number(rest, ",units=").value_or(0);
        if (ask.units == 0) ask.percent = take_number(rest, ",percent=").value_or(0);
        ask.cores = take_number(rest, ",cores=").value_or(0);
        const bool is_amount = ask.units > 0 || (ask.percent > 0 && ask.percent <= 100);
        if (rest.empty() && is_amount && ask.cores <= 100) return ask;
    }
    return std::nullopt;
}

std::optional<CardAsk> find_card_ask(const Resources& requests) {
    for (const ExtendedResource& entry : requests.extended) {
        if (is_card_ask(entry.name)) return card_ask_of(entry.name);
    }
    return std::nullopt;
}

std::string describe(const CardAsk& ask) {
    const bool are_many = ask.cards > 1;
    std::string text = are_many ? fmt::format("{} GPUs", ask.cards) : "single GPU";
    if (ask.units > 0) {
        text += fmt::format(" with {} free {}", ask.units, ask.family->units);
    } else {
        text += fmt::format(" with {} % of its {} free", ask.percent, ask.family->units);
    }
    if (ask.cores > 0) text += fmt::format(" and {} free {}", ask.cores, ask.family->cores);
    return are_many ? text + " each" : text;
}

bool asks_for_cards(const Resources& requests) {
    return std::any_of(
        requests.extended.begin(), requests.extended.end(), [](const ExtendedResource& entry) {
            return is_hami_word(entry.name) || entry.name.starts_with(device_class_prefix) ||
                   std::any_of(families.begin(), families.end(), [&](const CardFamily& family) {
                       return is_word_of(family, entry.name);
                   });
        });
}

std::string check_asking_containers(const PodRequests& requests) {
    int asking = 0;
    for (const ContainerRequest& container : requests.containers) {
        asking += asks_for_cards(container.requests) ? 1 : 0;
    }
    if (asking > 1) {
        return "more than one container asks for shared GPUs: their device plugin serves one of a "
               "pod";
    }
    for (const ContainerRequest& container : requests.init_containers) {
        if (asks_for_cards(container.requests)) {
            return fmt::format(
                "init container {} asks for shared GPUs: their device plugin serves one container "
                "that is no init container",
                container.name);
        }
    }
    return {};
}

std::string add_card_ask(Resources& requests) {
    if (requests.extended.empty() || !asks_for_cards(requests)) return {};
    std::optional<CardAsk> found;
    for (const ExtendedResource& entry : requests.extended) {
        if (std::string why = why_refused(entry.name); !why.empty()) return why;
    }
    for (const CardFamily& family : families) {
        const auto is_word = [&family](const ExtendedResource& entry) {
            return is_word_of(family, entry.name);
        };
        if (!std::any_of(requests.extended.begin(), requests.extended.end(), is_word)) continue;
        if (found) {
            return fmt::format(
                "{} and {} are asked for together, of which a node has one",
                found->family->number,
                family.number);
        }
        auto ask = read_ask(family, requests);
        if (!ask) return ask.error().message;
        found = *ask;
    }
    // No node offers a percentage: it is a part of the ask alone.
    std::erase_if(requests.extended, [&found](const ExtendedResource& entry) {
        return entry.name == found->family->percent || is_card_ask(entry.name);
    });
    Resources one;
    one.extended.push_back({name_of(*found), 1});
    requests = larger(requests, one);
    return {};
}

}  // namespace core
