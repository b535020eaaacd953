#pragma once
// PersistentVolumeClaims: their defaults, their checks, and what may change in one. The admission
// plugins DefaultStorageClass and PersistentVolumeClaimResize are here too.

#include "k8s/embedded/admission/checks.hpp"
#include "k8s/embedded/admission/defaults.hpp"

#include <optional>

namespace k8s::embedded {

void default_claim(Json& claim);

/// A new claim that names no class gets the newest of those that are annotated as default.
void name_default_class(Json& claim, const Surroundings& around);

void check_claim(const Json& claim, Checks& checks);

/// The spec stays as it is; the volume is named once, a bound claim may ask for more.
void check_claim_update(const Json& stored, const Json& claim, Checks& checks);

/// 403 when a claim asks for more and its class does not allow that.
std::optional<Failure> refuse_expansion(
    const Kind& kind, const Json& stored, const Json& claim, const Surroundings& around);

}  // namespace k8s::embedded
