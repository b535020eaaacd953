#pragma once
// What all nodes have together: a queue's share is a part of it. Added up anew when nodes change.

#include "gang/model/model.hpp"
#include "gang/shares/amounts.hpp"

#include <cstdint>

namespace gang {

class ClusterTotals {
public:
    const Amounts& of(const Model& model);

private:
    std::uint64_t nodes_version_ = UINT64_MAX;
    Amounts totals_;
};

}  // namespace gang
