#pragma once

#include "core/cluster/cluster.hpp"
#include "core/value/account.hpp"

#include <vector>

namespace core {

/// Whether what a cluster counts has as many owners; walks everything, for tests.
std::vector<Account> accounts_of(const Cluster& cluster);

}  // namespace core
