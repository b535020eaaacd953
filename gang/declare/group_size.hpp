#pragma once
// The size of a Spark application by the PodGroup that was made for it, where nothing better says it:
// spec.minResources is what the driver and all its executors ask. Totals only: how many executors
// that is follows from the size of one.

#include "core/value/group/pod_group.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/spark/executor/derive.hpp"

namespace gang {

/// A driver that says nothing of its gang is alone if the group does not say more. What it says of
/// one executor's size counts; of the rest an executor is as large as the driver.
GangSize size_by_group(
    const core::Pod& driver,
    const Declaration& declaration,
    const core::PodGroup& group,
    const spark::Limits& limits);

}  // namespace gang
