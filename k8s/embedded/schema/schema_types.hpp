#pragma once
// The lines of schema_data.cpp taken apart: what fields each type has.

#include "k8s/embedded/store/kinds.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace k8s::embedded {

struct SchemaField {
    std::string_view name;
    std::string_view type;  ///< as in the data: "s", "[12]", "<*>", "7", ...
};

struct SchemaType {
    std::string_view name;            ///< "io.k8s.api.core.v1.Pod"
    std::string_view kind;            ///< "/v1/Pod" (group, version, kind); empty for parts of objects
    std::vector<SchemaField> fields;  ///< by name

    /// nullptr when there is no such field.
    const SchemaField* find(std::string_view field) const;
};

/// By number, as the types of fields name them.
std::span<const SchemaType> schema_types();

/// The number of a kind's type; nothing when it has no schema.
std::optional<std::size_t> find_schema(const Kind& kind);

}  // namespace k8s::embedded
