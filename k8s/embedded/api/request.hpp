#pragma once
// A request and its answer without sockets. The HTTP server, the kubelets and the tests all speak
// to the API server in these.

#include "k8s/embedded/store/watch_stream.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::embedded {

struct Request {
    std::string method;  ///< "GET", "POST", ...
    std::string target;  ///< path and query, percent-encoded as on the wire
    std::string body = {};
    std::string content_type = "application/json";  ///< of the body, parameters included
    std::string accept = {};                        ///< empty: JSON
    std::string user_agent = {};
};

struct Response {
    int status = 200;
    std::string body = {};
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers = {};  ///< beyond type and length
    std::unique_ptr<WatchStream> watch = {};  ///< set: the body is this stream, `body` is unused
};

/// A target taken apart and decoded.
struct Target {
    std::vector<std::string> segments;         ///< of the path, without empty ones
    std::string path;                          ///< as it came, without the query
    std::map<std::string, std::string> query;  ///< a repeated key keeps its last value

    /// The value, or the empty string.
    const std::string& param(const std::string& name) const;
    /// "true" and "1" are true.
    bool flag(const std::string& name) const;
};

Target parse_target(std::string_view target);

}  // namespace k8s::embedded
