#pragma once
// The opaque token between two pages of a list: base64url of a small JSON object, as the real API
// server's. It carries all that is needed; the server keeps nothing for a client between pages.

#include "k8s/embedded/store/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace k8s::embedded {

struct ListPlace {
    Revision revision = 0;
    Key after;  ///< the next page begins behind this key
    friend bool operator==(const ListPlace&, const ListPlace&) = default;
};

std::string write_token(const ListPlace& place);

/// Nothing for text that write_token never wrote.
std::optional<ListPlace> read_token(std::string_view token);

}  // namespace k8s::embedded
