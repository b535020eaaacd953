#include "k8s/credentials/kubeconfig_fields.hpp"

#include "k8s/base/base64.hpp"

#include <fmt/format.h>

#include <utility>

namespace k8s::kubeconfig {

void refuse(std::string why) {
    throw Refused{std::move(why)};
}

std::string text(const YAML::Node& map, const char* key) {
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return {};
    if (!value.IsScalar()) refuse(fmt::format("{}: expected a string", key));
    return value.Scalar();
}

bool flag(const YAML::Node& map, const char* key) {
    const std::string value = text(map, key);
    if (value.empty() || value == "false") return false;
    if (value == "true") return true;
    refuse(fmt::format("{}: expected true or false", key));
}

std::string bytes(const YAML::Node& map, const char* key) {
    auto decoded = base64_decode(text(map, key));
    if (!decoded) refuse(fmt::format("{}: this is not base64", key));
    return *std::move(decoded);
}

void only(const YAML::Node& map, const char* where, const std::set<std::string>& known) {
    for (const auto& member : map) {
        const std::string key = member.first.Scalar();
        if (known.count(key) != 0) continue;
        const bool empty = !member.second || member.second.IsNull() ||
                           (member.second.IsScalar() && member.second.Scalar().empty()) ||
                           (!member.second.IsScalar() && member.second.size() == 0);
        if (!empty) refuse(fmt::format("{}: {} is not supported", where, key));
    }
}

}  // namespace k8s::kubeconfig
