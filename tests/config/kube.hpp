#pragma once
// kube-scheduler's files as short texts.

#include "config/loader.hpp"
#include "config/plugins/profile_view.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tests {

/// Other files that a configuration may name: "policy.json" with these bytes.
inline core::Result<std::string> no_file(const std::string& path) {
    return core::Error{path + ": No such file or directory"};
}

inline std::string wrong(const std::string& text) {
    const auto found = config::load(text, "policy.cfg", no_file);
    return found ? "" : found.error().message;
}

inline config::Loaded loaded(const std::string& text) {
    const auto found = config::load(text, "policy.cfg", no_file);
    REQUIRE_MESSAGE(found.has_value(), wrong(text));
    return *found;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Of the first profile; in parentheses what is not built.
inline std::string filters(const config::Loaded& loaded) {
    const config::ProfileView view = config::view(loaded.schema.profiles.front());
    std::string text;
    for (const std::string& name : view.filters) {
        const bool is_built = std::count(view.not_built.begin(), view.not_built.end(), name) == 0;
        text += (text.empty() ? "" : " ") + (is_built ? name : "(" + name + ")");
    }
    return text;
}

inline std::string scores(const config::Loaded& loaded, std::size_t profile = 0) {
    std::string text;
    for (const config::ScoreView& score : config::view(loaded.schema.profiles.at(profile)).scores) {
        text += fmt::format(
            "{}{}*{}",
            text.empty() ? "" : " ",
            score.is_built ? score.name : "(" + score.name + ")",
            score.weight);
    }
    return text;
}

}  // namespace tests
