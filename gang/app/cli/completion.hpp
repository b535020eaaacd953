#pragma once
// Completion of the command line in a shell, made from the table of verbs.

#include "gang/app/base/flags.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// The shells that completion_script() knows.
const std::vector<std::string>& completion_shells();

/// A script for the shell: verbs, flags, the values of flags that have only some, files after flags
/// that take one, and the gangs there are after verbs that ask about one.
std::string completion_script(const std::vector<Verb>& verbs, std::string_view shell);

}  // namespace gang::app
