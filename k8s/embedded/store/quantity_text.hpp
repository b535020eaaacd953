#pragma once
// Quantities in the one spelling that the API server stores: "13312Mi" becomes "13Gi", "0.5"
// "500m".

#include "k8s/embedded/store/json_value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace k8s::embedded {

/// The canonical spelling (rounded up to thousandths; beyond 64 bits the largest number, as the
/// real server caps it); nothing for text that is no quantity.
std::optional<std::string> canonical_quantity(std::string_view text);

/// Replaces each value of a resource list (text or number) by its canonical spelling; false when
/// one is no quantity. A missing list is well.
bool canonicalize_list(Json* list);

/// Thousandths of a canonical quantity; the largest number when that does not fit.
std::int64_t milli_of(const Json& quantity);

}  // namespace k8s::embedded
