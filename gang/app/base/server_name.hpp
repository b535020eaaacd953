#pragma once
// The API server's URL, by which the daemon and the command line know that they mean the same one.

#include "k8s/credentials/access.hpp"

#include <string>

namespace gang::app {

/// "https://10.0.0.1:6443/prefix"
std::string server_name(const k8s::Access& access);

}  // namespace gang::app
