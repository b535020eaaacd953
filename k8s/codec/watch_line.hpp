#pragma once
// A line of a watch, as far as it is the same for all kinds: what has become of which object.

#include "core/base/result.hpp"
#include "k8s/json/json_fields.hpp"

#include <cstdint>
#include <string>

namespace k8s {

enum class WatchLineType : std::uint8_t { changed, gone, bookmark, error };

struct WatchLine {
    WatchLineType type = WatchLineType::changed;
    const rapidjson::Value* object = nullptr;  ///< in the document that was read; of an error its status
};

/// `kind` is for what is said of a line that makes no sense.
core::Result<WatchLine> read_watch_line(
    Fields& fields, const rapidjson::Value& document, const char* kind);

}  // namespace k8s
