#pragma once
// All that is known: nodes, pods, gangs, and who waits for what. Every part of the scheduler works
// on it; what a part alone has to remember is its own.

#include "config/schema.hpp"
#include "core/base/text.hpp"
#include "core/cluster/cluster.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/declare/declaration_reader.hpp"
#include "gang/durations/outlooks.hpp"
#include "gang/durations/run_times.hpp"
#include "gang/model/application.hpp"
#include "gang/model/cluster/cluster_model.hpp"
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/model/demand/bought_rooms.hpp"
#include "gang/model/demand/demand_board.hpp"
#include "gang/model/gang_store.hpp"
#include "gang/model/gpu/gpu_board.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/model/held_binds.hpp"
#include "gang/model/leadership_term.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/cluster/nominations.hpp"
#include "gang/model/pod/application_ids.hpp"
#include "gang/model/pod/awaited_answers.hpp"
#include "gang/model/pod/executor_labels.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/pod/recent_constraints.hpp"
#include "gang/model/quota/quota_board.hpp"
#include "gang/model/shape/gang_shapes.hpp"
#include "gang/model/volume/claim_queries.hpp"
#include "gang/model/volume/claims.hpp"
#include "gang/model/volume/volume_counts.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/wanted_declarations.hpp"
#include "gang/model/worklist.hpp"
#include "gang/shares/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace gang {

/// Of a list that the API server was asked for.
enum class ListState : std::uint8_t { never, under_way, complete };

struct Model {
    explicit Model(config::Schema configured) : schema(std::move(configured)) {
        cluster.set_headroom({schema.nodes.headroom_cpu_milli, schema.nodes.headroom_memory_bytes});
        cluster.set_scarce(schema.nodes.scarce);
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// The gang's driver, as far as it is remembered (Pods::copy_of), to be named in an event.
    core::Pod driver_of(const Application& app) const {
        return pods.copy_of(pods.id_of(app.uid)).pod;
    }

    /// What rules between pods see of the pod, and it of them, follows what is believed of it. A
    /// rule that we cannot keep is its problem.
    void note_placement(PodEntry& entry, std::int64_t now_ms) {
        claims.note(
            entry.pod,
            entry.is_bindable()      ? Claims::Mount::waits
            : entry.holds_capacity() ? Claims::Mount::holds
                                     : Claims::Mount::none,
            now_ms);
        if (entry.holds_capacity()) {
            pod_rules.placed().place(entry.pod, entry.node());
        } else {
            pod_rules.placed().remove(entry.pod.uid);
        }
        if (!entry.is_bindable()) {
            pod_rules.waiting().stop(entry.pod.uid);
            pod_rules.waiting().stop_for_executors(entry.pod.uid);
            claims.forget_executors(entry.pod.uid);
        } else {
            std::string problem = pod_rules.waiting().wait(entry.pod);
            if (!problem.empty() && entry.pod.problem.empty()) {
                entry.pod.problem = std::move(problem);
            }
            expect_claims(entry, now_ms);
        }
    }

    /// A driver whose bind has failed waits again for what its executors will mount.
    void expect_claims(const PodEntry& entry, std::int64_t now_ms) {
        const Application* const app = entry.is_driver ? gangs.find(entry.pod.uid) : nullptr;
        if (app == nullptr) {
            return;
        }
        for (const GangShape& shape : app->declared.shapes) {
            if (shape.claims) {
                claims.expect(entry.pod, *shape.claims, now_ms);
            }
        }
    }

    /// What nodes offer of wishes of GPUs follows the pods that came and went, and the samples.
    void settle_gpus() {
        if (!gpus.is_on()) {
            return;
        }
        gpus.settle();
        for (const std::string& name : gpus.take_changed()) {
            if (const auto index = cluster.nodes().find(name)) {
                core::Node node = cluster.room().node_as_told(*index);
                gpus.offer(node);
                cluster_model.set_offer(node);
            }
        }
    }

    /// What claims of its own pod, or of its executors to come, keep it waiting for.
    std::optional<ClaimObstacle> find_claim_obstacle(
        const Application& app, const core::Pod& pod) const {
        auto obstacle = find_claim_obstacle(pod);
        for (const GangShape& shape : app.declared.shapes) {
            if (!obstacle && shape.claims) {
                obstacle = claim_queries.find_obstacle(pod, *shape.claims);
                if (!obstacle && volume_counts.is_awaited_for(
                                     claim_queries.volumes_of(pod, *shape.claims))) {
                    obstacle = ClaimObstacle{};
                }
            }
        }
        return obstacle;
    }
    /// Of the pod's own claims.
    std::optional<ClaimObstacle> find_claim_obstacle(const core::Pod& pod) const {
        auto obstacle = claim_queries.find_obstacle(pod);
        if (!obstacle && pod.claims &&
            volume_counts.is_awaited_for(claim_queries.volumes_of(pod))) {
            obstacle = ClaimObstacle{};
        }
        return obstacle;
    }

    /// What the pod asks with these volumes, of which `requests` may have others.
    core::Resources with_volumes(
        const PodEntry& entry,
        core::Resources requests,
        std::vector<core::DriverVolume> volumes) const {
        if (entry.is_executor) {
            own_volumes(gangs.find_owner(entry), volumes);
        }
        requests = core::without_volumes(std::move(requests));
        core::add_volumes(requests, volumes);
        return requests;
    }
    /// Of an executor's volumes, those that its gang's executors do not have in common are its own.
    void own_volumes(const Application* gang, std::vector<core::DriverVolume>& volumes) const {
        for (core::DriverVolume& volume : volumes) {
            if (volume.handle.empty()) {
                continue;
            }
            const auto is_common = [&](const GangShape& shape) {
                return cluster.resources(shape.id).extended_amount(core::volume_name(volume)) > 0;
            };
            if (gang == nullptr || std::none_of(
                                       gang->declared.shapes.begin(),
                                       gang->declared.shapes.end(),
                                       is_common)) {
                volume.handle.clear();
            }
        }
    }

    /// What quotas of its namespace keep it waiting for.
    std::optional<QuotaBoard::Obstacle> find_quota_obstacle(
        const Application& app, const core::Pod& pod) const {
        return quotas.is_on() ? quotas.find_obstacle(app, pod) : std::nullopt;
    }

    /// That of its driver's schedulerName; nullptr: the configuration has it no more.
    const config::Profile* profile_of(const Application& app) const {
        return schema.find_profile(pods[pods.id_of(app.uid)].scheduler_name());
    }

    /// How many things are known because of pods: 0 when there are none, and for a while after.
    std::size_t remembered() const {
        return pods.size() + pods.owners().size() + application_ids.size() + gangs.size() +
               waiting.size() + awaited_answers.size() + worklist.size() + wanted.size() +
               cluster.allocations().count() + conf_asker.remembered() +
               pod_rules.remembered() + claims.remembered() + volume_counts.remembered() +
               groups.remembered() +
               shares.charges.size() + held_binds.size() + nominations.size() + evicting.size() + bought.size() + run_times.size() +
               outlooks.size() + demand.remembered() + quotas.remembered();
    }

    config::Schema schema;  ///< another one by ConfigChanged alone (gang/reconfigure)
    const DeclarationReader reader{schema};
    ClusterModel cluster_model;
    core::Cluster& cluster{cluster_model.cluster()};
    core::Namespaces& namespaces{cluster_model.namespaces()};
    Shares shares{schema, namespaces};
    InterPodRules& pod_rules{cluster_model.pod_rules()};
    core::DomainIndex& domains{cluster_model.domains()};
    GpuBoard gpus{schema.gpu_metrics, cluster};
    FitCache fit_cache;
    core::Texts texts;
    Pods pods{texts};
    RecentConstraints recent_constraints;
    Ledger ledger{cluster, pods, texts, shares, schema};
    ApplicationIds application_ids;  ///< by PodEntry::application_key
    WaitingLine waiting;             ///< gangs that want to be admitted
    ConfAsker conf_asker;
    StorageRoom storage;
    Claims claims;
    ClaimQueries claim_queries{claims, storage};
    VolumeCounts volume_counts;
    PodGroups groups;
    Worklist worklist;
    GangShapes shapes{
        {reader.profiles(),
         cluster,
         domains,
         pod_rules,
         fit_cache,
         texts,
         pods,
         waiting,
         claims,
         worklist}};
    GangStore gangs{
        {reader, texts, pods, ledger, shares, waiting, conf_asker, groups, worklist, shapes}};
    WantedDeclarations wanted;
    AwaitedAnswers awaited_answers;
    HeldBinds held_binds;
    DemandBoard demand{schema.autoscaling.mode};
    QuotaBoard quotas{schema.quota, cluster};
    Nominations nominations;
    /// Pods that were asked to go, by uid, until they are seen to leave or somebody keeps them:
    /// nobody who starts counts on them.
    std::set<std::string> evicting;
    RunTimes run_times;
    Outlooks outlooks;
    LeadershipTerm term;
    ListState pods_list = ListState::never;
    ListState nodes_list = ListState::never;
    BoughtRooms bought;
};

}  // namespace gang
