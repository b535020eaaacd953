#pragma once
// The status of a PodGroup in the words of its API group, both ways. What a group has no word for is
// left out.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "k8s/json/json_fields.hpp"
#include "k8s/protocol/write/group_status.hpp"

#include <string>
#include <string_view>

namespace k8s {

/// The object to be applied: its names, its uid as a precondition, and the whole status that we
/// write; fields of ours that are not in it any more go.
std::string encode_group_status(const GroupStatusWrite& write);

/// Of an object of this version; what cannot be read is as if it were not there.
core::PodGroupStatus decode_group_status(
    core::GroupDialect dialect, std::string_view api_version, const rapidjson::Value& object);

}  // namespace k8s
