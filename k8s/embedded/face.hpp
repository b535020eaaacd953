#pragma once
// Small words shared by the parts of the embedded API server that face kubectl: discovery, OpenAPI,
// tables, protobuf, admission.

#include <string>

namespace k8s::embedded {

/// A complete answer to a request that does not touch the store.
struct FaceAnswer {
    int status = 200;
    std::string content_type;
    std::string body;
    friend bool operator==(const FaceAnswer&, const FaceAnswer&) = default;
};

/// Which collection a request is about.
struct ResourceName {
    std::string group;     ///< empty for the core group
    std::string resource;  ///< plural, "pods"
    std::string kind;      ///< "Pod"
    friend bool operator==(const ResourceName&, const ResourceName&) = default;
};

}  // namespace k8s::embedded
