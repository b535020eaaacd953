#pragma once
#include "config/loader.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <string>

namespace gang::app {

/// The whole file, "-" being standard input. An error: unreadable, or more than `bytes_max`.
core::Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

/// The configuration in this file; all defaults for an empty path.
core::Result<config::Loaded> load_config(const std::string& path);

}  // namespace gang::app
