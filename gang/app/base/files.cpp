#include "gang/app/base/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace gang::app {
namespace {

core::Result<std::string> read_stream(
    std::istream& in, const std::string& path, std::size_t bytes_max) {
    std::string text;
    char buffer[16 * 1024];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > bytes_max) {
            return core::Error{fmt::format("{}: larger than {} bytes", path, bytes_max)};
        }
    }
    if (in.bad()) {
        return core::Error{fmt::format("{}: cannot be read", path)};
    }
    return text;
}

}  // namespace

core::Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
    if (path == "-") {
        return read_stream(std::cin, "standard input", bytes_max);
    }
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        return core::Error{fmt::format("{}: it is a directory", path)};
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        const int why = errno;
        return core::Error{fmt::format("{}: {}", path, std::generic_category().message(why))};
    }
    return read_stream(in, path, bytes_max);
}

core::Result<config::Loaded> load_config(const std::string& path) {
    if (path.empty()) {
        return config::Loaded{};
    }
    const auto text = read_file(path, config::file_bytes_max);
    if (!text) {
        return text.error();
    }
    return parse_config(*text, path);
}

core::Result<config::Loaded> parse_config(std::string_view text, const std::string& path) {
    return config::load(text, path, [](const std::string& other) {
        return read_file(other, config::file_bytes_max);
    });
}

}  // namespace gang::app
