#pragma once
// Server-side printing: an object or a list becomes a meta.k8s.io Table with the columns that the
// real API server prints, when the client's Accept header asks for `as=Table` (kubectl get).

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::embedded {

/// What a row carries of its object (?includeObject=).
enum class RowObject : std::uint8_t { none, metadata, object };

struct TableForm {
    std::string api_version = "meta.k8s.io/v1";
    RowObject include = RowObject::metadata;
    bool with_columns = true;  ///< a watch sends the columns with its first event only
    friend bool operator==(const TableForm&, const TableForm&) = default;
};

/// The form the client wants, nothing if the first acceptable type is not a Table.
/// `include_object` is the query parameter, empty when absent.
std::optional<TableForm> wanted_table(std::string_view accept, std::string_view include_object);

/// `answer` is one object, or a list with `items` whose metadata (resourceVersion, continue,
/// remainingItemCount) the table takes over. `now_ms` is Unix time, for the ages. For a watch event
/// pass the event's object. Status objects must not come here.
Json as_table(const Kind& kind, const Json& answer, const TableForm& form, std::int64_t now_ms);

}  // namespace k8s::embedded
