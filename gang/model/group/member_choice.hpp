#pragma once
// Which of a group's waiting members start together, and as what shapes.

#include "core/cluster/cluster.hpp"
#include "core/value/group/pod_group.hpp"
#include "gang/model/application.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang {

/// What keeps a group from being a gang, whoever its members are; empty: nothing.
std::string problem_of(const core::PodGroup& object, std::int64_t gang_size_max);

/// `needed` of the members, which stand in order: of each role its minimum, then the first ones.
/// Fewer than that: there are not enough, or not of every role.
std::vector<PodEntry*> choose_members(
    const std::vector<PodEntry*>& members,
    const std::vector<core::RoleMinimum>& roles,
    std::int64_t needed);

/// "2 of 3", "2 of 3, of role worker 1 of 2".
std::string describe_lack(
    const std::vector<PodEntry*>& members,
    const std::vector<core::RoleMinimum>& roles,
    std::int64_t placed,
    std::int64_t minimum);

/// Members that are alike.
struct MemberShape {
    GangShape shape;  ///< without an id
    core::Resources requests;
    core::Constraints constraints;
};

/// Of all but the first, in their order.
std::vector<MemberShape> shapes_of(const std::vector<PodEntry*>& chosen);

/// Alike for pods of one role and size, whatever they are called; the same after a restart.
std::int32_t member_profile(const core::Pod& pod);

}  // namespace gang
