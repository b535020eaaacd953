#pragma once
// List and watch of one kind as a state machine without sockets: it says what to ask next, and for
// each object that comes whether it is news. The rules are those of client-go's reflector, stricter
// in one point: every list is consistent (empty resourceVersion), because what we bind depends on
// it.
//
//              +---------------------------- 410, too old, too strange ---------------------+
//              v                                                                            |
//   list page 1 -> page 2 -> ... -> last page: synthesised deletes -> watch -> events ------+
//              ^     | 410                                           ^  | closed, 429, refused
//              +-----+                                               +--+ (same version, no list)
//
// It remembers name -> {uid, version, fingerprint} of every object, nothing else of it.

#include "k8s/protocol/burials.hpp"
#include "k8s/protocol/flow/backoff.hpp"
#include "k8s/protocol/flow/reflector_pauses.hpp"
#include "k8s/protocol/known_objects.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace k8s::protocol {

struct ObjectKey {
    std::string name;  ///< "namespace/name", or "name" for kinds without namespaces
    std::string uid;
    std::string version;
    friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

/// An object as it comes; the texts belong to whoever read it.
struct ObjectView {
    ObjectView() = default;
    ObjectView(const ObjectKey& key) : name(key.name), uid(key.uid), version(key.version) {}

    std::string_view name;
    std::string_view uid;
    std::string_view version;
    /// Of all that the receiver reads of it, apart from the version. 0: it uses the version too, so
    /// that every state of the object is news.
    std::uint64_t fingerprint = 0;
    /// Every later state of this object is news as well, whatever its fingerprint.
    bool for_good = false;
};

/// Ask for a page: the first when the token is empty. Never with a resourceVersion.
struct AskList {
    std::string continue_token;
    friend bool operator==(const AskList&, const AskList&) = default;
};
/// Open a watch with bookmarks from this version.
struct AskWatch {
    std::string version;
    std::int64_t timeout_seconds = 0;
    friend bool operator==(const AskWatch&, const AskWatch&) = default;
};
/// Do nothing for this long, then ask next() again.
struct Pause {
    std::int64_t ms = 0;
    friend bool operator==(const Pause&, const Pause&) = default;
};
using ReflectorAction = std::variant<AskList, AskWatch, Pause>;

/// What an object means to the receiver: first the deletion, then the object. The deleted one's
/// name is empty unless names are kept.
struct Verdict {
    std::optional<ObjectKey> deleted;
    bool upsert = false;
    friend bool operator==(const Verdict&, const Verdict&) = default;
};

enum class PageVerdict : std::uint8_t {
    first,   ///< tell the receiver that a list begins, then go through the items
    more,    ///< go through the items
    refused  ///< not to be used; ask next()
};

enum class WatchEventType : std::uint8_t { added, modified, deleted };

/// Why something was not answered as wished: an HTTP status, or 0 for a lost connection.
struct Trouble {
    int status = 0;
    std::string reason;  ///< of the Status object: "Expired", ...
    std::string message;
    std::int64_t retry_after_ms = -1;
    bool version_too_large = false;  ///< the Status names the cause ResourceVersionTooLarge
};

struct ReflectorOptions {
    BackoffOptions backoff;
    std::int64_t watch_timeout_ms_min = 300'000;  ///< asked of the server: min..2*min
    // A list that does not end within these is a failure.
    std::size_t pages_max = 10'000;
    std::size_t list_bytes_max = std::size_t{16} * 1024 * 1024 * 1024;  ///< of all its pages
    KnownObjects::Seed seed;  ///< chance, against objects whose names are made to meet
    bool keeps_names = true;  ///< deletions come with names; without, an object costs half
};

class Reflector {
public:
    explicit Reflector(ReflectorOptions options);

    ReflectorAction next(std::uint32_t random);

    // A page came: on_page, on_item for each, end_page.
    PageVerdict on_page(
        const std::string& version, const std::string& continue_token, std::size_t bytes = 0);
    Verdict on_item(const ObjectView& item);
    /// After the last page: what the receiver must delete, then the list is complete. Nothing:
    /// there are more pages.
    std::optional<std::vector<ObjectKey>> end_page();
    void on_list_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random);

    void on_watch_opened(std::int64_t now_ms);
    Verdict on_event(WatchEventType type, const ObjectView& object);
    /// As on_event() of an object that was added or modified, if the receiver was told all this of
    /// it already: of what the verdict takes for news only the version is new. Nothing: that is not
    /// so, and nothing was done.
    std::optional<Verdict> on_repeat(WatchEventType type, const ObjectView& object);
    void on_bookmark(const std::string& version);
    /// The watch could not be opened, or an ERROR event came in the stream.
    void on_watch_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random);
    /// The stream ended; `clean`: as the server announced, else it was cut.
    void on_watch_closed(bool clean, std::int64_t now_ms, std::uint32_t random);
    /// The view is to be as new as this moment, at once: what came by the watch is not enough.
    void ask_for_list();
    /// Something came that is no object of this kind: the view may be wrong, list again.
    void on_garbage(std::int64_t now_ms, std::uint32_t random);

    /// A list is complete and nothing has called for another one.
    bool is_synced() const { return synced_; }
    std::size_t size() const { return objects_.size(); }

private:
    void list_again();
    void on_sign_of_life();
    void advance(std::string_view version);
    void on_watched(WatchEventType type, const ObjectView& object);
    Verdict store(const ObjectView& object, bool from_list);
    Verdict remove(const ObjectView& object);
    bool is_older_than_known(const ObjectView& object, KnownObjects::Id id) const;
    void note(KnownObjects::Id id, const ObjectView& object);
    void mark_listed(KnownObjects::Id id);

    /// The list in progress.
    struct List {
        std::string version;
        std::string continue_token;
        std::size_t pages = 0;
        std::size_t bytes = 0;
        std::uint32_t number = 0;   ///< of all lists
        bool has_begun = false;     ///< the receiver was told
        /// Until the next one: the server's versions went back for good (restored from a backup).
        bool trusts_older = false;
    };
    /// The watch that is open.
    struct Watch {
        std::int64_t opened_ms = 0;
        bool had_event = false;
        bool is_replaying = false;  ///< it began at no version and still says what existed before
    };

    ReflectorOptions options_;
    ReflectorPauses pauses_;
    KnownObjects objects_;
    Burials burials_;
    std::string version_;              ///< of the list or the newest event: where the next watch begins
    List list_;
    bool wants_list_ = true;
    bool synced_ = false;
    std::int32_t older_lists_ = 0;     ///< in a row, refused
    std::int32_t watch_failures_ = 0;  ///< in a row, of those that may end in a list
    Watch watch_;
};

}  // namespace k8s::protocol
