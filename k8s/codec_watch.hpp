#pragma once
// Pages of lists and lines of watches become core values, with what the reflector must know of
// each.

#include "core/node.hpp"
#include "core/pod.hpp"
#include "core/result.hpp"
#include "k8s/protocol/reflector.hpp"
#include "k8s/watcher.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace k8s {

struct DecodedObject {
    protocol::ObjectKey key;
    std::variant<core::Pod, core::Node> object;
    std::size_t annotation_bytes = 0;  ///< all of them, also those that core::Pod does not keep
};

struct DecodedPage {
    std::string version;
    std::string continue_token;
    std::vector<DecodedObject> items;
};

/// Reads a PodList or NodeList. Any other kind is an error (a Table, a foreign list), and so is an
/// item that cannot be read: a list with a hole would delete what it does not show.
core::Result<DecodedPage> decode_page(WatchKind kind, std::string json);

enum class LineType : std::uint8_t { object, bookmark, error };

struct DecodedLine {
    LineType type = LineType::object;
    protocol::WatchEventType event = protocol::WatchEventType::added;  ///< of an object
    DecodedObject object;       ///< of a bookmark only key.version
    protocol::Trouble trouble;  ///< of an error
};

/// Reads one line of a watch.
core::Result<DecodedLine> decode_watch_line(WatchKind kind, std::string json);

}  // namespace k8s
