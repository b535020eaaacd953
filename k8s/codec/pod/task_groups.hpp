#pragma once
// YuniKorn's task groups: an annotation whose value is a JSON list. The decision engine knows no
// JSON, so the list is written as lines here, once, when the pod is decoded; what reads the lines
// is gang/declare/yunikorn.
//
//   task groups
//   group NAME MEMBERS
//   request RESOURCE QUANTITY      of the group above, as all lines that follow
//   select KEY VALUE               a value may be empty
//   tolerate KEY OPERATOR VALUE EFFECT     each of KEY, VALUE, EFFECT may be empty
//   unread FIELD
//   error TEXT                     the list cannot be read, nothing else counts

#include <string>
#include <string_view>

namespace k8s {

inline constexpr std::string_view task_groups_annotation = "yunikorn.apache.org/task-groups";

/// The lines. Never fails: what is wrong with the list is one of them. Text that is lines already
/// stays as it is.
std::string plain_task_groups(std::string json);

}  // namespace k8s
