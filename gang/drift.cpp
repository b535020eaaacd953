#include "gang/drift.hpp"

#include <array>
#include <cstddef>

namespace gang {

std::string describe(DriftKind kind) {
    constexpr std::array<const char*, 8> words = {
        "node unknown",
        "node differs",
        "node gone",
        "node miscounted",
        "pod unknown",
        "pod differs",
        "pod gone",
        "reservation differs"};
    return words[static_cast<std::size_t>(kind)];
}

}  // namespace gang
