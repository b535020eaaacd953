#pragma once
// Everything that makes objects go away: DELETE with its options, finalizers, garbage collection by
// owner, the end of a namespace. Rules as the real API server and its controllers have them; the
// controllers' part is queued and done by run().
//
//   present --DELETE--> gone                     (nothing to wait for)
//           \--DELETE--> deletionTimestamp set --grace 0 (kubelet), last finalizer removed--> gone

#include "k8s/embedded/store/status.hpp"
#include "k8s/embedded/store/store.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
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
    /// The store is not owned. `now_ms` is milliseconds since 1970; `on_work` is called when work
    /// for run() has been queued.
    Removal(Store& store, std::function<std::int64_t()> now_ms, std::function<void()> on_work);
    ~Removal();
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;

    /// Deletes, or begins to: a bound pod waits for its kubelet, an object with finalizers for
    /// whoever removes them.
    Outcome<Removed> remove(const Kind& kind, const Key& key, const DeleteOptions& options);

    /// After a create: an object whose owners are all gone will be collected.
    void after_create(const Kind& kind, const StoredPtr& object);
    /// After an update: an object that only waited for its finalizers goes now. The object's last
    /// state.
    StoredPtr after_update(const Kind& kind, const StoredPtr& object);

    /// Does what the controllers would do, until nothing is left.
    void run();

private:
    void queue(std::function<void()> work);
    void erased(const Place& place, const StoredPtr& object);
    Removed remove_present(const Kind& kind, const StoredPtr& object, const DeleteOptions& options);
    Removed end(const Kind& kind, const Key& key);
    void set_deletion(Json& json, std::int64_t grace_s) const;
    Removed mark(const Kind& kind, const StoredPtr& object, std::int64_t grace_s);
    void collect_dependents(const std::string& uid);
    void collect(const Place& place);
    void orphan_dependents(const std::string& uid);
    void finish_owner(const std::string& uid);
    void empty_namespace(const std::string& name);

    Store& store_;
    std::function<std::int64_t()> now_ms_;
    std::function<void()> on_work_;
    std::deque<std::function<void()>> work_;
};

}  // namespace k8s::embedded
