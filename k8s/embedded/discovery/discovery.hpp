#pragma once
// What the server can do, as kubectl asks for it: /api, /apis, /api/v1, /apis/GROUP[/VERSION] and
// /version, all made from the table of kinds.

#include "k8s/embedded/api/request.hpp"

#include <optional>
#include <string_view>

namespace k8s::embedded {

/// Answers a GET of a discovery path (`path` without its query); nothing for any other path. The
/// Accept header chooses between the plain lists and the aggregated forms v2 and v2beta1.
std::optional<Response> answer_discovery(std::string_view path, std::string_view accept);

}  // namespace k8s::embedded
