#pragma once
// Members of a kubeconfig's maps: of the type that is due, or refused by name. Included only from
// .cpp files, because yaml-cpp's types are in it.

#include <yaml-cpp/yaml.h>

#include <set>
#include <string>

namespace k8s::kubeconfig {

/// Thrown inside the reading of a kubeconfig only; load_kubeconfig turns it into its Error.
struct Refused {
    std::string why;
};

[[noreturn]] void refuse(std::string why);

/// A string; empty if it is missing.
std::string text(const YAML::Node& map, const char* key);
/// "true" or "false"; false if it is missing.
bool flag(const YAML::Node& map, const char* key);
/// Bytes that stand there as base64; empty if it is missing.
std::string bytes(const YAML::Node& map, const char* key);
/// Refuses members of other names that are not empty: what we do not know might change who we are
/// or whom we trust.
void only(const YAML::Node& map, const char* where, const std::set<std::string>& known);

}  // namespace k8s::kubeconfig
