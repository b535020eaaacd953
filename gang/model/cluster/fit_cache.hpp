#pragma once
// Which gangs fit, as far as that was asked since the cluster changed last.

#include "core/cluster/node/open_capacity.hpp"
#include "core/placement/placement.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang {

/// That all pods of a gang shall be in one domain.
struct DomainWish {
    core::TopologyKeyId key;
    core::DomainId home;  ///< where its driver is; none: the gang waits, and any will do
    bool is_required = true;
    bool is_home_gone = false;  ///< its driver's node is not there: no node will do
    /// Within `home`, or nowhere.
    bool is_settled() const { return !home.is_none() || is_home_gone; }
    friend auto operator<=>(const DomainWish&, const DomainWish&) = default;
};

/// What a gang asks for.
struct MemoKey {
    std::optional<DomainWish> domain;
    /// Its driver's, then those of its executors, each with its count.
    std::vector<std::pair<core::ShapeId, std::int64_t>> shapes;
    friend auto operator<=>(const MemoKey&, const MemoKey&) = default;
};

/// Why gangs do not fit one state of the cluster.
struct Memo {
    std::map<MemoKey, std::optional<core::Rejection>> gangs;  ///< nothing: it fits
    std::map<core::ShapeId, core::OpenCapacity> if_open;
    std::uint64_t version = 0;
    bool has_fits = false;
};

/// Executors with free capacity in one scheduling cycle, by gang and resource profile.
using Placed = std::map<std::pair<std::string, std::int32_t>, std::int64_t>;

class FitCache {
public:
    /// As the view is at this version of it: what was known of another state is forgotten.
    Memo& memo_of(core::View view, std::uint64_t version);
    /// The number may come to mean another shape.
    void forget(core::ShapeId shape);
    /// What fits is counted otherwise from now on.
    void forget_all() { memos_ = {}; }
    /// Free capacity was taken: who was remembered to fit may not.
    void forget_fits();

    core::Planner planner;
    Placed placed;

private:
    std::array<Memo, core::view_count> memos_;  ///< by core::View
};

}  // namespace gang
