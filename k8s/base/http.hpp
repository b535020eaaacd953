#pragma once
// One HTTP exchange as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace k8s {

inline constexpr std::string_view accept_json = "application/json";
/// Up to half of an object, and we pass over it: a server that has KEP-5958 leaves it out for whom
/// asks so. Others ignore a parameter that they do not know, as 1.36.3 and 1.37.2 were seen to do;
/// who refuses it still has the plain type behind it.
inline constexpr std::string_view accept_json_without_managed_fields =
    "application/json;drop=metadata.managedFields, application/json";

/// A request of ours. It has a constructor, not braces, because GCC 12 destroys aggregates in
/// statements with co_await twice.
struct Request {
    Request(std::string method_name, std::string target_path)
        : method(std::move(method_name)), target(std::move(target_path)) {}

    std::string method;
    std::string_view accept = accept_json;  ///< a constant
    std::string target;                     ///< path and query, already encoded
    std::string content_type;               ///< of the body
    std::string body;
    std::string more_fields;  ///< lines of the header, each with its end; constants of ours
};

struct Response {
    int status = 0;
    std::string body;
    std::optional<std::int64_t> retry_after_ms;  ///< of a Retry-After in seconds, capped
};

/// No complete answer came.
struct Failure {
    std::string message;      ///< for people, free of secrets
    bool maybe_sent = false;  ///< a byte of the request may have reached the server
    bool answered = false;    ///< at least one byte of the answer had come
    bool silent = false;      ///< of a stream: nothing came for as long as one was willing to wait
};

using Reply = std::variant<Response, Failure>;

/// "abc/d e" -> "abc%2Fd%20e": for one segment of a path or one value of a query.
std::string percent_encode(const std::string& text);

/// One page of the list of all `kind` ("pods", "nodes"); the first one has no token. Without
/// managedFields, if the server can.
Request list_request(std::string_view kind, std::int64_t page_size, const std::string& token);

}  // namespace k8s
