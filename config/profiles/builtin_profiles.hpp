#pragma once
// The profiles that come with the program: each file of config/profiles is one, by its name. They
// are compiled in, so that none has to be installed.

#include "config/schema.hpp"
#include "core/base/result.hpp"

#include <span>
#include <string_view>

namespace config {

struct BuiltinProfile {
    std::string_view name;  ///< of the file, without .yaml
    std::string_view text;
};

/// By name.
std::span<const BuiltinProfile> builtin_profiles();

/// Serves the profiles of the built-in file, too. One that is configured already stays as it is.
/// The error says which names there are.
core::Result<core::Done> add_builtin_profile(Schema& schema, std::string_view name);

}  // namespace config
