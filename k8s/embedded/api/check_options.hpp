#pragma once
// The options of a request (its query, or the body of a DELETE) checked as the real server checks
// CreateOptions, UpdateOptions, PatchOptions, DeleteOptions and ListOptions: 422 with the causes.

#include "k8s/embedded/api/call.hpp"

#include <optional>

namespace k8s::embedded {

/// dryRun, fieldManager, fieldValidation, force. Only an apply may force, and it must name its
/// manager.
std::optional<Failure> check_write_options(const Call& call, bool is_apply);

/// The body of a DELETE; 400 when it is none, 422 when its values mean nothing.
std::optional<Failure> check_delete_options(const Json& options);

/// resourceVersionMatch and sendInitialEvents of a list or a watch.
std::optional<Failure> check_list_options(const Call& call);

}  // namespace k8s::embedded
