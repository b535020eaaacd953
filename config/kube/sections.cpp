#include "config/kube/sections.hpp"

#include "config/scalars.hpp"

namespace config::kube {
namespace {

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t hour_ms = 3600 * second_ms;

core::Result<std::int64_t> read_lease_time(const Tree& value) {
    return read_duration(value, 100, hour_ms);
}

}  // namespace

Key leader_election(Schema& schema, Notes& notes) {
    return {"leaderElection", [&schema, &notes](const Tree& tree) {
                LeaderElection& lease = schema.leader_election;
                const auto keys = std::vector<Key>{
                    {"leaderElect", into(notes, read_bool, lease.enabled)},
                    {"leaseDuration", into(notes, read_lease_time, lease.lease_duration_ms)},
                    {"renewDeadline", into(notes, read_lease_time, lease.renew_deadline_ms)},
                    {"retryPeriod", into(notes, read_lease_time, lease.retry_period_ms)},
                    {"resourceName", into(notes, read_object_name, lease.lease_name)},
                    {"resourceNamespace", into(notes, read_namespace, lease.lease_namespace)},
                    {"lockObjectName", into(notes, read_object_name, lease.lease_name)},
                    {"lockObjectNamespace", into(notes, read_namespace, lease.lease_namespace)},
                    {"resourceLock"}};
                read_map(tree, "leaderElection", keys, notes);
            }};
}

Key client_connection(Schema& schema, Notes& notes) {
    return {"clientConnection", [&schema, &notes](const Tree& tree) {
                const auto keys = std::vector<Key>{
                    {"kubeconfig", into(notes, read_string, schema.kubeconfig)},
                    {"acceptContentTypes"},
                    {"contentType"},
                    {"qps"},
                    {"burst"}};
                read_map(tree, "clientConnection", keys, notes);
            }};
}

void warn_of_default_name(const Tree& at, const Profile& profile, Notes& notes) {
    if (profile.scheduler_name == "default-scheduler") {
        notes.warn(
            at,
            "the name default-scheduler is served: no other scheduler of the cluster may do so");
    }
}

}  // namespace config::kube
