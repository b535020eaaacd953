#pragma once
// How the log calls an object of a namespace: "namespace/name".

#include "gang/decision.hpp"

#include <string>

namespace gang::app {

inline std::string full_name(const std::string& namespace_name, const std::string& name) {
    return namespace_name + "/" + name;
}

inline std::string full_name(const PodRef& pod) {
    return full_name(pod.namespace_name, pod.name);
}

}  // namespace gang::app
