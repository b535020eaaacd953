#pragma once
// Creating and changing objects: names, uids, versions, admission, the books of field owners, and
// what an update may not touch. Every write of a client ends here, whatever its verb was.

#include "k8s/embedded/admission/defaults.hpp"
#include "k8s/embedded/api/removal.hpp"
#include "k8s/embedded/patch/apply_patch.hpp"
#include "k8s/embedded/store/store.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace k8s::embedded {

struct WriteOptions {
    FieldWriter writer;
    bool is_dry_run = false;
    bool is_status = false;  ///< only the status subresource changes
};

class Writes {
public:
    /// Neither is owned.
    Writes(Store& store, Removal& removal, std::function<std::int64_t()> now_ms);

    /// `object` is in the view of `kind`, its namespace is `space`.
    Outcome<StoredPtr> create(
        const Kind& kind, const std::string& space, Json object, const WriteOptions& options);

    /// Replaces `stored` by `object` (in the view of `kind`), as far as an update may. A write that
    /// changes nothing answers `stored` and moves no revision.
    Outcome<StoredPtr> update(
        const Kind& kind, const StoredPtr& stored, Json object, const WriteOptions& options);

    /// A bare change by the server itself: binding.
    StoredPtr put(const Kind& kind, Json object);

private:
    std::optional<Failure> check_space(
        const Kind& kind, const std::string& space, const Json& object);
    Outcome<std::string> take_name(const Kind& kind, const Json& object);
    Json stamp_new(const Kind& kind, const Key& key, Json object);
    void add_service_account(const std::string& space);
    Surroundings surroundings();
    std::string make_uid();

    Store& store_;
    Removal& removal_;
    std::function<std::int64_t()> now_ms_;
    std::mt19937_64 random_;
    std::uint64_t next_number_ = 0;
};

}  // namespace k8s::embedded
