#include "gang/app/base/server_name.hpp"

#include <fmt/format.h>

namespace gang::app {

std::string server_name(const k8s::Access& access) {
    const bool v6 = access.host.find(':') != std::string::npos;
    return fmt::format(
        "{}://{}{}{}:{}{}",
        access.tls ? "https" : "http",
        v6 ? "[" : "",
        access.host,
        v6 ? "]" : "",
        access.port,
        access.path_prefix);
}

}  // namespace gang::app
