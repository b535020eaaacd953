#pragma once
// CSIDrivers, CSIStorageCapacities and VolumeAttachments: what drivers say of themselves, what they
// have left, and what is attached to nodes.

#include "k8s/embedded/admission/checks.hpp"

namespace k8s::embedded {

void default_csi_driver(Json& driver);
void check_csi_driver(const Json& driver, Checks& checks);

void check_storage_capacity(const Json& capacity, Checks& checks);
/// Only the amounts may change.
void check_storage_capacity_update(const Json& stored, const Json& capacity, Checks& checks);

void default_attachment(Json& attachment);
void check_attachment(const Json& attachment, Checks& checks);
/// Its spec stays.
void check_attachment_update(const Json& stored, const Json& attachment, Checks& checks);

}  // namespace k8s::embedded
