#include "config/profiles/builtin_profiles.hpp"

#include "config/loader.hpp"
#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace config {

core::Result<core::Done> add_builtin_profile(Schema& schema, std::string_view name) {
    const auto all = builtin_profiles();
    const auto found = std::find_if(
        all.begin(), all.end(), [name](const BuiltinProfile& one) { return one.name == name; });
    if (found == all.end()) {
        std::vector<std::string> names;
        for (const BuiltinProfile& one : all) {
            names.emplace_back(one.name);
        }
        return core::Error{fmt::format(
            "there is no built-in profile \"{}\", expected one of {}{}",
            name,
            fmt::join(names, ", "),
            core::did_you_mean(std::string(name), names))};
    }
    auto loaded = load(found->text, found->name);
    if (!loaded) {
        return loaded.error();
    }
    for (Profile& profile : loaded->schema.profiles) {
        if (schema.find_profile(profile.scheduler_name) == nullptr) {
            schema.profiles.push_back(std::move(profile));
        }
    }
    for (std::string& scarce : loaded->schema.nodes.scarce) {
        auto& known = schema.nodes.scarce;
        if (std::find(known.begin(), known.end(), scarce) == known.end()) {
            known.push_back(std::move(scarce));
        }
    }
    return core::Done{};
}

}  // namespace config
