#pragma once
// The table of configuration keys: name, type, range, and the member of Schema that each one fills.
// A key that is not in this table does not exist.

#include "config/schema.hpp"
#include "config/tree.hpp"

#include <map>
#include <string>
#include <vector>

namespace config {

/// Where each value of the file stands, by its path ("profiles[1].schedulerName").
using Marks = std::map<std::string, Mark>;

struct Reading {
    Schema schema;
    Marks marks;
    std::vector<Complaint> complaints;
    std::vector<Complaint> warnings;  ///< what is understood, and has no effect here
};

/// Fills a Schema from the document. Keys that are wrong are complained about and keep defaults.
Reading read_fields(const Tree& document);

}  // namespace config
