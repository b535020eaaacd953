#pragma once
// Persistent volume claims that our pods mount: read by name when a pod waits that needs one, read
// again until its volume is decided, forgotten with the last pod that names it. And who mounts
// which, for claims that only one pod may use. A driver that waits does so for the claims of its
// executors, too: those that its conf names, and the storage classes of those that will be made.
//
//   a pod waits that mounts it --> asked for --> found: its volume says which nodes will do
//                                      ^            '-- not bound, nothing decided: asked again
//                                      '--- missing, after a pause

#include "core/value/claim.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/volume/claim_holders.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

/// A claim that some pod waits for.
struct KnownClaim {
    /// Who makes pods and claims makes them one after the other. So many misses take a second.
    static constexpr int misses_max = 3;

    std::optional<core::Claim> claim;
    std::optional<ClaimMissing> missing;
    int misses = 0;                              ///< in a row
    std::set<std::string, std::less<>> waiting;  ///< uids
};

/// What a claim is known by; a storage class by that of no namespace.
inline std::string claim_name(const std::string& namespace_name, const std::string& name) {
    return namespace_name + "/" + name;
}
inline std::string claim_name(const core::Pod& driver, const ForeseenClaim& claim) {
    return claim_name(claim.is_class ? std::string() : driver.namespace_name, claim.name);
}

class Claims {
public:
    struct Key {
        std::string namespace_name;  ///< empty: `name` is that of a storage class
        std::string name;
    };
    enum class Mount : std::uint8_t { waits, holds, none };

    /// What the pod does with its claims now.
    void note(const core::Pod& pod, Mount mount, std::int64_t now_ms);
    void forget(std::string_view uid);
    /// What executors of this driver, which waits, will mount.
    void expect(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims, std::int64_t now_ms);
    void forget_executors(std::string_view driver_uid);
    /// Its claims are read once more: what was known of them has failed.
    void read_again(const core::Pod& pod, std::int64_t now_ms);

    // --- answers: whose waiting pods they are about ---
    std::vector<std::string> found(const ClaimFound& event, std::int64_t now_ms);
    std::vector<std::string> missing(const ClaimMissing& event, std::int64_t now_ms);

    // --- questions ---
    /// By its name (claim_name); nullptr: no pod waits for it.
    const KnownClaim* find(const std::string& claim) const;
    /// Pods that wait for claims of these storage classes that need storage, and drivers whose
    /// executors will have some.
    std::vector<std::string> waiting_for_storage(const std::set<std::string>& classes) const;
    /// Somebody waits for a claim that needs storage, or has done so.
    bool is_storage_wanted() const { return is_storage_wanted_; }
    /// Pods that wait for claims, and drivers whose executors will have some.
    std::vector<std::string> waiting_pods() const;
    bool is_waited_for() const { return !waiting_.empty(); }
    const ClaimHolders& holders() const { return holders_; }
    /// Pods that wait for a claim that this one, which holds it, keeps from them.
    std::vector<std::string> waiting_beside(std::string_view uid) const;
    /// Pods that have waited for a claim that only one may use, and that nobody uses any more.
    std::vector<std::string> take_freed() { return std::exchange(freed_, {}); }
    /// Whom to ask for now.
    std::vector<Key> due(std::int64_t now_ms);
    std::optional<std::int64_t> next_due_ms(std::int64_t now_ms) const {
        return asker_.next_due_ms(now_ms);
    }
    /// 0 when no pod mounts any.
    std::size_t remembered() const {
        return waiting_.size() + known_.size() + holders_.size() + asker_.remembered();
    }

private:
    void wait(const std::string& uid, const std::string& claim, std::int64_t now_ms);
    std::vector<std::string> waiting_for(const KnownClaim& known) const;
    void stop_waiting(std::string_view uid);
    void release(std::string_view uid);

    /// By namespace/name, as all claims here, or /name of a storage class.
    std::map<std::string, KnownClaim> known_;
    /// Claims, by uid; those of executors to come by their driver's uid and "/executors".
    std::map<std::string, std::vector<std::string>, std::less<>> waiting_;
    ClaimHolders holders_;
    ConfAsker asker_;
    std::vector<std::string> freed_;  ///< uids
    bool is_storage_wanted_ = false;
};

}  // namespace gang
