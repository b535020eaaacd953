#include "gang/sim/plane/group_jobs.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/format/seal.hpp"
#include "gang/sim/base/call.hpp"
#include "gang/sim/plane/submissions.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t mebi = 1024 * 1024;
constexpr std::int64_t roles_max = 3;
constexpr std::int64_t cpu_steps_max = 4;
constexpr std::int64_t cpu_step_milli = 500;
const Author job_controller{Actor::controller, nobody, 0, 0, 0, 0};
const Author job_tenant{Actor::tenant, nobody, 0, 0, 0, 0};

/// Of one role.
std::int64_t pods_max(std::int64_t gang_max) {
    return std::max<std::int64_t>(2, gang_max);
}

}  // namespace

std::string_view to_string(core::GroupDialect dialect) {
    switch (dialect) {
        case core::GroupDialect::kubernetes:
            return "kubernetes";
        case core::GroupDialect::coscheduling:
            return "coscheduling";
        case core::GroupDialect::volcano:
            return "volcano";
        case core::GroupDialect::labels:
            break;
    }
    return "labels";
}

void GroupJobs::begin() {
    if (world_.plan.group_mishap_ms > 0) {
        world_.queue.plan(
            world_.random.between(1, 2 * world_.plan.group_mishap_ms), Happening::group_mishap);
    }
}

std::int64_t GroupJobs::largest_cpu_milli(std::int64_t gang_max) {
    return roles_max * pods_max(gang_max) * cpu_steps_max * cpu_step_milli;
}

void GroupJobs::submit() {
    Random& random = world_.random;
    const auto id = static_cast<GroupId>(all_.size());
    GroupJob made;
    made.tenant = "t" + std::to_string(random.between(1, world_.plan.tenants));
    made.name = "g" + std::to_string(id);
    made.dialect = static_cast<core::GroupDialect>(
        random.between(0, static_cast<std::int64_t>(core::last_group_dialect)));
    made.priority = draw_priority(world_.plan, world_.random);
    made.comes_one_by_one = random.percent(30);
    const bool is_volcano = made.dialect == core::GroupDialect::volcano;
    const std::int64_t roles = random.percent(50) ? 1 : random.between(2, roles_max);
    std::int64_t minimum = 0;
    for (std::int64_t i = 0; i < roles; ++i) {
        GroupRole role;
        role.name = "role" + std::to_string(i);
        role.pods = random.between(1, pods_max(world_.plan.gang_max));
        role.requests = {
            cpu_step_milli * random.between(1, cpu_steps_max),
            256 * mebi * random.between(1, 6),
            0,
            {}};
        const std::int64_t wanted = random.percent(60) ? role.pods : random.between(0, role.pods);
        role.minimum = is_volcano && random.percent(50) ? wanted : 0;
        minimum += wanted;
        made.roles.push_back(std::move(role));
    }
    while (!fits_empty_cluster(made)) {
        GroupRole& largest = *std::max_element(
            made.roles.begin(), made.roles.end(), [](const GroupRole& a, const GroupRole& b) {
                return a.pods < b.pods;
            });
        if (largest.pods == 1) {
            return;  // this cluster is too small for it
        }
        --largest.pods;
        largest.minimum = std::min(largest.minimum, largest.pods);
    }
    made.object.min_members = std::clamp<std::int64_t>(minimum, 1, made.pods());
    for (const GroupRole& role : made.roles) {
        if (role.minimum > 0) {
            made.object.roles.push_back({role.name, role.minimum});
        }
    }
    std::int64_t of_roles = 0;
    for (const core::RoleMinimum& role : made.object.roles) {
        of_roles += role.count;
    }
    made.object.min_members = std::max(made.object.min_members, of_roles);
    made.least_minimum = made.object.min_members;
    made.work = random.between(1, world_.plan.work_s_max) * made.pods();
    world_.record.say([&made] {
        std::string text = std::string(to_string(made.dialect)) + " group " + made.tenant + "/" +
                           made.name + ", " + std::to_string(made.object.min_members) + " of";
        for (const GroupRole& role : made.roles) {
            text += " " + role.name + ": " + std::to_string(role.pods) + " of " +
                    core::describe(role.requests) + ", at least " + std::to_string(role.minimum) +
                    ";";
        }
        return text;
    });
    all_.push_back(std::move(made));
    pods_.emplace_back();
    if (all_.back().dialect != core::GroupDialect::labels) {
        const std::int64_t after_ms =
            random.percent(70) ? random.between(1, 300) : random.long_tail(1'000, 40'000);
        world_.queue.plan(world_.now_ms + after_ms, Happening::group_object_made, id);
    }
    plan_act(id, random.between(1, 1'000));
}

/// As if all its pods were as large as the largest of each resource: what fits so fits anyhow.
bool GroupJobs::fits_empty_cluster(const GroupJob& job) const {
    core::Resources each;
    for (const GroupRole& role : job.roles) {
        each.cpu_milli = std::max(each.cpu_milli, role.requests.cpu_milli);
        each.memory_bytes = std::max(each.memory_bytes, role.requests.memory_bytes);
    }
    std::int64_t room = 0;
    for (NodeId id = 0; id < static_cast<NodeId>(world_.plan.nodes); ++id) {
        const core::Node node = world_.writes.original_nodes()[id];
        room += std::min(
            {node.allocatable.cpu_milli / each.cpu_milli,
             node.allocatable.memory_bytes / each.memory_bytes,
             node.pods});
    }
    return job.pods() <= room;
}

void GroupJobs::make_object(GroupId id) {
    GroupJob& job = all_[id];
    if (job.phase == GroupJob::Phase::ended || job.has_object) {
        return;
    }
    job.has_object = true;
    ++job.object_life;
    job.status = {};
    job.status_is_others = false;
    job.changed_ms = world_.now_ms;
    world_.record.say([&] { return "group object " + job.object_uid(); });
}

void GroupJobs::plan_act(GroupId id, std::int64_t after_ms) {
    if (!std::exchange(all_[id].acts, true)) {
        world_.queue.plan(world_.now_ms + after_ms, Happening::group_acts, id);
    }
}

bool GroupJobs::create_pod(GroupId id, std::size_t index) {
    GroupJob& job = all_[id];
    core::Pod pod;
    pod.namespace_name = job.tenant;
    pod.name = "m" + std::to_string(++pods_made_);
    pod.scheduler_name = "gang-scheduler";
    pod.created = (unix_begin_ms + world_.now_ms) / 1'000;
    pod.priority = job.priority;
    pod.requests = job.roles[index].requests;
    pod.owners = {{"Job", job.name, "j" + std::to_string(id), true}};
    switch (job.dialect) {
        case core::GroupDialect::kubernetes:
            pod.pod_group = job.name;
            break;
        case core::GroupDialect::coscheduling:
            pod.labels = {{"scheduling.x-k8s.io/pod-group", job.name}};
            break;
        case core::GroupDialect::volcano:
            pod.annotations = {
                {"scheduling.k8s.io/group-name", job.name},
                {"volcano.sh/task-spec", job.roles[index].name}};
            break;
        case core::GroupDialect::labels:
            pod.annotations = {
                {"gang-scheduler/min-members", std::to_string(job.object.min_members)},
                {"gang-scheduler/pod-group", job.name}};
            break;
    }
    if (!world_.cluster.namespace_quotas.admits(pod)) {
        return false;
    }
    const PodId made = world_.writes.create_pod(std::move(pod), job_controller);
    if (made >= of_pod_.size()) {
        of_pod_.resize(made + 1, nobody);
    }
    of_pod_[made] = id;
    pods_[id].push_back(made);
    all_[id].roles[index].there.push_back(made);
    return true;
}

void GroupJobs::create_pods(GroupId id) {
    for (std::size_t i = 0; i < all_[id].roles.size(); ++i) {
        while (static_cast<std::int64_t>(all_[id].roles[i].there.size()) < all_[id].roles[i].pods) {
            if (!create_pod(id, i) || all_[id].comes_one_by_one) {
                return;
            }
        }
    }
}

void GroupJobs::act(GroupId id) {
    all_[id].acts = false;
    if (all_[id].phase == GroupJob::Phase::ended) {
        return;
    }
    if (all_[id].phase == GroupJob::Phase::finishes) {
        return finish(id);
    }
    create_pods(id);
    std::int64_t running = 0;
    for (const GroupRole& role : all_[id].roles) {
        running += std::count_if(role.there.begin(), role.there.end(), [this](PodId pod) {
            return world_.store.find_pod(pod)->phase == core::PodPhase::running;
        });
    }
    all_[id].work -= running;
    if (all_[id].work <= 0) {
        all_[id].phase = GroupJob::Phase::finishes;
    }
    plan_act(id, world_.random.between(500, 1'500));
}

/// One after the other has done its work, in any order; who has not begun is not needed any more.
/// What has ended is removed later, all together.
void GroupJobs::finish(GroupId id) {
    bool is_over = true;
    for (std::size_t i = 0; i < all_[id].roles.size(); ++i) {
        const std::vector<PodId> there = all_[id].roles[i].there;
        for (const PodId pod : there) {
            is_over = false;
            const core::Pod& now = *world_.store.find_pod(pod);
            if (now.phase == core::PodPhase::running && world_.random.percent(40)) {
                world_.writes.change_pod(pod, {Actor::kubelet}, [](core::Pod& done) {
                    done.phase = core::PodPhase::succeeded;
                });
            } else if (now.phase != core::PodPhase::running && world_.random.percent(30)) {
                world_.writes.delete_pod(pod, job_controller, world_.random.between(20, 3'000));
            }
        }
    }
    if (!is_over) {
        return plan_act(id, world_.random.between(300, 3'000));
    }
    GroupJob& job = all_[id];
    job.phase = GroupJob::Phase::ended;
    job.ended_ms = world_.now_ms;
    for (const PodId pod : pods_[id]) {
        if (world_.store.find_pod(pod) != nullptr) {
            world_.queue.plan(
                world_.now_ms + world_.random.long_tail(500, 30'000), Happening::kubelet_ends, pod);
        }
    }
    if (world_.random.percent(50)) {
        all_[id].has_object = false;
    }
}

void GroupJobs::pod_changed(const Entry<core::Pod>& entry) {
    const GroupId id = find(entry.id);
    if (id == nobody) {
        return;
    }
    all_[id].changed_ms = world_.now_ms;
    if (entry.change == Change::deleted || core::is_terminal(entry.object)) {
        for (GroupRole& role : all_[id].roles) {
            std::erase(role.there, entry.id);
        }
    }
}

bool GroupJobs::all_ended() const {
    return std::all_of(all_.begin(), all_.end(), [](const GroupJob& job) {
        return job.phase == GroupJob::Phase::ended;
    });
}

GroupId GroupJobs::any_live() {
    std::vector<GroupId> live;
    for (GroupId id = 0; id < all_.size(); ++id) {
        if (all_[id].phase != GroupJob::Phase::ended) {
            live.push_back(id);
        }
    }
    return live.empty() ? nobody : live[world_.random.below(live.size())];
}

void GroupJobs::mishap() {
    if (world_.faults.is_calm()) {
        return;
    }
    const GroupId id = any_live();
    const auto what = static_cast<Mishap>(
        world_.random.between(0, static_cast<std::int64_t>(Mishap::last) - 1));
    if (id != nobody && happen(what, id)) {
        ++world_.record.counts.group_mishaps;
        world_.record.say([&] {
            return "group mishap " + std::to_string(static_cast<int>(what)) + " of " +
                   all_[id].name;
        });
    }
    world_.queue.plan(
        world_.now_ms + world_.random.between(1, 2 * world_.plan.group_mishap_ms),
        Happening::group_mishap);
}

bool GroupJobs::happen(Mishap what, GroupId id) {
    Random& random = world_.random;
    GroupJob& job = all_[id];
    const GroupRole& role = job.roles[random.below(job.roles.size())];
    const PodId pod = role.there.empty() ? nobody : role.there[random.below(role.there.size())];
    switch (what) {
        case Mishap::pod_fails:
            if (pod == nobody || world_.store.find_pod(pod)->phase != core::PodPhase::running) {
                return false;
            }
            world_.writes.change_pod(pod, {Actor::kubelet}, [](core::Pod& failed) {
                failed.phase = core::PodPhase::failed;
            });
            if (random.percent(50)) {
                world_.writes.delete_pod(pod, job_controller, 0);
            } else {
                world_.queue.plan(
                    world_.now_ms + random.long_tail(1'000, 60'000), Happening::kubelet_ends, pod);
            }
            return true;
        case Mishap::pod_deleted:
            if (pod == nobody) {
                return false;
            }
            world_.writes.delete_pod(pod, job_controller, random.long_tail(1, 30'000));
            return true;
        case Mishap::object_deleted:
            if (!job.has_object) {
                return false;
            }
            job.has_object = false;
            job.changed_ms = world_.now_ms;
            world_.queue.plan(
                world_.now_ms + random.long_tail(100, 60'000), Happening::group_object_made, id);
            return true;
        case Mishap::minimum_changed:
            if (!job.object.roles.empty() || job.dialect == core::GroupDialect::labels) {
                return false;
            }
            job.object.min_members = random.between(1, job.pods());
            job.least_minimum = std::min(job.least_minimum, job.object.min_members);
            job.changed_ms = world_.now_ms;
            return true;
        case Mishap::status_taken:
            job.status_is_others = job.has_object;
            return job.has_object;
        case Mishap::text_edited:
            return edit_text(id);
        case Mishap::last:
            break;
    }
    return false;
}

/// Of one of its pods that is bound: a reservation or a slot of another pod, nonsense, or none.
bool GroupJobs::edit_text(GroupId id) {
    std::vector<PodId> bound;
    for (const PodId pod : pods_[id]) {
        const core::Pod* const found = world_.store.find_pod(pod);
        if (found != nullptr && !found->node_name.empty() && !core::is_terminal(*found)) {
            bound.push_back(pod);
        }
    }
    if (bound.empty()) {
        return false;
    }
    Random& random = world_.random;
    const PodId to = bound[random.below(bound.size())];
    const core::Pod from = *world_.store.find_pod(bound[random.below(bound.size())]);
    const std::int64_t kind = random.between(0, 3);
    all_[id].was_tampered = true;
    world_.writes.change_pod(to, job_tenant, [&](core::Pod& pod) {
        const auto remove = [&pod](std::string_view key) {
            std::erase_if(pod.annotations, [key](const auto& entry) { return entry.first == key; });
        };
        if (kind == 0) {
            remove(reservation_annotation);
            remove(slot_annotation);
        } else if (kind == 1) {
            merge_annotations(
                pod,
                {{std::string(reservation_annotation),
                  "v1 generation=7 epoch=1 queue=default profile=x anchor=" + pod.uid +
                      ";shape profile=0 max=90 cpu=1 memory=1 nodes=n0:90"}});
        } else if (kind == 2) {
            merge_annotations(pod, {{std::string(seal_annotation), "v1 4567"}});
        } else {
            merge_annotations(pod, from.annotations);
        }
    });
    return true;
}

void GroupJobs::calm_down() {
    for (GroupId id = 0; id < all_.size(); ++id) {
        GroupJob& job = all_[id];
        if (job.phase == GroupJob::Phase::ended) {
            continue;
        }
        if (job.dialect != core::GroupDialect::labels) {
            make_object(id);
        }
        plan_act(id, 1);
    }
}

GroupJob* GroupJobs::find_object(const Call& call) {
    const GroupId id = number_of(call.pod.name);
    if (id >= all_.size() || !all_[id].has_object || all_[id].tenant != call.pod.namespace_name ||
        all_[id].dialect != call.group_dialect) {
        return nullptr;
    }
    return &all_[id];
}

void GroupJobs::read_object(Call& call) const {
    const GroupJob* const job = const_cast<GroupJobs*>(this)->find_object(call);
    call.answer.status = job == nullptr ? 404 : 200;
    if (job != nullptr) {
        call.answer.group = job->object;
        call.answer.group_uid = job->object_uid();
        call.answer.group_status = job->status;
    }
}

void GroupJobs::write_status(Call& call) {
    GroupJob* const job = find_object(call);
    if (job == nullptr || job->object_uid() != call.pod.uid) {
        call.answer.status = 404;
    } else if (job->status_is_others) {
        call.answer.status = 409;
    } else {
        call.answer.status = 200;
        job->status = call.group_status;
        ++job->status_writes;
        ++world_.record.counts.group_statuses;
    }
}

}  // namespace gang::sim
