#pragma once
// Whether a text that was written or sent has what it should.

#include <string>
#include <string_view>

namespace tests {

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace tests
