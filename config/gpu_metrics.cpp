#include "config/gpu_metrics.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace config {
namespace {

bool is_of_host(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

bool is_of_address(char c) {
    return is_of_host(c) || c == ':';
}

/// Letters that need no encoding in a path.
bool is_of_path(char c) {
    return is_of_host(c) || c == '/' || c == '~' || c == ':' || c == '@';
}

core::Error wrong() {
    return core::Error{
        "expected a URL such as http://prometheus.monitoring:9090, without a user, a query or "
        "/api/v1"};
}

}  // namespace

core::Result<MetricsUrl> parse_metrics_url(std::string_view text) {
    MetricsUrl url;
    url.tls = text.starts_with("https://");
    if (!url.tls && !text.starts_with("http://")) {
        return wrong();
    }
    text.remove_prefix(url.tls ? 8 : 7);
    const std::string_view authority = text.substr(0, text.find('/'));
    std::string_view path = text.substr(authority.size());
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    std::string_view host = authority;
    std::string_view port;
    const bool is_v6 = authority.starts_with('[');
    if (is_v6) {
        const std::size_t end = authority.find(']');
        if (end == std::string_view::npos) {
            return wrong();
        }
        host = authority.substr(1, end - 1);
        port = authority.substr(end + 1);
    } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
        host = authority.substr(0, colon);
        port = authority.substr(colon);
    }
    const bool is_host = !host.empty() && host.size() <= 253 &&
                         std::all_of(host.begin(), host.end(), is_v6 ? is_of_address : is_of_host);
    const bool is_path = std::all_of(path.begin(), path.end(), is_of_path) &&
                         !path.ends_with("/api/v1") && path.size() <= 1024;
    if (!is_host || !is_path) {
        return wrong();
    }
    url.host = host;
    url.path = path;
    url.port = url.tls ? 443 : 80;
    if (port.empty()) {
        return url;
    }
    const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), url.port);
    if (port.front() != ':' || error != std::errc{} || end != port.data() + port.size() ||
        url.port == 0) {
        return wrong();
    }
    return url;
}

}  // namespace config
