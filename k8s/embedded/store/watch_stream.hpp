#pragma once
// The body of a watch answer: turns a store's cursor into the lines that go over the wire, in the
// form that the client asked for. It has no socket and no clock: the HTTP server asks for lines,
// sleeps until on_change, and says when a bookmark or the end is due.

#include "k8s/embedded/store/store.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace k8s::embedded {

/// How one object looks on the wire (a view of another API version, a table row, its bare
/// metadata).
using Render = std::function<std::string(const StoredPtr&)>;

struct WatchPlan {
    const Kind* kind = nullptr;
    Scope scope = {};
    Revision from = 0;
    std::vector<StoredPtr> initial = {};  ///< sent first as ADDED
    bool marks_initial_end = false;       ///< a bookmark with initial-events-end after them
    bool sends_bookmarks = false;
    std::int64_t timeout_s = 0;  ///< the stream ends after this time
    Render render = {};          ///< must be set
};

class WatchStream {
public:
    WatchStream(Store& store, WatchPlan plan);

    /// The next event as one JSON text without a newline; nothing until something changes.
    std::optional<std::string> next();
    /// The last line (an ERROR 410) has been delivered: close the stream.
    bool is_finished() const { return is_finished_; }
    /// A BOOKMARK line, or nothing when the client wants none.
    std::optional<std::string> bookmark() const;
    /// Wakes the one reader; see Watch::on_change.
    void on_change(std::function<void()> wake) { watch_->on_change(std::move(wake)); }
    std::int64_t timeout_s() const { return plan_.timeout_s; }

private:
    std::string bookmark_line(bool ends_initial) const;

    WatchPlan plan_;
    std::unique_ptr<Watch> watch_;
    std::deque<StoredPtr> initial_;
    bool owes_initial_end_ = false;
    bool is_finished_ = false;
};

}  // namespace k8s::embedded
