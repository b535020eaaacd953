#pragma once
// Rules that no single key can break.

#include "config/fields.hpp"

#include <optional>
#include <string>
#include <vector>

namespace config {

/// leaseDuration > renewDeadline > 1.2 x retryPeriod (or a leader could lose its lease between two
/// renewals), no scheduler name twice, and no port listened on twice. Complaints stand at the key
/// that the file wrote.
std::vector<Complaint> validate(const Reading& reading);

/// What is wrong with the addresses that are listened on, whether the file or flags gave them.
struct ListenProblem {
    std::string key;   ///< "api.listen": whose value is to be changed
    std::string text;  ///< "found \":10352\", which server.listen has, too, expected another port"
};
std::optional<ListenProblem> find_listen_problem(const Schema& schema);

}  // namespace config
