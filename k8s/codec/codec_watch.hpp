#pragma once
// Lines of watches and pages of lists become core values, with what the reflector must know of
// each. Hot path: everything that the cluster tells us goes through here.

#include "core/base/result.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "k8s/base/watch_kind.hpp"
#include "k8s/protocol/reflector.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace k8s {

enum class LineType : std::uint8_t { object, bookmark, error };

/// What a line of a watch is, before its object is made.
struct LineHead {
    LineType type = LineType::object;
    protocol::WatchEventType event = protocol::WatchEventType::added;  ///< of an object
    std::string version;                                               ///< of a bookmark
    protocol::Trouble trouble;                                         ///< of an error
};

/// What a page of a list is, before its items are made.
struct PageHead {
    std::string version;
    std::string continue_token;
    std::size_t bytes = 0;
};

/// What is read of images: those of containers, and those that nodes have.
enum class Images : std::uint8_t { dropped, kept };

/// Reads one thing after the other in the same memory: after warm-up only the values that it gives
/// away are allocated. An object that nobody wants made costs nothing but the look at its text.
class WatchDecoder {
public:
    using Object = std::variant<core::Pod, core::Node>;

    /// The seed of the fingerprints: chance, or nobody could trust them.
    WatchDecoder(WatchKind kind, std::uint64_t seed, Images images = Images::dropped);
    ~WatchDecoder();
    WatchDecoder(const WatchDecoder&) = delete;
    WatchDecoder& operator=(const WatchDecoder&) = delete;

    /// Reads one line of a watch, which must live as long as its object is asked for. Any object
    /// that is not of this kind and v1 is an error.
    core::Result<LineHead> read_line(std::string_view line);

    /// Takes a PodList or NodeList. Any other kind is an error (a Table, a foreign list).
    core::Result<PageHead> read_page(std::string json);
    /// Goes through the page's items; each is the current object while it is visited, and an error
    /// of the visitor ends it. An item that is no object is an error: what came before it is what
    /// the server said, but the page has a hole, and a list with a hole would delete what it does
    /// not show. The page's text is given back at the end.
    core::Result<core::Done> for_each_item(const std::function<core::Result<core::Done>()>& visit);

    /// The current object's key and fingerprint, valid until the next line or item.
    protocol::ObjectView key() const { return key_; }
    /// Of all annotations, also those that core::Pod does not keep.
    std::size_t annotation_bytes() const;
    /// Makes the current object.
    core::Result<Object> object() const;

private:
    struct Json;
    void find_key();

    WatchKind kind_;
    Images images_;
    std::unique_ptr<Json> json_;
    std::string page_;
    std::string name_;  ///< namespace and name, for key_
    protocol::ObjectView key_;
};

struct DecodedObject {
    protocol::ObjectKey key;
    WatchDecoder::Object object;
    std::size_t annotation_bytes = 0;
};

struct DecodedPage {
    std::string version;
    std::string continue_token;
    std::vector<DecodedObject> items;
};

/// A page in one go, for short questions.
core::Result<DecodedPage> decode_page(WatchKind kind, std::string json);

struct DecodedLine {
    LineType type = LineType::object;
    protocol::WatchEventType event = protocol::WatchEventType::added;  ///< of an object
    DecodedObject object;       ///< of a bookmark only key.version
    protocol::Trouble trouble;  ///< of an error
};

/// A line in one go.
core::Result<DecodedLine> decode_watch_line(WatchKind kind, std::string json);

}  // namespace k8s
