#include "gang/app/memory.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

namespace {

/// Of pages that are as in a file; kB.
long file_pages() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssFile:")) {
            return std::stol(line.substr(8));
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("memory: pages of the program are given back, and it goes on") {
    const std::string before(100, 'x');
    const long many = file_pages();
    gang::app::give_back_unused();
    const long few = file_pages();
    CHECK(few > 0);
    CHECK(few < many / 2);
    CHECK(before == std::string(100, 'x'));
    // Twice is as good as once, and what was relocated at the start is still there.
    gang::app::give_back_unused();
    CHECK_THROWS_AS(std::stol("none"), std::invalid_argument);
}
