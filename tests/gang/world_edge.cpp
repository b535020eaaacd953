// The edge and the API server behind it, and the referee of binds.

#include "core/value/device/card_ask.hpp"
#include "tests/gang/world.hpp"

namespace tests {

void World::answer(gang::Event event, bool hold) {
    (hold ? held_ : answers_).push_back(std::move(event));
}

bool World::is_current(const core::Pod& pod, const std::string& version) const {
    const auto known = edge_versions_.find(pod.uid);
    return pod.resource_version == version ||
           (known != edge_versions_.end() && known->second == pod.resource_version);
}

gang::BindOutcome World::bind(const gang::BindPod& request) {
    if (const auto forced = on_bind ? on_bind(request) : std::nullopt) {
        return *forced;
    }
    const auto it = pods_.find(request.pod.uid);
    if (it == pods_.end()) {
        return gang::BindOutcome::gone;
    }
    core::Pod& pod = it->second;
    if (!pod.node_name.empty()) {
        return pod.node_name == request.node ? gang::BindOutcome::bound
                                             : gang::BindOutcome::taken;
    }
    if (pod.deleting || pod.gated) {
        return gang::BindOutcome::not_bindable;
    }
    if (!is_current(pod, request.resource_version)) {
        return gang::BindOutcome::changed;
    }
    pod.node_name = request.node;
    pod.scheduled = core::ScheduledCondition{true, "", "", now_ms / 1000};
    merge(pod, request.annotations);
    referee(request);
    touch(pod.uid);
    return gang::BindOutcome::bound;
}

void World::merge(core::Pod& pod, const core::StringMap& annotations) {
    for (const auto& [key, value] : annotations) {
        std::erase_if(
            pod.annotations, [&key](const auto& entry) { return entry.first == key; });
        pod.annotations.emplace_back(key, value);
    }
    std::sort(pod.annotations.begin(), pod.annotations.end());
}

void World::referee(const gang::BindPod& request) {
    const auto seen = seen_nodes_.find(request.node);
    if (seen == seen_nodes_.end() || !seen->second.ready || seen->second.unschedulable) {
        violations.push_back(request.pod.name + " bound to an unusable node " + request.node);
    }
    const auto node = nodes_.find(request.node);
    if (node == nodes_.end()) {
        return;  // gone since, which the scheduler could not know
    }
    core::Resources used;
    std::int64_t count = 0;
    for (const auto& [uid, pod] : pods_) {
        if (pod.node_name == request.node && !core::is_terminal(pod)) {
            used = *core::sum(used, pod.requests);
            ++count;
        }
    }
    if (used.cpu_milli > node->second.allocatable.cpu_milli ||
        used.memory_bytes > node->second.allocatable.memory_bytes ||
        count > node->second.pods || !are_offered(used, node->second.allocatable)) {
        violations.push_back(request.pod.name + " overcommits " + request.node);
    }
    const auto conf = confs.find(request.pod.uid);
    if (check_whole_gangs && conf != confs.end() && conf->second.conf) {
        check_whole(request);
    }
}

bool World::are_offered(const core::Resources& used, const core::Resources& allocatable) {
    return std::all_of(used.extended.begin(), used.extended.end(), [&](const auto& one) {
        const bool is_of_all = core::is_exclusive(one.name) || core::is_card_ask(one.name);
        const std::int64_t by_all = is_of_all ? core::exclusive_all : 0;
        return one.amount <= by_all + allocatable.extended_amount(one.name);
    });
}

void World::check_whole(const gang::BindPod& request) {
    const auto declared = std::stoll(*core::find_value(
        confs.at(request.pod.uid).conf->properties, "spark.executor.instances"));
    const auto held = reservation(request.pod.uid);
    if (!held || gang::slot_count(*held) != declared) {
        violations.push_back(request.pod.name + " bound without its whole gang");
    }
}

void World::check_seen(const gang::BindPod& request) {
    const auto seen = seen_pods_.find(request.pod.uid);
    const core::Pod* pod = seen == seen_pods_.end() ? nullptr : &seen->second;
    if (pod == nullptr || pod->deleting || pod->gated || core::is_terminal(*pod) ||
        !pod->node_name.empty() || request.resource_version.empty() || !leads_) {
        violations.push_back(request.pod.name + " was not to be bound");
    }
}

void World::carry_out(const gang::BindPod& request) {
    ++decisions_made_;
    check_seen(request);
    binds.push_back(request);
    for (const std::string& name : request.claims) {
        core::Claim& claim = claims.at(request.pod.namespace_name + "/" + name);
        if (!no_volume.empty() || claim.state == core::ClaimState::bound) {
            answer(
                gang::BindFinished{request.pod.uid, gang::BindOutcome::not_sent, no_volume},
                hold_bind_answers);
            return;
        }
        claim.state = core::ClaimState::bound;
        if (!claim.driver.empty()) {
            claim.handle = "made-for-" + name;
        }
    }
    for (const gang::ClaimedVolume& one : request.volumes) {
        core::Claim& claim = claims.at(request.pod.namespace_name + "/" + one.claim);
        if (one.volume.empty() || claim.state == core::ClaimState::bound) {
            answer(
                gang::BindFinished{request.pod.uid, gang::BindOutcome::not_sent, "none is left"},
                hold_bind_answers);
            return;
        }
        claim.state = core::ClaimState::bound;
        claim.volume = one.volume;
        for (auto& [key, other] : claims) {
            std::erase_if(other.available, [&one](const core::AvailableVolume& volume) {
                return volume.name == one.volume;
            });
        }
    }
    answer(gang::BindFinished{request.pod.uid, bind(request), ""}, hold_bind_answers);
}

void World::carry_out(const gang::FetchSparkConf& request) {
    ++decisions_made_;
    fetches.emplace_back(now_ms, request.driver.uid);
    const auto found = confs.find(request.driver.uid);
    if (hold_conf_answers) {
        return;
    }
    if (found != confs.end() && found->second.conf) {
        answer(gang::SparkConfFound{request.driver.uid, *found->second.conf}, false);
        return;
    }
    const ConfAnswer missing = found == confs.end() ? ConfAnswer{} : found->second;
    answer(gang::SparkConfMissing{request.driver.uid, missing.problem, missing.message}, false);
}

void World::carry_out(const gang::EvictPod& request) {
    ++decisions_made_;
    evictions.push_back(request);
    if (const auto forced = on_evict ? on_evict(request) : std::nullopt) {
        answer(gang::EvictFinished{request.pod.uid, *forced, "said the test"}, false);
        return;
    }
    const auto it = pods_.find(request.pod.uid);
    if (it != pods_.end() && !it->second.deleting) {
        it->second.deleting = true;
        touch(request.pod.uid);
    }
    answer(
        gang::EvictFinished{
            request.pod.uid,
            it == pods_.end() ? gang::EvictOutcome::gone : gang::EvictOutcome::evicted,
            ""},
        hold_evict_answers);
}

void World::carry_out(const gang::FetchClaim& request) {
    ++decisions_made_;
    claim_fetches.push_back(request.namespace_name + "/" + request.name);
    const auto found = claims.find(claim_fetches.back());
    if (found == claims.end()) {
        answer(
            gang::ClaimMissing{
                request.namespace_name, request.name, claim_problem, "no such claim"},
            hold_claim_answers);
        return;
    }
    answer(
        gang::ClaimFound{request.namespace_name, request.name, found->second},
        hold_claim_answers);
}

void World::carry_out(const gang::WatchNamespaces&) {
    ++decisions_made_;
    ++namespace_watches;
    if (namespaces) {
        answer(gang::NamespacesListed{*namespaces}, hold_namespace_answers);
    } else {
        answer(gang::NamespacesMissing{"forbidden"}, hold_namespace_answers);
    }
}

void World::carry_out(const gang::WatchVolumeLimits&) {
    ++decisions_made_;
    ++limit_watches;
    if (volume_limits) {
        answer(gang::VolumeLimitsListed{*volume_limits}, hold_limit_answers);
    } else {
        answer(gang::VolumeLimitsMissing{"forbidden"}, hold_limit_answers);
    }
}

void World::carry_out(const gang::WatchStorage&) {
    ++decisions_made_;
    ++storage_watches;
    if (storage) {
        answer(gang::StorageListed{*storage}, hold_limit_answers);
    } else {
        answer(gang::StorageMissing{"forbidden"}, hold_limit_answers);
    }
}

void World::carry_out(const gang::FetchQuotas& request) {
    ++decisions_made_;
    ++quota_fetches;
    if (hold_quota_answers) {
        return;
    }
    if (quota_problem) {
        answer(
            gang::QuotasMissing{request.namespace_name, *quota_problem, "no answer"}, false);
        return;
    }
    answer(
        gang::QuotasFound{request.namespace_name, quotas[request.namespace_name]}, false);
}

void World::carry_out(const gang::FetchPodGroup& request) {
    ++decisions_made_;
    ++group_fetches;
    const auto found = groups.find(request.namespace_name + "/" + request.name);
    if (found == groups.end()) {
        answer(
            gang::PodGroupMissing{
                request.dialect,
                request.namespace_name,
                request.name,
                group_problem,
                "no such group"},
            false);
        return;
    }
    answer(
        gang::PodGroupFound{
            request.dialect,
            request.namespace_name,
            request.name,
            found->second,
            group_version.empty() ? "" : "uid-of-" + request.name,
            group_version,
            group_statuses[found->first]},
        false);
}

void World::carry_out(const gang::WriteGroupStatus& request) {
    ++decisions_made_;
    group_writes.push_back(request);
    if (group_write_outcome == gang::GroupStatusOutcome::written) {
        group_statuses[request.namespace_name + "/" + request.name] = request.status;
    }
    answer(
        gang::GroupStatusWritten{
            request.dialect,
            request.namespace_name,
            request.name,
            group_write_outcome,
            "said the test"},
        false);
}

void World::carry_out(const gang::WantCapacity& request) {
    ++decisions_made_;
    capacity_asked.push_back(request);
    if (capacity_outcome == gang::CapacityOutcome::written) {
        capacity[request.driver.uid] = request;
    }
    answer(
        gang::CapacityAnswered{
            request.driver.uid, capacity_outcome, capacity_may_exist, "told so"},
        hold_capacity_answers);
}

void World::carry_out(const gang::DropCapacity& request) {
    ++decisions_made_;
    ++capacity_drops;
    capacity.erase(request.driver.uid);
    answer(
        gang::CapacityAnswered{
            request.driver.uid, gang::CapacityOutcome::dropped, false, ""},
        hold_capacity_answers);
}

void World::carry_out(const gang::ListCapacity&) {
    ++decisions_made_;
    gang::CapacityListed listed{true, {}};
    for (const auto& [uid, request] : capacity) {
        listed.found.push_back(
            {request.driver.namespace_name,
             uid,
             static_cast<std::int64_t>(request.shapes.size()),
             now_ms});
    }
    answer(std::move(listed), hold_capacity_answers);
}

void World::carry_out(const gang::SetCondition& request) {
    ++decisions_made_;
    conditions.push_back(request);
    const auto it = pods_.find(request.pod.uid);
    const bool written = it != pods_.end() && !fail_status_writes &&
                         !unwritable.contains(request.pod.uid) &&
                         (!request.fence || is_current(it->second, request.resource_version));
    if (written) {
        it->second.scheduled = core::ScheduledCondition{false, request.reason, request.message};
        touch(request.pod.uid);
        if (late_watch) {
            pod_stream_.pop_back();
            late_.insert(request.pod.uid);
        }
        edge_versions_[request.pod.uid] = it->second.resource_version;
    }
    if (request.fence) {
        answer(
            gang::StatusWritten{
                request.pod.uid,
                written ? gang::WriteOutcome::written : gang::WriteOutcome::failed,
                ""},
            hold_status_answers);
    }
}

gang::WriteOutcome World::write(const gang::UpdateReservation& request) {
    const auto it = pods_.find(request.driver.uid);
    if (it == pods_.end() || fail_status_writes) {
        return gang::WriteOutcome::failed;
    }
    if (!is_current(it->second, request.resource_version)) {
        return gang::WriteOutcome::changed;
    }
    merge(it->second, request.annotations);
    touch(request.driver.uid);
    return gang::WriteOutcome::written;
}

void World::carry_out(const gang::UpdateReservation& request) {
    ++decisions_made_;
    updates.push_back(request);
    auto outcome = write(request);
    if (outcome == gang::WriteOutcome::written) {
        if (late_watch) {
            pod_stream_.pop_back();
            late_.insert(request.driver.uid);
        }
        edge_versions_[request.driver.uid] = pods_.at(request.driver.uid).resource_version;
        // The edge repeats a write without an answer, and is told that the pod has changed.
        outcome = lose_status_answers ? gang::WriteOutcome::changed : outcome;
    }
    answer(gang::StatusWritten{request.driver.uid, outcome, ""}, hold_status_answers);
}

void World::carry_out(const gang::ListPods&) {
    ++pod_lists;
    for (const auto& [uid, pod] : pods_) {
        if (!pod.node_name.empty() && !core::is_terminal(pod)) {
            answer(
                gang::PodListed{uid, pod.namespace_name, pod.labels, pod.deleting},
                hold_pod_lists);
        }
    }
    answer(gang::PodsListed{!fail_pod_lists}, hold_pod_lists);
}

void World::carry_out(const gang::AskExtenders& question) {
    ++decisions_made_;
    extender_questions.push_back(question);
    if (!extenders) {
        return;
    }
    if (auto answered = extenders(question)) {
        answered->question = question.question;
        answer(*std::move(answered), false);
    }
}

void World::carry_out(const gang::AnswerExtender& answer) {
    ++decisions_made_;
    extender_answers[answer.token] = answer;
}

void World::carry_out(const gang::WakeAt& wake) {
    wake_ms_ = wake_ms_ ? std::min(*wake_ms_, wake.time_ms) : wake.time_ms;
}

}  // namespace tests
