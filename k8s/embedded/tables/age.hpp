#pragma once
// Ages as kubectl prints them: k8s.io/apimachinery/pkg/util/duration.

#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::embedded {

/// Two or three significant figures: "59s", "3m7s", "5d2h". "<invalid>" for less than -1 s.
std::string human_duration(std::int64_t milliseconds);

/// The age of a metav1.Time at `now_ms` (Unix time), "<unknown>" when the text is no time.
std::string age_since(std::string_view time, std::int64_t now_ms);

}  // namespace k8s::embedded
