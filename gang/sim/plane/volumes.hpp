#pragma once
// Persistent volume claims of pods, the volumes behind them, and how many volumes nodes can attach.
// One driver attaches all. Claims of tenants that are there from the start: some that pods share,
// some for one pod at a time; each can be used on some nodes. And claims of one pod, whose volume is
// made when a node was written to them: after a while, or not there.
//
// Limits only grow: what was decided before is within them.

#include "core/value/claim.hpp"
#include "core/value/pod.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gang::sim {

struct World;
struct Call;

inline const std::string volume_driver = "d.example.com";
inline const std::string volume_class = "made";

class Volumes {
public:
    explicit Volumes(World& world) : world_(world) {}

    void begin();
    /// Some pods outside gangs mount claims, which are made with them.
    void give_claims(core::Pod& pod);
    /// The claim that Spark makes for an executor.
    void add_own(const std::string& claim, const std::string& owner_uid);
    /// A node can attach one more.
    void mishap();
    /// The volume of a claim with a node is made, or it cannot be.
    void make(std::uint32_t number);

    // --- the API server's part: the claim is named as a pod is ---
    void read(Call& call) const;
    /// A claim with no node gets this one.
    void select_node(Call& call);
    std::vector<core::NodeVolumeLimits> limits() const;
    core::NodeVolumeLimits limits_of(NodeId node) const;

    /// How many a node can attach; -1: as many as it likes.
    std::int64_t limit(NodeId node) const;
    /// The least that it ever could.
    std::int64_t first_limit(NodeId node) const;

    struct Record {
        core::Claim claim;
        std::set<NodeId> nodes;  ///< on which its volume can be used; none: all
    };
    /// By namespace/name; nullptr: there is none.
    const Record* find(const std::string& claim) const;

private:
    void add_bound(const std::string& claim, bool one_pod);
    void pin(Record& record, std::set<NodeId> nodes);

    World& world_;
    std::map<std::string, Record> claims_;
    std::vector<std::string> waiting_;  ///< claims whose volume is being made, by number
    std::map<NodeId, std::int64_t> limits_;
    std::map<NodeId, std::int64_t> first_limits_;
    std::uint32_t made_ = 0;
};

}  // namespace gang::sim
