#pragma once
// The fields that claims and volumes have in common.

#include "k8s/embedded/admission/checks.hpp"

#include <string>
#include <string_view>

namespace k8s::embedded {

/// A default for a field whose empty text is a wrong value and not an absent one.
void set_if_absent(Json& object, std::string_view key, Json value);

/// accessModes, volumeMode and storageClassName of the spec of a claim or a volume.
void check_volume_fields(const Json& spec, Checks& checks);

/// The name of a CSI driver.
void check_driver_name(const std::string& name, const std::string& field, Checks& checks);

/// The amount of storage at `field` must be more than nothing.
void check_positive(const Json& amount, const std::string& field, Checks& checks);

/// A path on a node may not climb: no step of it is "..".
void check_no_backsteps(const std::string& path, const std::string& field, Checks& checks);

}  // namespace k8s::embedded
