#include "config/reload/reload.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace config {
namespace {

struct Live {
    std::string_view key;
    bool (*differs)(const Schema& a, const Schema& b);
    void (*take)(Schema& to, const Schema& from);
};

template <auto Get>
constexpr Live live(std::string_view key) {
    return {
        key,
        [](const Schema& a, const Schema& b) { return !(Get(a) == Get(b)); },
        [](Schema& to, const Schema& from) { Get(to) = Get(from); }};
}

/// Of a profile, by its place: what is asked when a pod is read, and not when it is placed.
bool is_read_alike(const Profile& a, const Profile& b) {
    return a.scheduler_name == b.scheduler_name && a.gangs == b.gangs && a.left_out == b.left_out;
}

bool are_read_alike(const Schema& a, const Schema& b) {
    return std::equal(
        a.profiles.begin(),
        a.profiles.end(),
        b.profiles.begin(),
        b.profiles.end(),
        is_read_alike);
}

/// How a profile places its pods, by its name.
template <auto Member>
bool places_otherwise(const Schema& a, const Schema& b) {
    return std::any_of(a.profiles.begin(), a.profiles.end(), [&b](const Profile& one) {
        const Profile* const other = b.find_profile(one.scheduler_name);
        return other != nullptr && !(one.*Member == other->*Member);
    });
}

template <auto Member>
void take_placing(Schema& to, const Schema& from) {
    for (Profile& profile : to.profiles) {
        if (const Profile* const said = from.find_profile(profile.scheduler_name)) {
            profile.*Member = said->*Member;
        }
    }
}

/// Some scores want more of pods and nodes than is read without them.
bool scores_read_alike(const Schema& a, const Schema& b) {
    return std::all_of(a.profiles.begin(), a.profiles.end(), [&b](const Profile& one) {
        const Profile* const other = b.find_profile(one.scheduler_name);
        return other == nullptr ||
               (core::asks_images(one.scores) == core::asks_images(other->scores) &&
                core::spreads_alike(one.scores) == core::spreads_alike(other->scores));
    });
}

constexpr std::string_view scores_key = "profiles[].scores";

/// What a list of scores says is kept in two members.
bool scores_differ(const Schema& a, const Schema& b) {
    if (!scores_read_alike(a, b)) return false;
    return places_otherwise<&Profile::scores>(a, b) ||
           places_otherwise<&Profile::pod_scoring>(a, b);
}

void take_scores(Schema& to, const Schema& from) {
    take_placing<&Profile::scores>(to, from);
    take_placing<&Profile::pod_scoring>(to, from);
}

constexpr std::array live_table = {
    live<[](auto& s) -> auto& { return s.log_level; }>("logging.level"),
    Live{
        "profiles[].packing",
        places_otherwise<&Profile::packing>,
        take_placing<&Profile::packing>},
    Live{scores_key, scores_differ, take_scores},
    Live{
        "profiles[].messages",
        places_otherwise<&Profile::messages>,
        take_placing<&Profile::messages>},
    live<[](auto& s) -> auto& { return s.gang.orphan_executors; }>("gang.orphanExecutors"),
    live<[](auto& s) -> auto& { return s.gang.max_gang_size; }>("gang.maxGangSize"),
    live<[](auto& s) -> auto& { return s.gang.dynamic_allocation; }>("gang.dynamicAllocation"),
    live<[](auto& s) -> auto& { return s.gang.never_running_after_ms; }>("gang.neverRunning.after"),
    live<[](auto& s) -> auto& { return s.gang.never_running_then; }>("gang.neverRunning.then"),
    live<[](auto& s) -> auto& { return s.gang.missing_executors_after_ms; }>(
        "gang.missingExecutors.after"),
    live<[](auto& s) -> auto& { return s.gang.missing_executors_then; }>(
        "gang.missingExecutors.then"),
    live<[](auto& s) -> auto& { return s.nodes; }>("nodes"),
    live<[](auto& s) -> auto& { return s.queues; }>("queues"),
    live<[](auto& s) -> auto& { return s.backfill; }>("backfill"),
    live<[](auto& s) -> auto& { return s.fair_share; }>("fairShare"),
    live<[](auto& s) -> auto& { return s.preemption; }>("preemption"),
    live<[](auto& s) -> auto& { return s.placement; }>("placement"),
    live<[](auto& s) -> auto& { return s.queue_objects.reclaim; }>("queueObjects.reclaim")};

struct Fixed {
    std::string_view key;
    bool (*differs)(const Schema& a, const Schema& b);
};

template <auto Get>
constexpr Fixed fixed(std::string_view key) {
    return {key, [](const Schema& a, const Schema& b) { return !(Get(a) == Get(b)); }};
}

constexpr std::array fixed_table = {
    fixed<[](auto& s) -> auto& { return s.kubeconfig; }>("clientConnection.kubeconfig"),
    fixed<[](auto& s) -> auto& { return s.leader_election; }>("leaderElection"),
    fixed<[](auto& s) -> auto& { return s.server_listen; }>("server.listen"),
    fixed<[](auto& s) -> auto& { return s.control_listen; }>("control.listen"),
    fixed<[](auto& s) -> auto& { return s.api; }>("api"),
    fixed<[](auto& s) -> auto& { return s.extender; }>("extender"),
    fixed<[](auto& s) -> auto& { return s.extenders; }>("extenders"),
    fixed<[](auto& s) -> auto& { return s.log_format; }>("logging.format"),
    Fixed{
        "profiles[].schedulerName",
        [](const Schema& a, const Schema& b) {
            return a.scheduler_names() != b.scheduler_names();
        }},
    Fixed{
        "profiles[].gangs",
        [](const Schema& a, const Schema& b) {
            return a.scheduler_names() == b.scheduler_names() && !are_read_alike(a, b);
        }},
    fixed<[](auto& s) -> auto& { return s.gang.discovery; }>("gang.discovery"),
    fixed<[](auto& s) -> auto& { return s.autoscaling; }>("autoscaling"),
    fixed<[](auto& s) -> auto& { return s.quota; }>("quota"),
    fixed<[](auto& s) -> auto& { return s.queue_objects.enabled; }>("queueObjects.enabled"),
    fixed<[](auto& s) -> auto& { return s.volcano; }>("volcano"),
    fixed<[](auto& s) -> auto& { return s.gpu_metrics; }>("gpuMetrics"),
    fixed<[](auto& s) -> auto& { return s.seal_key_file; }>("seal.keyFile"),
    fixed<[](auto& s) -> auto& { return s.names_other_namespaces; }>(
        "conditions.nameOtherNamespaces"),
    fixed<[](auto& s) -> auto& { return s.events_per_second; }>("events.perSecond"),
    fixed<[](auto& s) -> auto& { return s.audit_interval_ms; }>("audit.interval")};

}  // namespace

Reload reload(const Schema& running, const Schema& written) {
    Reload out;
    out.schema = running;
    for (const Live& key : live_table) {
        if (key.differs(running, written)) {
            key.take(out.schema, written);
            out.taken.emplace_back(key.key);
        }
    }
    if (!scores_read_alike(running, written)) {
        out.after_restart.emplace_back(scores_key);
    }
    for (const Fixed& key : fixed_table) {
        if (key.differs(running, written)) {
            out.after_restart.emplace_back(key.key);
        }
    }
    return out;
}

std::vector<std::string> live_keys() {
    std::vector<std::string> keys;
    for (const Live& key : live_table) keys.emplace_back(key.key);
    return keys;
}

std::vector<std::string> fixed_keys() {
    std::vector<std::string> keys = {"profiles[].filters"};
    for (const Fixed& key : fixed_table) keys.emplace_back(key.key);
    return keys;
}

}  // namespace config
