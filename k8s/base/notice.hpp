#pragma once
// What the edge has to say to the log. k8s/ has no logger of its own.

#include <cstdint>
#include <functional>
#include <string>

namespace k8s {

enum class NoticeLevel : std::uint8_t { debug, info, warning, error };

/// Called on the loop's thread. The text is key=value words, free of secrets. May be empty.
using NoticeSink = std::function<void(NoticeLevel, const std::string&)>;

}  // namespace k8s
