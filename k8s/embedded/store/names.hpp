#pragma once
// The syntax of names, labels and keys, with the texts of k8s.io/apimachinery/pkg/util/validation.
// Each function answers what is wrong with the text, nothing when it is well.

#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

using Complaints = std::vector<std::string>;

/// "my-name": lower case letters, digits, '-', at most 63.
Complaints check_dns_label(std::string_view text);
/// "example.com": labels joined by '.', at most 253.
Complaints check_dns_subdomain(std::string_view text);
/// "example.com/MyName": a label key, a resource name, a finalizer.
Complaints check_qualified_name(std::string_view text);
/// At most 63 of letters, digits, '-', '_', '.'; may be empty.
Complaints check_label_value(std::string_view text);
/// One segment of a URL path: names of roles and of bindings.
Complaints check_path_segment(std::string_view text);
/// Key of a config map or secret.
Complaints check_data_key(std::string_view text);
/// Name of an environment variable.
Complaints check_variable_name(std::string_view text);

}  // namespace k8s::embedded
