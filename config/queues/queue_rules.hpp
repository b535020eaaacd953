#pragma once
// Rules between queues: what one queue alone cannot have wrong.

#include "config/fields.hpp"

#include <vector>

namespace config {

/// What is wrong about the queues and placement rules of a file whose values are all readable.
std::vector<Complaint> check_queues(const Reading& reading);

}  // namespace config
