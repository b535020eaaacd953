#pragma once
// Where room may have appeared of late: what did not fit before does not fit as long as nothing is
// noted.

#include "core/base/ids.hpp"

#include <array>
#include <cstdint>

namespace core {

class FreeCapacityGains {
public:
    /// Grows whenever room may have appeared anywhere (a release, a node's change).
    std::uint64_t version() const { return version_; }
    void note(NodeIndex node) { nodes_[version_++ % kept_max] = node; }
    /// visit(node) for the nodes on which room may have appeared since then, some more than once.
    /// False: that is too long ago to be known.
    template <typename Visit>
    bool for_each_since(std::uint64_t since, Visit visit) const {
        if (version_ - since > kept_max) return false;
        for (std::uint64_t at = since; at < version_; ++at) visit(nodes_[at % kept_max]);
        return true;
    }

    /// Which nodes it were is no part of what a cluster is.
    friend bool operator==(const FreeCapacityGains& a, const FreeCapacityGains& b) {
        return a.version_ == b.version_;
    }

private:
    static constexpr std::size_t kept_max = 256;
    std::array<NodeIndex, kept_max> nodes_ = {};
    std::uint64_t version_ = 0;
};

}  // namespace core
