#pragma once
// authentication.k8s.io/v1 TokenReview and authorization.k8s.io/v1 SubjectAccessReview.

#include "core/base/result.hpp"

#include <string>

namespace k8s {

std::string token_review(const std::string& token);

/// The user as a SubjectAccessReview has it: `spec` without what is asked, as JSON members ("user":
/// ..., "groups": ..., "uid": ..., "extra": ...). Empty: the token is nobody's. An error: the
/// answer cannot be read.
core::Result<std::string> user_of_token_review(std::string answer);

/// May that user list the pods of the namespace? Empty: of all.
std::string list_pods_review(const std::string& user, const std::string& namespace_name);

core::Result<bool> is_allowed(std::string answer);

}  // namespace k8s
