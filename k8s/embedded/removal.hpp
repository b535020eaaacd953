#pragma once
// Everything that makes objects go away: DELETE with its options, finalizers, garbage collection by
// owner, the end of a namespace. Rules as the real API server and its controllers have them; the
// controllers' part is queued and done by run().

#include "k8s/embedded/status.hpp"
#include "k8s/embedded/store.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace k8s::embedded {

/// metav1.DeleteOptions, from a body or a query.
struct DeleteOptions {
    std::optional<std::int64_t> grace_s = {};
    std::string uid = {};               ///< precondition; empty: none
    std::string resource_version = {};  ///< precondition; empty: none
    std::string propagation = {};       ///< "Background", "Foreground", "Orphan" or empty
    bool is_dry_run = false;
};

/// What a DELETE has done.
struct Removed {
    StoredPtr object;  ///< its last or its new state
    bool is_gone = false;
};

class Removal {
public:
    /// The store is not owned; `now_ms` is milliseconds since 1970.
    Removal(Store& store, std::function<std::int64_t()> now_ms);

    /// Deletes, or begins to: a bound pod waits for its kubelet, finalizers for their owners.
    Outcome<Removed> remove(const Kind& kind, const Key& key, const DeleteOptions& options);

    /// An object was created or changed: its owners may be gone, its last finalizer may be.
    /// Answers whether the object has gone with this.
    bool after_write(const Kind& kind, const Key& key);

    bool has_work() const { return !work_.empty(); }
    /// Does what the controllers would do, until nothing is left.
    void run();

private:
    Removed erase(const Kind& kind, const Key& key);
    Removed begin(const Kind& kind, const StoredPtr& object, const DeleteOptions& options);
    void collect_dependents(const std::string& uid);
    void collect(const Place& place);
    void finish_owner(const std::string& uid);
    void empty_namespace(const std::string& name);

    Store& store_;
    std::function<std::int64_t()> now_ms_;
    std::deque<std::function<void()>> work_;
};

}  // namespace k8s::embedded
