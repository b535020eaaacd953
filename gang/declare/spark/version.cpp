#include "gang/declare/spark/version.hpp"

#include <charconv>
#include <optional>

namespace gang::spark {
namespace {

std::optional<Version> parse(std::string_view text) {
    Version version;
    const char* const end = text.data() + text.size();
    const auto [dot, major_error] = std::from_chars(text.data(), end, version.major);
    if (major_error != std::errc{} || dot == end || *dot != '.') {
        return std::nullopt;
    }
    const auto [rest, minor_error] = std::from_chars(dot + 1, end, version.minor);
    if (minor_error != std::errc{} || version.major < 0 || version.minor < 0) {
        return std::nullopt;
    }
    return version;
}

}  // namespace

Version rules_version(std::string_view label, const core::Pod& driver) {
    if (const auto version = parse(label)) {
        return *version;
    }
    // Until 3.0 the config map was <pod name prefix>-driver-conf-map; since then it ends otherwise.
    const bool is_old_name =
        driver.spark_properties &&
        std::string_view(driver.spark_properties->config_map).ends_with("-driver-conf-map");
    return is_old_name ? Version{3, 0} : Version{3, 2};
}

}  // namespace gang::spark
