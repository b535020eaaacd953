#pragma once
// The verbs of the REST API on objects: what each does with a Call and how it answers. Reading,
// writing and the pods' own verbs are in three files.

#include "k8s/embedded/api/call.hpp"
#include "k8s/embedded/api/removal.hpp"
#include "k8s/embedded/api/representation.hpp"
#include "k8s/embedded/api/writes.hpp"

#include <cstdint>
#include <functional>

namespace k8s::embedded {

class Verbs {
public:
    /// None of the references is owned.
    Verbs(Store& store, Writes& writes, Removal& removal, std::function<std::int64_t()> now_ms);

    /// Picks the verb; a method that the path does not know is a 405.
    Outcome<Response> run(const Call& call);

private:
    // verbs_read.cpp
    Outcome<Response> get(const Call& call);
    Outcome<Response> list(const Call& call);
    Outcome<Response> watch(const Call& call);
    Outcome<Scope> read_scope(const Call& call) const;
    Outcome<PageRequest> read_page(const Call& call) const;
    // verbs_write.cpp
    Outcome<Response> create(const Call& call);
    Outcome<Response> update(const Call& call);
    Outcome<Response> patch(const Call& call);
    Outcome<Response> apply(const Call& call, const StoredPtr& stored, const WriteOptions& options);
    Outcome<Response> remove(const Call& call);
    Outcome<Response> remove_collection(const Call& call);
    Outcome<WriteOptions> write_options(const Call& call) const;
    Outcome<Response> answer(const Call& call, int code, const StoredPtr& object) const;
    // verbs_pod.cpp
    std::optional<Failure> check_target(const Call& call, const Json& body) const;
    Outcome<Response> bind(const Call& call);
    Outcome<Response> evict(const Call& call);
    Outcome<Response> log(const Call& call);
    Outcome<Response> review(const Call& call);

    Store& store_;
    Writes& writes_;
    Removal& removal_;
    std::function<std::int64_t()> now_ms_;
};

/// metav1.DeleteOptions as JSON -> what removal understands; see check_delete_options().
Outcome<DeleteOptions> to_delete_options(const Json& options);

}  // namespace k8s::embedded
