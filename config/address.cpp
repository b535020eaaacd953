#include "config/address.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace config {
namespace {

template <typename T>
std::optional<T> whole_number(std::string_view text) {
    T value{};
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return value;
}

/// a.b.c.d, each part plain decimal: its first part, none if it is no such address.
std::optional<std::uint8_t> first_of_v4(std::string_view host) {
    std::optional<std::uint8_t> first;
    for (int parts = 1;; ++parts) {
        const auto dot = host.find('.');
        const auto part = whole_number<std::uint8_t>(host.substr(0, dot));
        if (!part) {
            return std::nullopt;
        }
        first = first ? first : part;
        if (dot == std::string_view::npos) {
            return parts == 4 ? first : std::nullopt;
        }
        host.remove_prefix(dot + 1);
    }
}

/// By its letters; whether it is an address of this machine shows when it is listened on.
bool looks_like_v6(std::string_view host) {
    return host.find(':') != std::string_view::npos &&
           host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

/// Host and port as written, the host not looked at yet.
core::Result<ListenAddress> split(std::string_view text, std::string_view wanted) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return core::Error{fmt::format("found \"{}\" (no port), {}", text, wanted)};
    }
    const auto port = whole_number<std::uint16_t>(text.substr(colon + 1));
    if (!port) {
        return core::Error{
            fmt::format("found \"{}\" (the port is not a number up to 65535), {}", text, wanted)};
    }
    const std::string_view host = text.substr(0, colon);
    return ListenAddress{host == "localhost" ? "127.0.0.1" : std::string(host), *port};
}

constexpr std::string_view wanted_loopback =
    "expected ADDRESS:PORT on loopback, such as 127.0.0.1:10351";
constexpr std::string_view wanted_private =
    "expected ADDRESS:PORT on loopback, such as 127.0.0.1:10351, or unix:/PATH";
constexpr std::string_view wanted_listen = "expected ADDRESS:PORT or :PORT, such as :10352";
constexpr std::string_view unix_prefix = "unix:";

core::Result<ListenAddress> loopback(std::string_view text, std::string_view wanted) {
    auto address = split(text, wanted);
    if (!address || first_of_v4(address->host) == 127) {
        return address;
    }
    if (address->host == "[::1]") {
        return ListenAddress{"::1", address->port};
    }
    return core::Error{fmt::format("found \"{}\" (not a loopback address), {}", text, wanted)};
}

}  // namespace

core::Result<ListenAddress> parse_loopback(std::string_view text) {
    return loopback(text, wanted_loopback);
}

core::Result<ListenAddress> parse_private(std::string_view text) {
    if (!text.starts_with(unix_prefix)) {
        return loopback(text, wanted_private);
    }
    const std::string_view path = text.substr(unix_prefix.size());
    if (!path.starts_with('/') || path.ends_with('/') || path.size() > socket_path_max) {
        return core::Error{fmt::format(
            "found \"{}\", expected unix: and an absolute path of at most {} bytes",
            text,
            socket_path_max)};
    }
    return ListenAddress{"", 0, std::string(path)};
}

core::Result<ListenAddress> parse_listen(std::string_view text) {
    auto address = split(text, wanted_listen);
    if (!address || address->host.empty() || first_of_v4(address->host)) {
        return address;
    }
    const std::string& host = address->host;
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        std::string inner = host.substr(1, host.size() - 2);
        if (looks_like_v6(inner)) {
            return ListenAddress{std::move(inner), address->port};
        }
    }
    return core::Error{fmt::format("found \"{}\" (not an IP address), {}", text, wanted_listen)};
}

std::string describe(const ListenAddress& address) {
    if (!address.path.empty()) {
        return std::string(unix_prefix) + address.path;
    }
    const bool brackets = address.host.find(':') != std::string::npos;
    return fmt::format(
        "{}{}{}:{}", brackets ? "[" : "", address.host, brackets ? "]" : "", address.port);
}

}  // namespace config
