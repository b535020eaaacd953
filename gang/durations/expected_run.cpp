#include "gang/durations/expected_run.hpp"

#include "config/duration.hpp"

#include <algorithm>
#include <cctype>

namespace gang {
namespace {

/// The last part of a name is no word of its own: a number, or letters and digits mixed.
bool tells_runs_apart(std::string_view part) {
    return part.empty() || std::any_of(part.begin(), part.end(), [](unsigned char c) {
               return std::isdigit(c) != 0;
           });
}

}  // namespace

std::optional<std::int64_t> read_expected_run(std::string_view text) {
    const auto milliseconds = config::parse_duration(text);
    return milliseconds && *milliseconds > 0 ? std::optional(*milliseconds) : std::nullopt;
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
