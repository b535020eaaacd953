#pragma once
#include <string_view>

namespace gang::app {

/// The same as in CMakeLists.txt; a test compares them.
inline constexpr std::string_view version = "0.1.0";

/// The commit that this was built from, "-dirty" with changes on top, and its day (2026-11-25).
/// Empty: built outside a repository, and nobody said it (scripts/commit.cmake).
extern const std::string_view commit;
extern const std::string_view commit_date;

/// Of the processor, as Kubernetes names it in the label kubernetes.io/arch.
#if defined(__x86_64__)
inline constexpr std::string_view architecture = "amd64";
#elif defined(__aarch64__)
inline constexpr std::string_view architecture = "arm64";
#else
inline constexpr std::string_view architecture = "unknown";
#endif

}  // namespace gang::app
