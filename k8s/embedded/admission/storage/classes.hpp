#pragma once
// StorageClasses and CSINodes: how volumes come about, and which drivers a node has.

#include "k8s/embedded/admission/checks.hpp"

namespace k8s::embedded {

void default_storage_class(Json& storage_class);
void check_storage_class(const Json& storage_class, Checks& checks);
/// All that decides about a volume stays; labels, topologies and expansion may change.
void check_storage_class_update(const Json& stored, const Json& storage_class, Checks& checks);

void default_csi_node(Json& node);
void check_csi_node(const Json& node, Checks& checks);
/// Drivers come and go; of one that stays only the count of volumes may change.
void check_csi_node_update(const Json& stored, const Json& node, Checks& checks);

}  // namespace k8s::embedded
