#pragma once
// Rules that no single key can break.

#include "config/fields.hpp"

#include <vector>

namespace config {

/// leaseDuration > renewDeadline > 1.2 x retryPeriod (or a leader could lose its lease between two
/// renewals), and no scheduler name twice. Complaints stand at the key that the file wrote.
std::vector<Complaint> validate(const Reading& reading);

}  // namespace config
