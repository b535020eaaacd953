#include "core/value/device/gpu_wish.hpp"

#include "core/value/device/model_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace core {

namespace {

constexpr std::string_view gpu_prefix = "genius/";
constexpr std::string_view number_key = "genius/gpu-number";
constexpr std::string_view each_key = "genius/gpu-memory-each";
constexpr std::string_view total_key = "genius/gpu-memory-total";
constexpr std::string_view model_key = "genius/gpu-model";
constexpr std::string_view priority_key = "genius/priority";

/// The annotation's word before the label's.
const std::string* find_said(
    const StringMap& labels, const StringMap& annotations, std::string_view key) {
    const std::string* const said = find_value(annotations, key);
    return said != nullptr ? said : find_value(labels, key);
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// What is quoted of a value, which may be as large as an annotation.
std::string_view start_of(std::string_view text) {
    return text.substr(0, 64);
}

Result<std::int64_t> read_amount(
    std::string_view key, std::string_view text, std::int64_t least, std::int64_t most) {
    const auto value = to_integer(text);
    if (!value || *value < least || *value > most) {
        return Error{fmt::format(
            "{} is \"{}\", expected a whole number from {} to {}",
            key,
            start_of(text),
            least,
            most)};
    }
    return *value;
}

std::string lower(std::string_view text) {
    std::string made(text);
    for (char& c : made) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return made;
}

Result<std::string> read_model(std::string_view text, const ModelAliases& aliases) {
    for (const auto& [name, model] : aliases) {
        if (lower(name) == lower(text)) return quote_for_pattern(model);
    }
    if (const auto pattern = ModelPattern::make(text); !pattern) {
        return Error{
            fmt::format("{} is \"{}\": {}", model_key, start_of(text), pattern.error().message)};
    }
    return std::string(text);
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (is_plain(c)) {
            made += c;
        } else {
            made += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        }
    }
    return made;
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            made += text[i];
            continue;
        }
        unsigned value = 0;
        const std::string_view digits = text.substr(i + 1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return {};
        made += static_cast<char>(value);
        i += 2;
    }
    return made;
}

/// Takes "key=value" and the comma behind it off the front; nothing: the key is not there.
std::optional<std::string_view> take_part(std::string_view& name, std::string_view key) {
    if (!name.starts_with(key) || name.substr(key.size(), 1) != "=") return std::nullopt;
    name.remove_prefix(key.size() + 1);
    const std::string_view value = name.substr(0, name.find(','));
    name.remove_prefix(std::min(value.size() + 1, name.size()));
    return value;
}

bool take_number(
    std::string_view& name, std::string_view key, std::int64_t most, std::int64_t& to) {
    const auto part = take_part(name, key);
    if (!part) return true;
    const auto value = to_integer(*part);
    if (!value || *value <= 0 || *value > most) return false;
    to = *value;
    return true;
}

}  // namespace

std::int64_t memory_of(const GpuWish& wish) {
    return std::max(wish.number * wish.each_mib, wish.total_mib);
}

bool is_gpu_annotation(std::string_view key) {
    return key.starts_with(gpu_prefix);
}

bool wishes_gpus(const StringMap& labels, const StringMap& annotations) {
    constexpr std::array keys = {number_key, each_key, total_key, model_key};
    return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
        return find_said(labels, annotations, key) != nullptr;
    });
}

Result<std::optional<GpuWish>> read_gpu_wish(
    const StringMap& labels, const StringMap& annotations, const ModelAliases& aliases) {
    if (!wishes_gpus(labels, annotations)) return std::optional<GpuWish>();
    GpuWish wish;
    struct Row {
        std::string_view key;
        std::int64_t most;
        std::int64_t GpuWish::*to;
    };
    const std::array rows = {
        Row{number_key, gpu_number_max, &GpuWish::number},
        Row{each_key, gpu_memory_max, &GpuWish::each_mib},
        Row{total_key, gpu_memory_max, &GpuWish::total_mib}};
    for (const Row& row : rows) {
        const std::string* const said = find_said(labels, annotations, row.key);
        if (said == nullptr) continue;
        const auto amount = read_amount(row.key, *said, 1, row.most);
        if (!amount) return amount.error();
        wish.*row.to = *amount;
    }
    const std::string* const model = find_said(labels, annotations, model_key);
    if (model != nullptr && !model->empty()) {
        auto read = read_model(*model, aliases);
        if (!read) return read.error();
        wish.model = *std::move(read);
    }
    return std::optional(std::move(wish));
}

Result<std::int32_t> read_gpu_priority(const StringMap& labels, const StringMap& annotations) {
    const std::string* const said = find_said(labels, annotations, priority_key);
    if (said == nullptr) return 0;
    const auto value = read_amount(
        priority_key,
        *said,
        std::numeric_limits<std::int32_t>::min(),
        std::numeric_limits<std::int32_t>::max());
    if (!value) return value.error();
    return static_cast<std::int32_t>(*value);
}

std::string name_of(const GpuWish& wish) {
    std::string name = fmt::format("{}={}", number_key, wish.number);
    if (wish.each_mib > 0) name += fmt::format(",gpu-memory-each={}", wish.each_mib);
    if (wish.total_mib > 0) name += fmt::format(",gpu-memory-total={}", wish.total_mib);
    if (!wish.model.empty()) name += fmt::format(",gpu-model={}", escaped(wish.model));
    return name;
}

bool is_gpu_wish(std::string_view extended_name) {
    return extended_name.starts_with(number_key) &&
           extended_name.substr(number_key.size(), 1) == "=";
}

std::optional<GpuWish> wish_of(std::string_view name) {
    GpuWish wish;
    if (!is_gpu_wish(name) || !take_number(name, number_key, gpu_number_max, wish.number) ||
        !take_number(name, "gpu-memory-each", gpu_memory_max, wish.each_mib) ||
        !take_number(name, "gpu-memory-total", gpu_memory_max, wish.total_mib)) {
        return std::nullopt;
    }
    if (const auto model = take_part(name, "gpu-model")) {
        auto read = unescaped(*model);
        if (!read || !ModelPattern::make(*read)) return std::nullopt;
        wish.model = *std::move(read);
    }
    return name.empty() ? std::optional(std::move(wish)) : std::nullopt;
}

std::string describe(const GpuWish& wish) {
    std::string text = fmt::format("{} GPU{}", wish.number, wish.number == 1 ? "" : "s");
    if (wish.each_mib > 0) {
        text += fmt::format(" with {} MiB free{}", wish.each_mib, wish.number == 1 ? "" : " each");
    }
    if (wish.total_mib > 0) text += fmt::format(" with {} MiB free together", wish.total_mib);
    if (!wish.model.empty()) text += fmt::format(" of model {}", wish.model);
    return text;
}

void add_gpu_wish(Resources& to, const GpuWish& wish) {
    Resources one;
    one.extended.push_back({name_of(wish), 1});
    to = larger(to, one);
}

const std::string* find_gpu_wish(const Resources& resources) {
    const auto found = std::find_if(
        resources.extended.begin(), resources.extended.end(), [](const ExtendedResource& entry) {
            return is_gpu_wish(entry.name);
        });
    return found == resources.extended.end() ? nullptr : &found->name;
}

Resources without_gpu_wishes(Resources resources) {
    std::erase_if(
        resources.extended, [](const ExtendedResource& entry) { return is_gpu_wish(entry.name); });
    return resources;
}

}  // namespace core
