#include "config/address.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

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

/// 127.a.b.c, each part plain decimal.
bool is_loopback_v4(std::string_view host) {
    int parts = 0;
    while (true) {
        const auto dot = host.find('.');
        const auto part = whole_number<std::uint8_t>(host.substr(0, dot));
        if (!part || (parts == 0 && *part != 127)) {
            return false;
        }
        ++parts;
        if (dot == std::string_view::npos) {
            return parts == 4;
        }
        host.remove_prefix(dot + 1);
    }
}

}  // namespace

core::Result<ListenAddress> parse_loopback(std::string_view text) {
    const auto colon = text.rfind(':');
    const auto wanted = "expected ADDRESS:PORT on loopback, such as 127.0.0.1:10351";
    if (colon == std::string_view::npos) {
        return core::Error{fmt::format("found \"{}\" (no port), {}", text, wanted)};
    }
    const auto port = whole_number<std::uint16_t>(text.substr(colon + 1));
    if (!port) {
        return core::Error{
            fmt::format("found \"{}\" (the port is not a number up to 65535), {}", text, wanted)};
    }
    const std::string_view host = text.substr(0, colon);
    if (host == "localhost") {
        return ListenAddress{"127.0.0.1", *port};
    }
    if (host == "[::1]") {
        return ListenAddress{"::1", *port};
    }
    if (is_loopback_v4(host)) {
        return ListenAddress{std::string(host), *port};
    }
    return core::Error{fmt::format("found \"{}\" (not a loopback address), {}", text, wanted)};
}

}  // namespace config
