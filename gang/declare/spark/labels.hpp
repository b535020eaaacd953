#pragma once
// The labels that all executors of an application share: inter-pod affinity and spread select by
// them.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/ground.hpp"

#include <string_view>

namespace gang::spark {

/// The template's, the conf's over them, Spark's own over both; without spark-exec-id, which tells
/// executors apart, and spark-app-name, which the application's code may choose. An error: a label
/// that Spark keeps for itself, or that the API server would refuse.
core::Result<core::StringMap> executor_labels(
    const core::StringMap& in_template, const ConfView& conf, const Ground& ground);

/// A label's value as Kubernetes allows it: 63 characters, letters, digits, '-', '_', '.', the
/// first and the last a letter or digit; or nothing.
bool is_label_value(std::string_view text);

/// A DNS subdomain: at most 253 lower-case letters, digits, '-' and '.'.
bool is_subdomain(std::string_view text);

/// A label's key: a name of that form that is not empty, perhaps after a DNS subdomain and '/'.
bool is_label_key(std::string_view text);

}  // namespace gang::spark
