#pragma once
// One request to a resource, understood: which kind, which object, which verb. Health, discovery
// and other paths without objects never become a Call.

#include "k8s/embedded/api/request.hpp"
#include "k8s/embedded/store/status.hpp"

#include <string>

namespace k8s::embedded {

struct Call {
    const Request* request = nullptr;  ///< not owned; lives as long as the call
    Target target;
    const Kind* kind = nullptr;
    Key key;                  ///< name empty: the collection; space empty: all namespaces
    std::string subresource;  ///< empty: the object itself

    bool is_collection() const { return key.name.empty(); }
    const std::string& param(const std::string& name) const { return target.param(name); }
};

/// Finds kind, namespace, name and subresource behind a path; 404 when nobody serves it.
Outcome<Call> parse_call(const Request& request, Target target);

/// "All" or nothing in the query; 422 for other values there, and for other bad options.
Outcome<bool> is_dry_run(const Call& call);

/// The object in the body: JSON, or one of the few kinds that come as protobuf. An object without
/// apiVersion and kind is taken for what the path serves; one of another kind is a 400.
Outcome<Json> read_object(const Call& call, std::string_view api_version, std::string_view kind);

/// DELETE's options from the body, the query's in front of them.
Outcome<Json> read_delete_options(const Call& call);

}  // namespace k8s::embedded
