#pragma once
// Lists in pages. A continued list is as old as its first page, and may have expired.

#include "gang/sim/base/call.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace gang::sim {

struct World;

class PagedLists {
public:
    explicit PagedLists(World& world) : world_(world) {}

    /// Answers a request for the first page, or for the one after its token.
    void list(Call& call);
    /// The tokens of all lists have expired.
    void forget() { lists_.clear(); }

private:
    /// All of a list, as of one moment.
    struct Snapshot {
        std::vector<core::Pod> pods;
        std::vector<core::Node> nodes;
        std::uint64_t revision = 0;
    };

    World& world_;
    std::map<std::uint32_t, Snapshot> lists_;  ///< of which pages are still to come
    std::uint32_t serial_ = 0;
};

}  // namespace gang::sim
