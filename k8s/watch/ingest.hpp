#pragma once
// What comes over the wire of one kind, pages and bytes of a watch, becomes events for the
// receiver; without sockets and clocks. Owns the table of what is known (reflector), which says
// what is news. A watch event that says nothing new is dropped here, before anything is made of it.

#include "k8s/codec/codec_watch.hpp"
#include "k8s/protocol/line_splitter.hpp"
#include "k8s/protocol/reflector.hpp"
#include "k8s/watch/watcher.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace k8s {

enum class PageOutcome : std::uint8_t {
    unreadable,  ///< no page of this kind: nothing came of it
    refused,     ///< by the reflector, which knows what to do next
    broken,      ///< in the middle: what came before that was told, and is true
    more,        ///< more pages are to come
    complete
};

enum class StreamOutcome : std::uint8_t {
    fine,     ///< go on
    stopped,  ///< by the receiver
    garbage,  ///< not what a watch of this kind is made of, or a line without end
    error     ///< the server's word: see trouble()
};

struct IngestOptions {
    WatchKind kind = WatchKind::pods;
    Images images = Images::dropped;
    VersionUseRule version_use;
    protocol::ReflectorOptions reflector;
    std::uint64_t fingerprint_seed = 0;  ///< chance
    std::function<void(WatchEvent)> emit;
};

class Ingest {
public:
    explicit Ingest(IngestOptions options);

    /// The next page's token, empty if this is the last; the outcome if it is over already.
    std::variant<std::string, PageOutcome> open_page(std::string body);
    /// Goes through the items of the page that was opened: `more` or `complete`, or it is `broken`.
    PageOutcome take_items();

    /// Bytes of a watch, however they are cut. A new watch begins after clear().
    StreamOutcome take_bytes(std::string_view bytes);
    void clear() { lines_.clear(); }

    /// Nothing is emitted any more.
    void stop() { stopped_ = true; }

    protocol::Reflector& reflector() { return reflector_; }
    const protocol::Reflector& reflector() const { return reflector_; }
    /// Why the last outcome was not a good one.
    const std::string& problem() const { return problem_; }
    const protocol::Trouble& trouble() const { return trouble_; }
    std::uint64_t lists() const { return lists_; }      ///< lists begun
    std::uint64_t events() const { return events_; }    ///< of watches, without bookmarks
    std::uint64_t repeats() const { return repeats_; }  ///< of them those that were dropped

    /// See Watcher::annotation_bytes().
    std::size_t annotation_bytes(std::string_view pod_uid) const;

private:
    core::Result<core::Done> take_item();
    StreamOutcome take_line(std::string_view text);
    StreamOutcome take_object(protocol::WatchEventType type);
    StreamOutcome refuse(std::string why);
    protocol::ObjectView key_of(const WatchDecoder::Object& object) const;
    void remember_annotations(std::string_view uid);
    void carry_out(const protocol::Verdict& verdict, WatchDecoder::Object&& object);
    void emit_deletion(const protocol::ObjectKey& key);
    void emit(WatchEvent event);

    IngestOptions options_;
    protocol::Reflector reflector_;
    WatchDecoder decoder_;
    protocol::LineSplitter lines_;
    /// Annotation bytes of the pods that have many, by uid.
    std::map<std::string, std::size_t, std::less<>> heavy_;
    std::string problem_;
    protocol::Trouble trouble_;
    std::uint64_t lists_ = 0;
    std::uint64_t events_ = 0;
    std::uint64_t repeats_ = 0;
    bool stopped_ = false;
};

}  // namespace k8s
