#pragma once
// The objects in memory: one revision counter over all kinds, objects in order of their keys, and a
// bounded history per kind from which watches and old pages of lists are served.
//
//   put/erase --> current map (newest state)
//            \--> history (at most Limits::history_max changes a kind) --> Watch: a cursor, no
//            buffer
//
// A watch holds no events, only the revision it has read up to. So a slow reader costs nothing, and
// one that falls behind the history is told so (Watch::Outcome::expired), as etcd's compaction
// does. The store knows names, revisions and owners; it knows no rules of any kind.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace k8s::embedded {

using Revision = std::int64_t;

/// One state of one object, never changed after it was stored. Its JSON text is made once, on
/// demand, and shared by all who read or watch it.
class Stored {
public:
    explicit Stored(Json object) : json(std::move(object)) {}
    const Json json;
    const std::string& text() const;

private:
    mutable std::string text_;
};
using StoredPtr = std::shared_ptr<const Stored>;

struct Key {
    std::string space;  ///< namespace; empty for cluster-scoped objects
    std::string name;
    friend auto operator<=>(const Key&, const Key&) = default;
};

/// Where an object lives, whatever its kind.
struct Place {
    const Kind* kind = nullptr;  ///< the stored view
    Key key;
    friend bool operator==(const Place&, const Place&) = default;
    friend bool operator<(const Place& left, const Place& right) {
        return left.kind != right.kind ? left.kind < right.kind : left.key < right.key;
    }
};

/// One committed change. `before` is empty for a creation, `after` for nothing: a deletion keeps
/// the last state, stamped with the revision of the deletion.
struct Change {
    Revision revision = 0;
    bool is_deletion = false;
    Key key;
    StoredPtr before;
    StoredPtr after;
    bool is_lost = false;  ///< a fault: no watch is told of it
};

/// Which objects of a kind are asked for.
struct Scope {
    std::string space;                              ///< empty: all namespaces
    std::function<bool(const Json&)> matches = {};  ///< empty: all objects
};

struct Limits {
    std::size_t history_max = 4000;  ///< changes kept per kind; older ones are compacted
    /// Revisions are counted from here. A server that comes back empty at the same address must
    /// begin above all it gave before: to a watch from before it can then say "expired", and does
    /// not serve it changes of another world.
    Revision first_revision = 0;
};

class Store;

/// A cursor over the changes of one kind. Destroy it to end the watch; must not outlive the store.
class Watch {
public:
    enum class Type { added, modified, deleted };
    struct Event {
        Type type = Type::added;
        StoredPtr object;
    };

    Watch(Store& store, const Kind& kind, Scope scope, Revision from);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// The next event in the watcher's view: an object that begins or ceases to match arrives as
    /// added or deleted. Nothing when all is read, or when the cursor has expired.
    std::optional<Event> next();
    /// The history no longer reaches back to the cursor; the watcher must list again.
    bool is_expired() const;
    /// Oldest revision from which this kind can still be watched.
    Revision compacted() const;
    /// Everything up to here has been delivered.
    Revision position() const { return position_; }
    /// Called after each change of the kind, in the middle of a write: it may only wake the reader
    /// (post to the loop), never call the store.
    void on_change(std::function<void()> wake) { wake_ = std::move(wake); }

private:
    friend class Store;
    Store& store_;
    const Kind& kind_;
    Scope scope_;
    Revision position_;
    std::function<void()> wake_;
};

/// One page of a list.
struct Page {
    Revision revision = 0;  ///< of the whole list, the same on each of its pages
    std::vector<StoredPtr> objects;
    std::optional<Key> next;    ///< there is more: the last key of this page
    std::size_t remaining = 0;  ///< objects after this page; counted only without a filter
};

struct PageRequest {
    Scope scope;
    std::size_t limit = 0;          ///< 0: no limit
    Revision at = 0;                ///< 0: now
    std::optional<Key> after = {};  ///< the page begins behind this key
};

class Store {
public:
    explicit Store(Limits limits = {});

    /// Revision of the last write of any kind.
    Revision revision() const { return revision_; }

    StoredPtr find(const Kind& kind, const Key& key) const;
    /// The object with this uid, wherever it is.
    std::optional<Place> find_uid(const std::string& uid) const;
    /// Objects that name this uid as an owner.
    std::vector<Place> dependents(const std::string& uid) const;
    /// Everything in a namespace, in order of kind and name.
    std::vector<Place> contents(const std::string& space) const;

    /// Nothing when the history no longer reaches back to `request.at`.
    std::optional<Page> list(const Kind& kind, const PageRequest& request) const;

    /// Creates or replaces; the caller has checked versions. Stamps metadata.resourceVersion.
    StoredPtr put(const Kind& kind, const Key& key, Json object);
    /// Removes; answers the last state stamped with the revision of the removal, or nothing when
    /// there was no such object.
    StoredPtr erase(const Kind& kind, const Key& key);
    /// Called after each removal with the last state; it may queue work, never call the store. One
    /// listener (the garbage collector); the empty function takes it away.
    void on_erased(std::function<void(const Place&, const StoredPtr&)> listener);

    /// Changes after `from`; at a revision that is no longer reachable the watch begins expired.
    std::unique_ptr<Watch> watch(const Kind& kind, Scope scope, Revision from);
    /// Oldest revision from which this kind can still be watched.
    Revision compacted(const Kind& kind) const;

    /// A fault for tests: the next change of this kind is stored and listed, and no watch is ever
    /// told of it.
    void lose_next_change(const Kind& kind) { ++table(kind).to_lose; }

private:
    friend class Watch;
    struct Table {
        const Kind* kind = nullptr;
        std::map<Key, StoredPtr> objects;
        std::deque<Change> history;
        Revision compacted = 0;
        std::size_t to_lose = 0;
        std::set<Watch*> watches;
    };

    Table& table(const Kind& kind);
    const Table& table(const Kind& kind) const;
    void record(Table& table, Change change);
    void index(const Place& place, const Json* before, const Json* after);
    std::map<Key, StoredPtr> state_at(const Table& table, Revision revision) const;

    Limits limits_;
    std::function<void(const Place&, const StoredPtr&)> on_erased_;
    Revision revision_ = 0;
    std::map<const Kind*, Table> tables_;  ///< by stored view
    std::map<std::string, Place> by_uid_;
    std::map<std::string, std::set<Place>> by_owner_;
};

}  // namespace k8s::embedded
