#pragma once
// /openapi/v3 as far as kubectl reads it before create, apply and explain: that the paths exist,
// which object kind is behind each, and that the query parameters fieldValidation and dryRun are
// known. No schemas of fields: kubectl then leaves all checks to the server, and `kubectl explain`
// answers with an error instead of a wrong text.

#include "k8s/embedded/api/request.hpp"

#include <optional>
#include <string_view>

namespace k8s::embedded {

/// Answers a GET of /openapi/v3 and what is below it (`path` without its query) and of
/// /openapi/v2; nothing for any other path.
std::optional<Response> answer_openapi(std::string_view path);

}  // namespace k8s::embedded
