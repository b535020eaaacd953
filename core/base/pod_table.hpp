#pragma once
// uid -> allocation for the pods that nobody needs to know more about: pods of other schedulers
// mostly, a hundred thousand of them.

#include "core/base/ids.hpp"
#include "core/base/uid_table.hpp"

namespace core {

using PodTable = UidTable<AllocationId>;

}  // namespace core
