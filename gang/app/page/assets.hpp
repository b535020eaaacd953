#pragma once
// The files of the page, as they stand in this folder; CMake puts them into the program.

#include <span>
#include <string_view>

namespace gang::app {

struct Asset {
    std::string_view path;  ///< of the request
    const char* content_type;
    std::string_view text;
};

std::span<const Asset> page_assets();

}  // namespace gang::app
