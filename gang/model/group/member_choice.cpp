#include "gang/model/group/member_choice.hpp"

#include "gang/declare/group_membership.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gang {
namespace {

std::int64_t count_role(const std::vector<PodEntry*>& members, const std::string& role) {
    return std::count_if(members.begin(), members.end(), [&role](const PodEntry* member) {
        return role_in_group(member->pod) == role;
    });
}

/// Labels that rules between pods may see on every one of them.
core::StringMap common_labels(const core::StringMap& a, const core::StringMap& b) {
    core::StringMap common;
    for (const auto& [key, value] : a) {
        if (const std::string* other = core::find_value(b, key); other && *other == value) {
            common.emplace_back(key, value);
        }
    }
    return common;
}

bool is_alike(const MemberShape& shape, const PodEntry& member) {
    const bool has_same_rules =
        shape.shape.rules ? member.pod.rules && shape.shape.rules->rules == *member.pod.rules
                          : !member.pod.rules;
    return shape.shape.profile == member.profile && shape.requests == member.pod.requests &&
           shape.constraints == *member.pod.constraints && has_same_rules;
}

}  // namespace

std::string problem_of(const core::PodGroup& object, std::int64_t gang_size_max) {
    if (!object.problem.empty() || object.min_members <= gang_size_max) {
        return object.problem;
    }
    return "its minimum of " + std::to_string(object.min_members) + " pods is more than the " +
           std::to_string(gang_size_max) + " that gang.maxGangSize allows";
}

std::vector<PodEntry*> choose_members(
    const std::vector<PodEntry*>& members,
    const std::vector<core::RoleMinimum>& roles,
    std::int64_t needed) {
    std::vector<bool> is_chosen(members.size());
    std::int64_t count = 0;
    for (const core::RoleMinimum& role : roles) {
        std::int64_t left = role.count;
        for (std::size_t i = 0; i < members.size() && left > 0; ++i) {
            if (!is_chosen[i] && role_in_group(members[i]->pod) == role.role) {
                is_chosen[i] = true;
                --left;
                ++count;
            }
        }
        if (left > 0) {
            return {};
        }
    }
    for (std::size_t i = 0; i < members.size() && count < needed; ++i) {
        count += is_chosen[i] ? 0 : 1;
        is_chosen[i] = true;
    }
    std::vector<PodEntry*> chosen;
    for (std::size_t i = 0; i < members.size() && count >= needed; ++i) {
        if (is_chosen[i]) {
            chosen.push_back(members[i]);
        }
    }
    return chosen;
}

std::string describe_lack(
    const std::vector<PodEntry*>& members,
    const std::vector<core::RoleMinimum>& roles,
    std::int64_t placed,
    std::int64_t minimum) {
    const auto count = static_cast<std::int64_t>(members.size()) + placed;
    if (count >= minimum && placed == 0) {
        for (const core::RoleMinimum& role : roles) {
            const std::int64_t there = count_role(members, role.role);
            if (there < role.count) {
                return std::to_string(there) + " of the " + std::to_string(role.count) +
                       " pods it needs of role " + role.role;
            }
        }
    }
    return std::to_string(count) + " of the " + std::to_string(minimum) + " pods it needs";
}

std::vector<MemberShape> shapes_of(const std::vector<PodEntry*>& chosen) {
    std::vector<MemberShape> shapes;
    for (std::size_t i = 1; i < chosen.size(); ++i) {
        const PodEntry& member = *chosen[i];
        const auto known = std::find_if(shapes.begin(), shapes.end(), [&](const auto& shape) {
            return is_alike(shape, member);
        });
        if (known == shapes.end()) {
            MemberShape added{
                {member.profile, 1, -1, {}, true}, member.pod.requests, *member.pod.constraints};
            if (member.pod.rules) {
                added.shape.rules = ExecutorRules{*member.pod.rules, member.pod.labels};
            }
            shapes.push_back(std::move(added));
            continue;
        }
        ++known->shape.count;
        if (known->shape.rules) {
            ExecutorRules rules = *known->shape.rules;
            rules.labels = common_labels(rules.labels, member.pod.labels);
            known->shape.rules = std::move(rules);
        }
    }
    return shapes;
}

std::int32_t member_profile(const core::Pod& pod) {
    // As the reservation says it, so that who reads the text back finds the same number.
    Reservation one;
    one.shapes.push_back({0, 0, pod.requests, *pod.constraints, {}, 0});
    const std::string text = role_in_group(pod) + ";" + encode_reservation(one);
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return static_cast<std::int32_t>(hash & 0x7fffffffU);
}

}  // namespace gang
