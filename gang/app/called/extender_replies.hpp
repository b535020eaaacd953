#pragma once
// What is said to other people's extenders, and what they say, in kube-scheduler's extender protocol
// (its v1 types). Keys are written in PascalCase and read in any case. Whoever answers is not
// trusted: no answer says more than what it was asked about.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "gang/decision.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang::app {

/// ExtenderArgs. `pod` is a v1 Pod's JSON; `objects` are v1 Nodes of these names, or nothing: names
/// alone are sent (nodeCacheCapable).
std::string extender_args(
    std::string_view pod,
    const std::vector<std::string>& nodes,
    const std::vector<std::string_view>* objects);

/// A v1 Pod for an executor that does not exist yet: what it asks, and whose it is.
std::string pod_to_come(const AskExtenders& question);

struct FilterReply {
    std::vector<std::string> nodes;  ///< in the order of the question
    std::string refusal;             ///< "n1: no licence"; empty: none is out, or nothing is said
};
/// ExtenderFilterResult. No list means that no node passes. Errors: no JSON, its own Error, a node
/// that it was not asked about.
core::Result<FilterReply> read_filter_reply(
    const std::string& body, const std::vector<std::string>& asked, bool by_name);

inline constexpr std::int64_t extender_score_max = 10;
struct PriorityReply {
    std::vector<std::pair<std::string, std::int64_t>> scores;  ///< each from 0 to 10
    std::string warning;  ///< not empty: something in it was not as it should be
};
/// HostPriorityList. Scores beyond the range count as its ends, nodes not asked about not at all.
core::Result<PriorityReply> read_priorities(
    const std::string& body, const std::vector<std::string>& asked);

}  // namespace gang::app
