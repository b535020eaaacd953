#pragma once
#include "config/loader.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace gang::app {

/// The whole file, "-" being standard input. An error: unreadable, or more than `bytes_max`.
core::Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

/// What such a text says; `path` names it in complaints.
core::Result<config::Loaded> parse_config(std::string_view text, const std::string& path);

/// The configuration in this file; all defaults for an empty path.
core::Result<config::Loaded> load_config(const std::string& path);

}  // namespace gang::app
