#pragma once
// What every fuzz target needs: a property that must hold for any input, and the input's bytes.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// libFuzzer calls this; in test_fuzz each target has a name of its own (CMakeLists.txt).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// A copy that ends where the input ends: reading past it is an error that the sanitizer sees.
inline std::string text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

[[noreturn]] inline void broken(const char* what, const char* file, int line) {
    std::fprintf(stderr, "property does not hold: %s (%s:%d)\n", what, file, line);
    std::abort();
}

}  // namespace fuzz

#define PROPERTY(condition) \
    ((condition) ? static_cast<void>(0) : ::fuzz::broken(#condition, __FILE__, __LINE__))
