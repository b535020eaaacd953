#pragma once
// Label and field selectors as they stand in a query, made into predicates over objects.

#include "k8s/embedded/store/status.hpp"

#include <functional>
#include <string_view>

namespace k8s::embedded {

using Predicate = std::function<bool(const Json&)>;

/// "a=b,c!=d,e in (f,g),h notin (i),j,!k". Empty text: an empty function, everything matches.
Outcome<Predicate> parse_label_selector(std::string_view text);

/// "metadata.name=x,status.phase!=Failed"; a label that the kind does not know is a 400.
Outcome<Predicate> parse_field_selector(const Kind& kind, std::string_view text);

/// Both must hold; empty functions hold always, and two of them make an empty one.
Predicate both(Predicate left, Predicate right);

}  // namespace k8s::embedded
