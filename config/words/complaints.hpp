#pragma once
// Complaints and warnings as lines that a person, or an editor, finds the place by.

#include "config/tree.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// "file:line:column: text" each, in the order of the file.
std::vector<std::string> lines(std::vector<Complaint> complaints, std::string_view file_name);

/// The first complaints_max of them as an error, with the number of the others.
core::Error report(std::vector<Complaint> complaints, std::string_view file_name);

}  // namespace config
