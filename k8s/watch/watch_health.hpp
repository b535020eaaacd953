#pragma once
// WatchHealth: how a watcher fares: what went wrong, when the server was last heard, whether it
// lets us see the kind at all. Told to the log and kept for the metrics.

#include "k8s/protocol/reflector.hpp"
#include "k8s/watch/watcher.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace k8s {

/// "pods" or "nodes".
const char* name_of(WatchKind kind);

class WatchHealth {
public:
    /// `options` must outlive this.
    explicit WatchHealth(const WatcherOptions& options) : options_(options) {}

    void problem(const std::string& text);
    /// The server has refused a list or a watch (`what`).
    void refused(const char* what, const protocol::Trouble& trouble);

    void heard(std::int64_t now_ms) { stats_.heard_ms = now_ms; }
    /// A watch was silent for too long.
    void silent() { ++stats_.silences; }
    /// A page of a list could be read.
    void page_came() { is_denied_ = false; }
    void list_complete(std::size_t objects, std::int64_t now_ms);
    void watch_opened(std::int64_t now_ms);
    void watch_ended(std::int64_t now_ms) { stats_.interrupted_ms = now_ms; }

    /// The server's last word was that we may not, or that there is no such kind: a state to be
    /// told, not a crash. The view grows old until somebody changes the server.
    bool is_denied() const { return is_denied_; }
    const WatcherStats& stats() const { return stats_; }

private:
    void notice(NoticeLevel level, const std::string& text) const;

    const WatcherOptions& options_;
    WatcherStats stats_;
    bool is_denied_ = false;
};

}  // namespace k8s
