#pragma once
// `-o json` and `-o yaml`: the same data in two spellings.

#include "gang/app/base/flags.hpp"

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace gang::app {

/// JSON text, as this program writes it, in YAML's block style. Strings that YAML would read as
/// something else stay quoted. A text that is no JSON comes back as it is.
std::string yaml_from_json(std::string_view json);

/// Prints what `make_json` gives, as JSON on one line, as YAML, or what a template makes of it, if
/// the user wants one of them; else does nothing and returns false.
bool print_data(
    const CommandLine& line, std::ostream& out, const std::function<std::string()>& make_json);

}  // namespace gang::app
