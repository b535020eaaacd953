#pragma once
// Jobs whose pods are a pod group: they have no driver, and a minimum of them starts together. Their
// controllers make pods at once or one by one, replace what was lost, and end; their tenants change
// and delete the groups' objects, and what is written on pods. Here are the objects, too.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang::sim {

struct World;
struct Call;
using GroupId = std::uint32_t;

/// Pods of a job that are alike.
struct GroupRole {
    std::string name;
    std::int64_t pods = 0;     ///< that its controller keeps there
    std::int64_t minimum = 0;  ///< of Volcano's minTaskMember; 0: none
    core::Resources requests;
    std::vector<PodId> there;  ///< that have not ended
};

struct GroupJob {
    enum class Phase : std::uint8_t { works, finishes, ended };
    Phase phase = Phase::works;
    core::GroupDialect dialect = core::GroupDialect::coscheduling;
    std::string tenant;
    std::string name;
    std::int32_t priority = 0;
    std::vector<GroupRole> roles;
    core::PodGroup object;          ///< what it asks
    std::int64_t least_minimum = 0;  ///< that it ever asked
    bool has_object = false;
    std::uint32_t object_life = 0;  ///< its uid: another one each time that it is made
    core::PodGroupStatus status;
    std::int64_t status_writes = 0;
    bool status_is_others = false;  ///< a controller of its own writes it
    bool comes_one_by_one = false;
    bool acts = false;
    std::int64_t work = 0;  ///< pod-seconds that are left
    std::int64_t ended_ms = 0;
    std::int64_t changed_ms = 0;  ///< when a pod or its object did last
    bool was_tampered = false;

    std::int64_t pods() const {
        std::int64_t sum = 0;
        for (const GroupRole& role : roles) sum += role.pods;
        return sum;
    }
    std::string object_uid() const { return name + "-" + std::to_string(object_life); }
};

class GroupJobs {
public:
    explicit GroupJobs(World& world) : world_(world) {}

    /// Of all its pods together, at most.
    static std::int64_t largest_cpu_milli(std::int64_t gang_max);

    void begin();
    void submit();
    void act(GroupId id);
    void make_object(GroupId id);
    void mishap();
    void pod_changed(const Entry<core::Pod>& entry);
    void calm_down();

    /// The job of a pod; nobody: of none.
    GroupId find(PodId pod) const { return pod < of_pod_.size() ? of_pod_[pod] : nobody; }
    const std::vector<GroupJob>& all() const { return all_; }
    const GroupJob& at(GroupId id) const { return all_[id]; }
    const std::vector<PodId>& pods_of(GroupId id) const { return pods_[id]; }
    bool all_ended() const;

    // --- the API server's part ---
    void read_object(Call& call) const;
    void write_status(Call& call);

private:
    enum class Mishap : std::uint8_t {
        pod_fails,
        pod_deleted,
        object_deleted,
        minimum_changed,
        status_taken,
        text_edited,
        last
    };
    bool happen(Mishap what, GroupId id);
    bool edit_text(GroupId id);
    bool fits_empty_cluster(const GroupJob& job) const;
    void create_pods(GroupId id);
    /// False: a quota refuses it.
    bool create_pod(GroupId id, std::size_t role);
    void finish(GroupId id);
    void plan_act(GroupId id, std::int64_t after_ms);
    GroupJob* find_object(const Call& call);
    GroupId any_live();

    World& world_;
    std::vector<GroupJob> all_;
    std::vector<std::vector<PodId>> pods_;  ///< of each, all there ever were
    std::vector<GroupId> of_pod_;
    std::uint32_t pods_made_ = 0;
};

std::string_view to_string(core::GroupDialect dialect);

}  // namespace gang::sim
