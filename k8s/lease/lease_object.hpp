#pragma once
// LeaseObject: the one Lease that an elector is about, as requests: where it is, what was last read
// of it, and what we write there. No sockets.

#include "k8s/base/http.hpp"
#include "k8s/codec/codec_lease.hpp"
#include "k8s/lease/elector.hpp"

#include <cstdint>
#include <string>

namespace k8s {

class LeaseObject {
public:
    /// `options` must outlive this.
    explicit LeaseObject(const ElectorOptions& options) : options_(options) {}

    Request get() const;
    /// Creates or renews it, as `action` says.
    Request write(const protocol::LeaseAction& action, const protocol::Election& election) const;
    /// Gives it up.
    Request release(
        const protocol::UpdateLease& update,
        const protocol::Election& election,
        bool is_settled) const;
    /// A watch from this version on, for so long and up to twice as long, as `random` has it. It
    /// needs no right to list, since it names one object.
    Request watch(const std::string& version, std::uint32_t random) const;

    /// What stands there now; fields of it that are not ours are kept by what we write.
    void note_json(std::string json) { json_ = std::move(json); }
    void note_api(const std::string& api) { api_ = api; }
    /// Where its holder's API is, as it said when it was last read.
    const std::string& api() const { return api_; }

private:
    std::string collection() const;
    std::string path() const;
    LeaseWrite write_of(
        const protocol::UpdateLease& update, const protocol::Election& election) const;
    std::string body(const LeaseWrite& write) const;

    const ElectorOptions& options_;
    std::string json_;
    std::string api_;
};

}  // namespace k8s
