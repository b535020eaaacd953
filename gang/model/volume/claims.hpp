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
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/decision.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/volume/claim_holders.hpp"
#include "gang/model/volume/storage_room.hpp"

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

class Claims {
public:
    struct Key {
        std::string namespace_name;  ///< empty: `name` is that of a storage class
        std::string name;
    };
    /// Why a pod cannot be placed yet, whatever room there is.
    struct Obstacle {
        ReasonCode code = ReasonCode::none;
        std::string text;  ///< empty: nothing that is worth saying yet
    };
    enum class Mount : std::uint8_t { waits, holds, none };

    /// `storage` outlives it.
    explicit Claims(const StorageRoom& storage) : storage_(storage) {}

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
    /// Nothing: as far as its claims go, it can be placed.
    std::optional<Obstacle> find_obstacle(const core::Pod& pod) const;
    /// What its claims ask of a node, as far as they are known.
    std::vector<core::VolumeNodes> nodes_of(const core::Pod& pod) const;
    /// The same of executors to come.
    std::optional<Obstacle> find_obstacle(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;
    std::vector<core::VolumeNodes> nodes_of(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;
    /// The volumes that drivers attach for it, as far as its claims are known.
    std::vector<core::DriverVolume> volumes_of(const core::Pod& pod) const;
    std::vector<core::DriverVolume> volumes_of(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;
    /// What its claims without a volume get on this node: a volume that is there, the smallest one
    /// for the smallest claim first, or one that is made.
    struct Choice {
        std::vector<std::string> made;
        std::vector<ClaimedVolume> there;  ///< with no volume: none is left for the claim
    };
    Choice choose_volumes(const core::Pod& pod, const core::Node& node) const;
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
    /// Who makes pods and claims makes them one after the other. So many misses take a second.
    static constexpr int misses_max = 3;

    /// A claim that some pod waits for.
    struct Known {
        std::optional<core::Claim> claim;
        std::optional<ClaimMissing> missing;
        int misses = 0;                              ///< in a row
        std::set<std::string, std::less<>> waiting;  ///< uids

        void add_volumes(std::vector<core::DriverVolume>& to) const;
    };

    void wait(const std::string& uid, const std::string& claim, std::int64_t now_ms);
    std::vector<std::string> waiting_for(const Known& known) const;
    static std::string name_of(const std::string& namespace_name, const std::string& name);
    static std::string name_of(const core::Pod& driver, const ForeseenClaim& claim);
    static Obstacle why_missing(
        const Known& known, const std::string& what, std::string absent = {});
    void stop_waiting(std::string_view uid);
    void release(std::string_view uid);
    const Known* find(const std::string& claim) const;
    bool awaits_storage(const core::Claim& claim) const;
    std::optional<Obstacle> find_obstacle(const core::Pod& pod, const core::ClaimUse& use) const;

    const StorageRoom& storage_;
    /// By namespace/name, as all claims here, or /name of a storage class.
    std::map<std::string, Known> known_;
    /// Claims, by uid; those of executors to come by their driver's uid and "/executors".
    std::map<std::string, std::vector<std::string>, std::less<>> waiting_;
    ClaimHolders holders_;
    ConfAsker asker_;
    std::vector<std::string> freed_;  ///< uids
    bool is_storage_wanted_ = false;
};

}  // namespace gang
