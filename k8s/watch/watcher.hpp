#pragma once
// Keeps one kind (all pods of the cluster, or all nodes) in view: lists it page by page, watches
// it, lists again when the watch cannot go on. One connection of its own. The rules are in
// protocol/reflector.hpp; here are only sockets and codecs.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/base/watch_kind.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace k8s {

/// A full list begins; until RelistEnded comes what it holds, then deletes of what it does not
/// hold.
struct RelistBegun {};
struct RelistEnded {};
struct PodUpserted {
    core::Pod pod;
};
struct PodDeleted {
    std::string uid;
};
struct NodeUpserted {
    core::Node node;
};
struct NodeDeleted {
    std::string name;
};

using WatchEvent =
    std::variant<RelistBegun, RelistEnded, PodUpserted, PodDeleted, NodeUpserted, NodeDeleted>;

/// Whether the receiver uses an object's resourceVersion, as a precondition of a write.
enum class VersionUse : std::uint8_t {
    never,    ///< a state that differs in nothing else need not be told
    now,      ///< in this state
    for_good  ///< in this and in all later ones
};

using VersionUseRule = std::function<VersionUse(const std::variant<core::Pod, core::Node>&)>;

struct WatcherOptions {
    WatchKind kind = WatchKind::pods;
    bool keeps_images = false;  ///< of containers, and those that nodes have
    /// Asked of each object that is told. A watch event that says nothing new of one whose version
    /// is never used (a kubelet's heartbeat, a condition that nobody reads) is counted and dropped.
    /// What a list holds is always told. Without this function nothing is dropped.
    VersionUseRule version_use;
    /// Called on the loop's thread, never from inside start(), pause() or resume(), never after
    /// stop().
    std::function<void(WatchEvent)> sink;
    NoticeSink notice;
    std::int64_t page_size = 500;  ///< objects at most, see page_size.hpp
    std::int64_t watch_timeout_ms_min = 300'000;  ///< the server ends a watch after min..2*min
    /// A watch without a byte for so long is opened anew: behind a proxy or on a server that hangs
    /// the kernel sees nothing. A quiet cluster pays one request a time for it.
    std::int64_t silence_ms = 45'000;
    std::int64_t backoff_ms_min = 800;
    std::int64_t backoff_ms_max = 15'000;  ///< before jitter, which at most doubles it
};

struct WatcherStats {
    std::uint64_t lists = 0;     ///< lists begun
    std::uint64_t watches = 0;   ///< watches opened
    std::uint64_t events = 0;    ///< watch events other than bookmarks
    std::uint64_t repeats = 0;   ///< of them those that said nothing new and were dropped
    std::uint64_t silences = 0;  ///< watches opened anew because nothing came
    std::uint64_t failures = 0;
    std::int64_t interrupted_ms = 0;  ///< monotonic: since when no watch is open; 0: one is
    std::int64_t heard_ms = 0;        ///< monotonic: when the server last sent anything; 0: never
    bool synced =
        false;  ///< a list is complete, no new one is needed, and nobody denies us the kind
    std::string last_problem;  ///< empty while all is well
};

class Watcher {
public:
    Watcher(
        boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WatcherOptions options);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    void start();
    /// Ends at once: no sink call comes afterwards. The last handlers end within the loop's next
    /// turns.
    void stop();

    /// Stop and go on reading from the socket: for a receiver whose inbox is full. Up to one read's
    /// or one page's events still arrive after pause().
    void pause();
    void resume();

    /// Lists once more: RelistBegun and RelistEnded come, and what they enclose is not older than
    /// this call. A watch that is running ends, and begins again after the list.
    void list_again();

    WatcherStats stats() const;

    /// Bytes of all annotations of a pod (keys and values). Kept only for pods with more than
    /// `annotation_bytes_kept`; for every other pod this upper bound is the answer.
    std::size_t annotation_bytes(const std::string& pod_uid) const;
    static constexpr std::size_t annotation_bytes_kept = 32 * 1024;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
