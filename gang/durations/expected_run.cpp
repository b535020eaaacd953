#include "gang/durations/expected_run.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace gang {
namespace {

constexpr std::int64_t run_ms_max = 100LL * 365 * 24 * 3'600'000;
constexpr std::int64_t number_max = 1'000'000;

struct Unit {
    std::string_view name;
    std::int64_t ms;
};

std::optional<Unit> find_unit(std::string_view text) {
    for (const Unit& unit : {Unit{"ms", 1}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}}) {
        if (text.starts_with(unit.name)) {
            return unit;
        }
    }
    return std::nullopt;
}

/// The last part of a name is no word of its own: a number, or letters and digits mixed.
bool tells_runs_apart(std::string_view part) {
    return part.empty() || std::any_of(part.begin(), part.end(), [](unsigned char c) {
               return std::isdigit(c) != 0;
           });
}

}  // namespace

std::optional<std::int64_t> read_expected_run(std::string_view text) {
    std::int64_t total_ms = 0;
    while (!text.empty()) {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        if (read.ec != std::errc() || number < 0 || number > number_max) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
        const auto unit = find_unit(text);
        if (!unit) {
            return std::nullopt;
        }
        text.remove_prefix(unit->name.size());
        total_ms += number * unit->ms;
    }
    return total_ms > 0 && total_ms <= run_ms_max ? std::optional(total_ms) : std::nullopt;
}

std::optional<std::int64_t> expected_run_of(const core::Pod& pod) {
    const std::string* const text =
        core::find_value(pod.annotations, expected_duration_annotation);
    return text == nullptr ? std::nullopt : read_expected_run(*text);
}

std::string run_name(const core::Pod& pod) {
    const std::string* const named = core::find_value(pod.labels, "spark-app-name");
    if (named != nullptr && !named->empty()) {
        return *named;
    }
    std::string_view name = pod.name;
    if (name.ends_with("-driver")) {
        name.remove_suffix(std::string_view("-driver").size());
    }
    std::size_t dash = name.rfind('-');
    while (dash != std::string_view::npos && dash > 0 && tells_runs_apart(name.substr(dash + 1))) {
        name = name.substr(0, dash);
        dash = name.rfind('-');
    }
    return std::string(name);
}

}  // namespace gang
