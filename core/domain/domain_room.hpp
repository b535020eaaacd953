#pragma once
// How many pods that are alike fit under one rule that they themselves fall under, and how many of
// them each domain gets: arithmetic over domains, no look at a node. What one pod placed changes
// for the next is in it. Pure functions; DomainRules::room_by_domain() makes what they read.
//
//   spread         M = min(c + K), 0 with fewer domains than min_domains
//                  a domain takes min(c + K, M + max_skew) - c, if that is positive; emptiest first
//   anti-affinity  a domain without a matching pod takes one
//   affinity       domains with a matching pod take all they have room for; where nobody matches
//                  yet, one domain has to take all
//
//   c: matching pods there now; K: pods that its nodes have room for

#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

enum class RuleKind : std::uint8_t { affinity, anti_affinity, spread };

struct DomainRoom {
    DomainId domain;
    std::int64_t matching = 0;    ///< c
    std::int64_t capacity = 0;    ///< K, of nodes that all other rules allow
    std::int64_t preference = 0;  ///< the caller's, least first; ties as given. Not of spread
    friend bool operator==(const DomainRoom&, const DomainRoom&) = default;
};

struct RoomByDomain {
    RuleKind kind = RuleKind::spread;
    TopologyKeyId key;
    std::vector<DomainRoom> domains;  ///< by the names of domains; of spread all that count for the minimum
    /// Room on nodes without the label, where anti-affinity forbids nothing. Others do not use it.
    std::int64_t capacity_without_key = 0;
    std::int64_t max_skew = 1;     ///< of spread
    std::int64_t min_domains = 1;  ///< of spread
    friend bool operator==(const RoomByDomain&, const RoomByDomain&) = default;
};

/// How many pods each domain gets; never more than its capacity.
struct DomainQuotas {
    std::vector<std::int64_t> by_domain;  ///< parallel to RoomByDomain::domains
    std::int64_t without_key = 0;
    friend bool operator==(const DomainQuotas&, const DomainQuotas&) = default;
};

/// How many fit at most, one placed after another.
std::int64_t most_pods(const RoomByDomain& room);

/// Nothing: so many do not fit. The quotas can be placed in an order that keeps the rule at each
/// pod: spread by turns, the emptiest domain first; the other kinds in any order.
std::optional<DomainQuotas> share_out(const RoomByDomain& room, std::int64_t wanted);

}  // namespace core
