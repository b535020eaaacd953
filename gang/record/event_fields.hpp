#pragma once
// What a recording keeps of every value that goes through the scheduler: one table per type, read
// by the writer and by the reader of gang/record/event_log.cpp alike. A member that has no row does
// not compile there (the rows are counted), nor does an event or decision without a table.
//
// A name is part of the format: who changes one raises recording_format.

#include "config/schema.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/pod_template.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace gang::fields {

template <typename Owner, typename Member>
struct Field {
    const char* name;
    Member Owner::*member;
};

template <typename Owner, typename Member>
Field(const char*, Member Owner::*) -> Field<Owner, Member>;  // Clang 14 asks for it

/// Of<T>::list is a tuple of T's fields; Of<T>::name the word for an event or decision.
template <typename T>
struct Of;

/// The last value of an enumeration: what is greater is not one.
template <typename E>
inline constexpr E last = E{};

// --- core ---

template <>
inline constexpr auto last<core::PodPhase> = core::PodPhase::unknown;
template <>
inline constexpr auto last<core::SelectorOperator> = core::SelectorOperator::less;
template <>
inline constexpr auto last<core::TaintEffect> = core::TaintEffect::no_execute;
template <>
inline constexpr auto last<core::LabelOperator> = core::LabelOperator::does_not_exist;
template <>
inline constexpr auto last<core::NodeInclusionPolicy> = core::NodeInclusionPolicy::ignore;

template <>
struct Of<core::ExtendedResource> {
    using T = core::ExtendedResource;
    static constexpr auto list = std::tuple{Field{"name", &T::name}, Field{"amount", &T::amount}};
};
template <>
struct Of<core::Resources> {
    using T = core::Resources;
    static constexpr auto list = std::tuple{
        Field{"cpu", &T::cpu_milli},
        Field{"memory", &T::memory_bytes},
        Field{"ephemeral", &T::ephemeral_bytes},
        Field{"extended", &T::extended}};
};
template <>
struct Of<core::NodeSelectorRequirement> {
    using T = core::NodeSelectorRequirement;
    static constexpr auto list =
        std::tuple{Field{"key", &T::key}, Field{"op", &T::op}, Field{"values", &T::values}};
};
template <>
struct Of<core::NodeSelectorTerm> {
    using T = core::NodeSelectorTerm;
    static constexpr auto list =
        std::tuple{Field{"labels", &T::match_expressions}, Field{"fields", &T::match_fields}};
};
template <>
struct Of<core::PreferredTerm> {
    using T = core::PreferredTerm;
    static constexpr auto list = std::tuple{Field{"weight", &T::weight}, Field{"term", &T::term}};
};
template <>
struct Of<core::Taint> {
    using T = core::Taint;
    static constexpr auto list =
        std::tuple{Field{"key", &T::key}, Field{"value", &T::value}, Field{"effect", &T::effect}};
};
template <>
struct Of<core::Toleration> {
    using T = core::Toleration;
    static constexpr auto list = std::tuple{
        Field{"key", &T::key},
        Field{"exists", &T::exists},
        Field{"value", &T::value},
        Field{"anyEffect", &T::any_effect},
        Field{"effect", &T::effect},
        Field{"seconds", &T::seconds}};
};
template <>
struct Of<core::FilterSet> {
    using T = core::FilterSet;
    static constexpr auto list = std::tuple{Field{"bits", &T::bits}};
};
template <>
struct Of<core::NodePoints> {
    using T = core::NodePoints;
    static constexpr auto list = std::tuple{Field{"node", &T::node}, Field{"points", &T::points}};
};
template <>
struct Of<core::Constraints> {
    using T = core::Constraints;
    static constexpr auto list = std::tuple{
        Field{"selector", &T::node_selector},
        Field{"hasAffinity", &T::has_required_affinity},
        Field{"affinity", &T::required_affinity},
        Field{"preferred", &T::preferred_affinity},
        Field{"tolerations", &T::tolerations},
        Field{"hostPorts", &T::has_host_ports},
        Field{"volumes", &T::volumes},
        Field{"images", &T::images},
        Field{"points", &T::points},
        Field{"leftOut", &T::left_out}};
};
template <>
inline constexpr auto last<core::VolumeRule> = core::VolumeRule::storage;
template <>
struct Of<core::LabelValues> {
    using T = core::LabelValues;
    static constexpr auto list = std::tuple{Field{"key", &T::key}, Field{"values", &T::values}};
};
template <>
struct Of<core::VolumeNodes> {
    using T = core::VolumeNodes;
    static constexpr auto list = std::tuple{
        Field{"rule", &T::rule}, Field{"terms", &T::terms}, Field{"labels", &T::labels}};
};
template <>
inline constexpr auto last<core::ClaimState> = core::ClaimState::lost;
template <>
struct Of<core::ClaimUse> {
    using T = core::ClaimUse;
    static constexpr auto list =
        std::tuple{Field{"name", &T::name}, Field{"ephemeral", &T::is_ephemeral}};
};
template <>
struct Of<core::AvailableVolume> {
    using T = core::AvailableVolume;
    static constexpr auto list = std::tuple{Field{"name", &T::name}, Field{"terms", &T::terms}};
};
template <>
struct Of<core::VolumeLimit> {
    using T = core::VolumeLimit;
    static constexpr auto list = std::tuple{Field{"driver", &T::driver}, Field{"count", &T::count}};
};
template <>
struct Of<core::NodeVolumeLimits> {
    using T = core::NodeVolumeLimits;
    static constexpr auto list = std::tuple{Field{"node", &T::node}, Field{"limits", &T::limits}};
};
template <>
struct Of<core::Claim> {
    using T = core::Claim;
    static constexpr auto list = std::tuple{
        Field{"uid", &T::uid},
        Field{"state", &T::state},
        Field{"volume", &T::volume},
        Field{"class", &T::storage_class},
        Field{"deleting", &T::is_deleting},
        Field{"onePod", &T::one_pod},
        Field{"selectedNode", &T::selected_node},
        Field{"owner", &T::owner_uid},
        Field{"driver", &T::driver},
        Field{"handle", &T::handle},
        Field{"bytes", &T::bytes},
        Field{"available", &T::available},
        Field{"neverMade", &T::is_never_made},
        Field{"storageCounted", &T::is_storage_counted},
        Field{"nodes", &T::nodes},
        Field{"problem", &T::problem}};
};
template <>
struct Of<core::LabelRequirement> {
    using T = core::LabelRequirement;
    static constexpr auto list =
        std::tuple{Field{"key", &T::key}, Field{"op", &T::op}, Field{"values", &T::values}};
};
template <>
struct Of<core::LabelSelector> {
    using T = core::LabelSelector;
    static constexpr auto list =
        std::tuple{Field{"set", &T::is_set}, Field{"requirements", &T::requirements}};
};
template <>
struct Of<core::StorageSegment> {
    using T = core::StorageSegment;
    static constexpr auto list = std::tuple{
        Field{"name", &T::name},
        Field{"class", &T::storage_class},
        Field{"nodes", &T::nodes},
        Field{"bytes", &T::bytes}};
};
template <>
struct Of<core::PodAffinityTerm> {
    using T = core::PodAffinityTerm;
    static constexpr auto list = std::tuple{
        Field{"topologyKey", &T::topology_key},
        Field{"selector", &T::selector},
        Field{"namespaces", &T::namespaces},
        Field{"namespaceSelector", &T::namespace_selector}};
};
template <>
struct Of<core::PreferredPods> {
    using T = core::PreferredPods;
    static constexpr auto list =
        std::tuple{Field{"term", &T::term}, Field{"weight", &T::weight}};
};
template <>
struct Of<core::SpreadConstraint> {
    using T = core::SpreadConstraint;
    static constexpr auto list = std::tuple{
        Field{"maxSkew", &T::max_skew},
        Field{"topologyKey", &T::topology_key},
        Field{"selector", &T::selector},
        Field{"minDomains", &T::min_domains},
        Field{"nodeAffinity", &T::node_affinity_policy},
        Field{"nodeTaints", &T::node_taints_policy}};
};
template <>
struct Of<core::PodRules> {
    using T = core::PodRules;
    static constexpr auto list = std::tuple{
        Field{"affinity", &T::affinity},
        Field{"antiAffinity", &T::anti_affinity},
        Field{"spread", &T::spread},
        Field{"preferred", &T::preferred},
        Field{"preferredSpread", &T::preferred_spread},
        Field{"defaultSpread", &T::spreads_by_default}};
};
template <>
struct Of<core::OwnerReference> {
    using T = core::OwnerReference;
    static constexpr auto list = std::tuple{
        Field{"kind", &T::kind},
        Field{"name", &T::name},
        Field{"uid", &T::uid},
        Field{"controller", &T::controller}};
};
template <>
struct Of<core::ScheduledCondition> {
    using T = core::ScheduledCondition;
    static constexpr auto list = std::tuple{
        Field{"status", &T::status},
        Field{"reason", &T::reason},
        Field{"message", &T::message},
        Field{"since", &T::since}};
};
template <>
struct Of<core::ConfigMapKey> {
    using T = core::ConfigMapKey;
    static constexpr auto list =
        std::tuple{Field{"configMap", &T::config_map}, Field{"key", &T::key}};
};
template <>
struct Of<core::Pod> {
    using T = core::Pod;
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"uid", &T::uid},
        Field{"version", &T::resource_version},
        Field{"scheduler", &T::scheduler_name},
        Field{"node", &T::node_name},
        Field{"phase", &T::phase},
        Field{"failure", &T::failure},
        Field{"deleting", &T::deleting},
        Field{"gated", &T::gated},
        Field{"created", &T::created},
        Field{"ended", &T::ended},
        Field{"priority", &T::priority},
        Field{"neverPreempts", &T::never_preempts},
        Field{"serviceAccount", &T::service_account},
        Field{"labels", &T::labels},
        Field{"annotations", &T::annotations},
        Field{"owners", &T::owners},
        Field{"requests", &T::requests},
        Field{"constraints", &T::constraints},
        Field{"rules", &T::rules},
        Field{"claims", &T::claims},
        Field{"scheduled", &T::scheduled},
        Field{"podGroup", &T::pod_group},
        Field{"properties", &T::spark_properties},
        Field{"template", &T::executor_template},
        Field{"problem", &T::problem}};
};
template <>
struct Of<core::Card> {
    using T = core::Card;
    static constexpr auto list = std::tuple{
        Field{"id", &T::id},
        Field{"units", &T::units},
        Field{"cores", &T::cores},
        Field{"slots", &T::slots}};
};
template <>
struct Of<core::NodeCards> {
    using T = core::NodeCards;
    static constexpr auto list = std::tuple{
        Field{"resource", &T::resource}, Field{"cards", &T::cards}, Field{"problem", &T::problem}};
};
template <>
struct Of<core::NodeImage> {
    using T = core::NodeImage;
    static constexpr auto list = std::tuple{Field{"name", &T::name}, Field{"bytes", &T::bytes}};
};
template <>
struct Of<core::Node> {
    using T = core::Node;
    static constexpr auto list = std::tuple{
        Field{"name", &T::name},
        Field{"uid", &T::uid},
        Field{"version", &T::resource_version},
        Field{"allocatable", &T::allocatable},
        Field{"pods", &T::pods},
        Field{"cards", &T::cards},
        Field{"images", &T::images},
        Field{"labels", &T::labels},
        Field{"cost", &T::cost},
        Field{"scarce", &T::is_scarce},
        Field{"taints", &T::taints},
        Field{"unschedulable", &T::unschedulable},
        Field{"ready", &T::ready},
        Field{"distrusted", &T::is_quarantined},
        Field{"refusesPorts", &T::refuses_host_ports},
        Field{"gpuScore", &T::gpu_score}};
};
template <>
struct Of<core::SampledGpu> {
    using T = core::SampledGpu;
    static constexpr auto list = std::tuple{
        Field{"id", &T::id},
        Field{"model", &T::model},
        Field{"freeMib", &T::free_mib},
        Field{"sizeMib", &T::size_mib},
        Field{"milliwatts", &T::power_milliwatts},
        Field{"encoder", &T::encoder_permille},
        Field{"decoder", &T::decoder_permille},
        Field{"multiprocessors", &T::multiprocessors},
        Field{"sharedEncoders", &T::shared_encoders},
        Field{"sharedDecoders", &T::shared_decoders}};
};
template <>
struct Of<core::SampledNode> {
    using T = core::SampledNode;
    static constexpr auto list = std::tuple{Field{"node", &T::node}, Field{"gpus", &T::gpus}};
};
template <>
struct Of<core::ContainerRequest> {
    using T = core::ContainerRequest;
    static constexpr auto list = std::tuple{
        Field{"name", &T::name},
        Field{"requests", &T::requests},
        Field{"restartable", &T::restartable}};
};
template <>
struct Of<core::PodRequests> {
    using T = core::PodRequests;
    static constexpr auto list = std::tuple{
        Field{"containers", &T::containers},
        Field{"init", &T::init_containers},
        Field{"overhead", &T::overhead},
        Field{"podLevel", &T::pod_level}};
};
template <>
struct Of<core::HostPort> {
    using T = core::HostPort;
    static constexpr auto list =
        std::tuple{Field{"ip", &T::ip}, Field{"protocol", &T::protocol}, Field{"port", &T::port}};
};
template <>
struct Of<core::InTreeDisk> {
    using T = core::InTreeDisk;
    static constexpr auto list =
        std::tuple{Field{"name", &T::name}, Field{"shared", &T::is_shared}};
};
template <>
struct Of<core::TemplateContainer> {
    using T = core::TemplateContainer;
    static constexpr auto list =
        std::tuple{
            Field{"cpuLimit", &T::cpu_limit_milli},
            Field{"memoryLimit", &T::memory_limit_bytes},
            Field{"ports", &T::host_ports},
            Field{"image", &T::image}};
};
template <>
struct Of<core::PodTemplate> {
    using T = core::PodTemplate;
    static constexpr auto list = std::tuple{
        Field{"requests", &T::requests},
        Field{"containers", &T::containers},
        Field{"sidecarPorts", &T::sidecar_ports},
        Field{"disks", &T::disks},
        Field{"constraints", &T::constraints},
        Field{"rules", &T::rules},
        Field{"labels", &T::labels},
        Field{"hostNetwork", &T::host_network},
        Field{"scheduler", &T::scheduler_name},
        Field{"node", &T::node_name},
        Field{"priorityClass", &T::priority_class_name},
        Field{"preemption", &T::preemption_policy},
        Field{"runtimeClass", &T::runtime_class_name},
        Field{"affinity", &T::affinity_json},
        Field{"spread", &T::topology_spread_json},
        Field{"volumes", &T::volumes_json},
        Field{"gates", &T::scheduling_gates_json}};
};

// --- configuration ---

template <>
inline constexpr auto last<core::PackingPolicy> = core::last_packing_policy;
template <>
inline constexpr auto last<core::ScoreId> = core::last_score;
template <>
inline constexpr auto last<config::Messages> = config::Messages::kube_scheduler;
template <>
inline constexpr auto last<config::Discovery> = config::Discovery::none;
template <>
inline constexpr auto last<config::OrphanExecutors> = config::OrphanExecutors::schedule;
template <>
inline constexpr auto last<config::DynamicAllocation> = config::DynamicAllocation::reserve_max;
template <>
inline constexpr auto last<config::UnusedThen> = config::UnusedThen::release;
template <>
inline constexpr auto last<config::LogFormat> = config::LogFormat::console;
template <>
inline constexpr auto last<config::LogLevel> = config::LogLevel::error;

template <>
struct Of<config::LeaderElection> {
    using T = config::LeaderElection;
    static constexpr auto list = std::tuple{
        Field{"enabled", &T::enabled},
        Field{"leaseName", &T::lease_name},
        Field{"leaseNamespace", &T::lease_namespace},
        Field{"leaseDurationMs", &T::lease_duration_ms},
        Field{"renewDeadlineMs", &T::renew_deadline_ms},
        Field{"retryPeriodMs", &T::retry_period_ms}};
};
template <>
struct Of<config::Gang> {
    using T = config::Gang;
    static constexpr auto list = std::tuple{
        Field{"discovery", &T::discovery},
        Field{"orphanExecutors", &T::orphan_executors},
        Field{"maxGangSize", &T::max_gang_size},
        Field{"dynamicAllocation", &T::dynamic_allocation},
        Field{"neverRunningAfterMs", &T::never_running_after_ms},
        Field{"neverRunningThen", &T::never_running_then},
        Field{"missingExecutorsAfterMs", &T::missing_executors_after_ms},
        Field{"missingExecutorsThen", &T::missing_executors_then}};
};
template <>
struct Of<config::Nodes> {
    using T = config::Nodes;
    static constexpr auto list = std::tuple{
        Field{"headroomCpu", &T::headroom_cpu_milli},
        Field{"headroomMemory", &T::headroom_memory_bytes},
        Field{"costLabel", &T::cost_label},
        Field{"scarce", &T::scarce}};
};
template <>
struct Of<core::ResourceWeight> {
    using T = core::ResourceWeight;
    static constexpr auto list = std::tuple{Field{"name", &T::name}, Field{"weight", &T::weight}};
};
template <>
struct Of<core::ShapePoint> {
    using T = core::ShapePoint;
    static constexpr auto list =
        std::tuple{Field{"utilization", &T::utilization}, Field{"score", &T::score}};
};
template <>
struct Of<core::WeightedScore> {
    using T = core::WeightedScore;
    static constexpr auto list = std::tuple{
        Field{"score", &T::score},
        Field{"weight", &T::weight},
        Field{"resources", &T::resources},
        Field{"shape", &T::shape}};
};
template <>
struct Of<core::PodScoring> {
    using T = core::PodScoring;
    static constexpr auto list = std::tuple{
        Field{"requiredAffinity", &T::required_affinity},
        Field{"ignoresPlaced", &T::ignores_placed}};
};
template <>
struct Of<config::Profile> {
    using T = config::Profile;
    static constexpr auto list = std::tuple{
        Field{"schedulerName", &T::scheduler_name},
        Field{"packing", &T::packing},
        Field{"gangs", &T::gangs},
        Field{"messages", &T::messages},
        Field{"leftOut", &T::left_out},
        Field{"scores", &T::scores},
        Field{"podScoring", &T::pod_scoring}};
};
template <>
struct Of<config::MetricsService> {
    using T = config::MetricsService;
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"port", &T::port},
        Field{"tls", &T::tls}};
};
template <>
struct Of<core::GpuWeights> {
    using T = core::GpuWeights;
    static constexpr auto list = std::tuple{
        Field{"memory", &T::memory},
        Field{"multiprocessors", &T::multiprocessors},
        Field{"sharedDecoders", &T::shared_decoders},
        Field{"sharedEncoders", &T::shared_encoders},
        Field{"freeMemory", &T::free_memory},
        Field{"power", &T::power},
        Field{"decoder", &T::decoder},
        Field{"encoder", &T::encoder},
        Field{"static", &T::of_static},
        Field{"dynamic", &T::of_dynamic},
        Field{"lessPower", &T::prefers_less_power}};
};
template <>
struct Of<config::GpuMetrics> {
    using T = config::GpuMetrics;
    static constexpr auto list = std::tuple{
        Field{"url", &T::url},
        Field{"service", &T::service},
        Field{"intervalMs", &T::interval_ms},
        Field{"staleAfterMs", &T::stale_after_ms},
        Field{"bearerTokenFile", &T::bearer_token_file},
        Field{"caFile", &T::ca_file},
        Field{"nodeLabel", &T::node_label},
        Field{"modelAliases", &T::model_aliases},
        Field{"weights", &T::weights}};
};
template <>
inline constexpr auto last<config::QueueOrder> = config::QueueOrder::fair;
template <>
inline constexpr auto last<config::BackfillMode> = config::BackfillMode::conservative;
template <>
inline constexpr auto last<config::PlacementRule::Kind> = config::PlacementRule::Kind::fixed;
template <>
inline constexpr auto last<config::QueueState> = config::QueueState::stopped;
template <>
inline constexpr auto last<config::PreemptionWithin> = config::PreemptionWithin::lower_priority;
template <>
struct Of<config::QueuePreemption> {
    using T = config::QueuePreemption;
    static constexpr auto list = std::tuple{
        Field{"reclaimable", &T::is_reclaimable}, Field{"withinQueue", &T::within_queue}};
};
template <>
struct Of<config::Preemption> {
    using T = config::Preemption;
    static constexpr auto list = std::tuple{
        Field{"acrossQueues", &T::across_queues},
        Field{"maxVictimsPerMinute", &T::max_victims_per_minute}};
};
template <>
struct Of<config::Queue> {
    using T = config::Queue;
    static constexpr auto list = std::tuple{
        Field{"name", &T::name},
        Field{"weight", &T::weight},
        Field{"guarantee", &T::guarantee},
        Field{"limit", &T::limit},
        Field{"userLimit", &T::user_limit},
        Field{"maxGangs", &T::max_gangs},
        Field{"order", &T::order},
        Field{"agingPerHour", &T::aging_per_hour},
        Field{"maxWaitMs", &T::max_wait_ms},
        Field{"maxWaitStrict", &T::is_max_wait_strict},
        Field{"preemption", &T::preemption},
        Field{"backfill", &T::backfill},
        Field{"users", &T::users},
        Field{"namespaces", &T::namespaces},
        Field{"state", &T::state},
        Field{"object", &T::object}};
};
template <>
struct Of<config::QueueObjects> {
    using T = config::QueueObjects;
    static constexpr auto list = std::tuple{
        Field{"enabled", &T::enabled},
        Field{"reclaim", &T::reclaim},
        Field{"areThere", &T::are_there}};
};
template <>
struct Of<config::Volcano> {
    using T = config::Volcano;
    static constexpr auto list = std::tuple{
        Field{"enqueue", &T::enqueue},
        Field{"overcommitPercent", &T::overcommit_percent},
        Field{"strictOrder", &T::is_strict_order},
        Field{"podsWithinMs", &T::pods_within_ms}};
};
template <>
struct Of<config::PlacementRule> {
    using T = config::PlacementRule;
    static constexpr auto list = std::tuple{
        Field{"kind", &T::kind}, Field{"queue", &T::queue}, Field{"label", &T::label}};
};
template <>
struct Of<config::Api> {
    using T = config::Api;
    static constexpr auto list = std::tuple{
        Field{"enabled", &T::enabled},
        Field{"listen", &T::listen},
        Field{"hosts", &T::hosts},
        Field{"showAllNamespaces", &T::shows_all_namespaces}};
};
template <>
struct Of<config::Extender> {
    using T = config::Extender;
    static constexpr auto list = std::tuple{
        Field{"enabled", &T::enabled},
        Field{"listen", &T::listen},
        Field{"prefix", &T::prefix},
        Field{"schedulerName", &T::scheduler_name},
        Field{"binds", &T::binds}};
};
template <>
inline constexpr auto last<config::AutoscalingMode> = config::AutoscalingMode::provisioning_request;
template <>
struct Of<config::Autoscaling> {
    using T = config::Autoscaling;
    static constexpr auto list = std::tuple{Field{"mode", &T::mode}};
};
template <>
struct Of<config::Quota> {
    using T = config::Quota;
    static constexpr auto list = std::tuple{Field{"preflight", &T::preflight}};
};
template <>
struct Of<config::Backfill> {
    using T = config::Backfill;
    static constexpr auto list =
        std::tuple{Field{"mode", &T::mode}, Field{"maxBypass", &T::max_bypass}};
};
template <>
struct Of<config::FairShare> {
    using T = config::FairShare;
    static constexpr auto list = std::tuple{Field{"usageHalfLife", &T::usage_half_life_ms}};
};
template <>
struct Of<config::ExtenderTls> {
    using T = config::ExtenderTls;
    static constexpr auto list = std::tuple{
        Field{"insecure", &T::insecure},
        Field{"serverName", &T::server_name},
        Field{"certFile", &T::cert_file},
        Field{"keyFile", &T::key_file},
        Field{"caFile", &T::ca_file}};
};
template <>
struct Of<config::CalledExtender> {
    using T = config::CalledExtender;
    static constexpr auto list = std::tuple{
        Field{"urlPrefix", &T::url_prefix},
        Field{"filterVerb", &T::filter_verb},
        Field{"prioritizeVerb", &T::prioritize_verb},
        Field{"weight", &T::weight},
        Field{"timeoutMs", &T::timeout_ms},
        Field{"tls", &T::tls},
        Field{"nodeCacheCapable", &T::is_node_cache_capable},
        Field{"ignorable", &T::is_ignorable},
        Field{"managedResources", &T::managed_resources}};
};
template <>
struct Of<config::Schema> {
    using T = config::Schema;
    static constexpr auto list = std::tuple{
        Field{"kubeconfig", &T::kubeconfig},
        Field{"leaderElection", &T::leader_election},
        Field{"server", &T::server_listen},
        Field{"control", &T::control_listen},
        Field{"api", &T::api},
        Field{"extender", &T::extender},
        Field{"extenders", &T::extenders},
        Field{"logFormat", &T::log_format},
        Field{"logLevel", &T::log_level},
        Field{"profiles", &T::profiles},
        Field{"gang", &T::gang},
        Field{"nodes", &T::nodes},
        Field{"gpuMetrics", &T::gpu_metrics},
        Field{"autoscaling", &T::autoscaling},
        Field{"quota", &T::quota},
        Field{"backfill", &T::backfill},
        Field{"fairShare", &T::fair_share},
        Field{"queues", &T::queues},
        Field{"placement", &T::placement},
        Field{"queueObjects", &T::queue_objects},
        Field{"volcano", &T::volcano},
        Field{"preemption", &T::preemption},
        Field{"sealKeyFile", &T::seal_key_file},
        Field{"nameOtherNamespaces", &T::names_other_namespaces},
        Field{"eventsPerSecond", &T::events_per_second},
        Field{"auditIntervalMs", &T::audit_interval_ms}};
};

// --- events ---

template <>
inline constexpr auto last<Kind> = Kind::nodes;
template <>
inline constexpr auto last<ConfProblem> = ConfProblem::failed;
template <>
inline constexpr auto last<BindOutcome> = BindOutcome::not_sent;
template <>
inline constexpr auto last<WriteOutcome> = WriteOutcome::failed;
template <>
inline constexpr auto last<EvictOutcome> = EvictOutcome::not_sent;
template <>
inline constexpr auto last<EvictReason> = EvictReason::preempt;

template <>
struct Of<spark::Conf> {
    using T = spark::Conf;
    static constexpr auto list = std::tuple{
        Field{"properties", &T::properties},
        Field{"version", &T::spark_version},
        Field{"template", &T::executor_template}};
};
template <>
struct Of<PodUpserted> {
    static constexpr const char* name = "pod";
    static constexpr auto list = std::tuple{Field{"pod", &PodUpserted::pod}};
};
template <>
struct Of<PodDeleted> {
    static constexpr const char* name = "podDeleted";
    static constexpr auto list = std::tuple{Field{"uid", &PodDeleted::uid}};
};
template <>
struct Of<NodeUpserted> {
    static constexpr const char* name = "node";
    static constexpr auto list = std::tuple{Field{"node", &NodeUpserted::node}};
};
template <>
struct Of<NodeDeleted> {
    static constexpr const char* name = "nodeDeleted";
    static constexpr auto list = std::tuple{Field{"name", &NodeDeleted::name}};
};
template <>
struct Of<RelistBegun> {
    static constexpr const char* name = "relistBegun";
    static constexpr auto list = std::tuple{Field{"kind", &RelistBegun::kind}};
};
template <>
struct Of<RelistEnded> {
    static constexpr const char* name = "relistEnded";
    static constexpr auto list = std::tuple{Field{"kind", &RelistEnded::kind}};
};
template <>
struct Of<SparkConfFound> {
    using T = SparkConfFound;
    static constexpr const char* name = "confFound";
    static constexpr auto list =
        std::tuple{Field{"driver", &T::driver_uid}, Field{"conf", &T::conf}};
};
template <>
struct Of<SparkConfMissing> {
    using T = SparkConfMissing;
    static constexpr const char* name = "confMissing";
    static constexpr auto list = std::tuple{
        Field{"driver", &T::driver_uid},
        Field{"problem", &T::problem},
        Field{"message", &T::message}};
};
template <>
struct Of<BindFinished> {
    using T = BindFinished;
    static constexpr const char* name = "bindFinished";
    static constexpr auto list = std::tuple{
        Field{"uid", &T::pod_uid}, Field{"outcome", &T::outcome}, Field{"message", &T::message}};
};
template <>
inline constexpr auto last<ClaimProblem> = ClaimProblem::failed;
template <>
struct Of<ClaimFound> {
    using T = ClaimFound;
    static constexpr const char* name = "claimFound";
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name}, Field{"name", &T::name}, Field{"claim", &T::claim}};
};
template <>
struct Of<ClaimMissing> {
    using T = ClaimMissing;
    static constexpr const char* name = "claimMissing";
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"problem", &T::problem},
        Field{"message", &T::message}};
};
template <>
struct Of<VolumeLimitsListed> {
    static constexpr const char* name = "volumeLimits";
    static constexpr auto list = std::tuple{Field{"nodes", &VolumeLimitsListed::nodes}};
};
template <>
struct Of<VolumeLimitsChanged> {
    static constexpr const char* name = "volumeLimitsChanged";
    static constexpr auto list = std::tuple{Field{"node", &VolumeLimitsChanged::node}};
};
template <>
struct Of<VolumeLimitsMissing> {
    static constexpr const char* name = "volumeLimitsMissing";
    static constexpr auto list = std::tuple{Field{"message", &VolumeLimitsMissing::message}};
};
template <>
struct Of<StorageListed> {
    static constexpr const char* name = "storage";
    static constexpr auto list = std::tuple{Field{"segments", &StorageListed::segments}};
};
template <>
struct Of<StorageChanged> {
    static constexpr const char* name = "storageChanged";
    static constexpr auto list = std::tuple{Field{"segment", &StorageChanged::segment}};
};
template <>
struct Of<StorageMissing> {
    static constexpr const char* name = "storageMissing";
    static constexpr auto list = std::tuple{Field{"message", &StorageMissing::message}};
};
template <>
struct Of<core::NamespaceLabels> {
    using T = core::NamespaceLabels;
    static constexpr auto list =
        std::tuple{Field{"name", &T::name}, Field{"labels", &T::labels}};
};
template <>
struct Of<NamespacesListed> {
    static constexpr const char* name = "namespaces";
    static constexpr auto list = std::tuple{Field{"namespaces", &NamespacesListed::namespaces}};
};
template <>
struct Of<NamespaceChanged> {
    static constexpr const char* name = "namespaceChanged";
    static constexpr auto list = std::tuple{Field{"namespace", &NamespaceChanged::one}};
};
template <>
struct Of<NamespaceDeleted> {
    static constexpr const char* name = "namespaceDeleted";
    static constexpr auto list = std::tuple{Field{"name", &NamespaceDeleted::name}};
};
template <>
struct Of<NamespacesMissing> {
    static constexpr const char* name = "namespacesMissing";
    static constexpr auto list = std::tuple{Field{"message", &NamespacesMissing::message}};
};
template <>
inline constexpr auto last<core::GroupDialect> = core::last_group_dialect;
template <>
inline constexpr auto last<PodGroupProblem> = PodGroupProblem::failed;
template <>
struct Of<core::RoleMinimum> {
    using T = core::RoleMinimum;
    static constexpr auto list = std::tuple{Field{"role", &T::role}, Field{"count", &T::count}};
};
template <>
struct Of<core::PodGroup> {
    using T = core::PodGroup;
    static constexpr auto list = std::tuple{
        Field{"minMembers", &T::min_members},
        Field{"roles", &T::roles},
        Field{"problem", &T::problem},
        Field{"minResources", &T::min_resources},
        Field{"queue", &T::queue},
        Field{"priority", &T::priority},
        Field{"topologyKey", &T::topology_key},
        Field{"maxWait", &T::max_wait},
        Field{"neverPreempts", &T::never_preempts},
        Field{"goesWhole", &T::goes_whole}};
};
template <>
inline constexpr auto last<core::GroupPhase> = core::last_group_phase;
template <>
inline constexpr auto last<core::GroupCondition> = core::last_group_condition;
template <>
struct Of<core::PodGroupStatus> {
    using T = core::PodGroupStatus;
    static constexpr auto list = std::tuple{
        Field{"phase", &T::phase},
        Field{"running", &T::running},
        Field{"succeeded", &T::succeeded},
        Field{"failed", &T::failed},
        Field{"occupiedBy", &T::occupied_by},
        Field{"condition", &T::condition},
        Field{"reason", &T::reason},
        Field{"message", &T::message},
        Field{"since", &T::since_ms}};
};
template <>
struct Of<PodGroupFound> {
    using T = PodGroupFound;
    static constexpr const char* name = "podGroupFound";
    static constexpr auto list = std::tuple{
        Field{"dialect", &T::dialect},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"group", &T::group},
        Field{"uid", &T::uid},
        Field{"apiVersion", &T::api_version},
        Field{"status", &T::status}};
};
template <>
struct Of<PodGroupMissing> {
    using T = PodGroupMissing;
    static constexpr const char* name = "podGroupMissing";
    static constexpr auto list = std::tuple{
        Field{"dialect", &T::dialect},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"problem", &T::problem},
        Field{"message", &T::message}};
};
template <>
inline constexpr auto last<QuotaProblem> = QuotaProblem::failed;
template <>
inline constexpr auto last<core::ScopeOperator> = core::ScopeOperator::does_not_exist;
template <>
struct Of<core::QuotaAmount> {
    using T = core::QuotaAmount;
    static constexpr auto list = std::tuple{
        Field{"resource", &T::resource}, Field{"hard", &T::hard}, Field{"used", &T::used}};
};
template <>
struct Of<core::PriorityClassScope> {
    using T = core::PriorityClassScope;
    static constexpr auto list =
        std::tuple{Field{"op", &T::op}, Field{"values", &T::values}};
};
template <>
struct Of<core::ResourceQuota> {
    using T = core::ResourceQuota;
    static constexpr auto list = std::tuple{
        Field{"name", &T::name}, Field{"amounts", &T::amounts}, Field{"classes", &T::classes}};
};
template <>
struct Of<core::LimitBounds> {
    using T = core::LimitBounds;
    static constexpr auto list = std::tuple{
        Field{"range", &T::range},
        Field{"pod", &T::is_pod},
        Field{"resource", &T::resource},
        Field{"min", &T::min},
        Field{"max", &T::max},
        Field{"default", &T::default_limit},
        Field{"defaultRequest", &T::default_request},
        Field{"ratio", &T::ratio_milli}};
};
template <>
struct Of<core::NamespaceQuotas> {
    using T = core::NamespaceQuotas;
    static constexpr auto list =
        std::tuple{Field{"quotas", &T::quotas}, Field{"bounds", &T::bounds}};
};
template <>
struct Of<QuotasFound> {
    using T = QuotasFound;
    static constexpr const char* name = "quotasFound";
    static constexpr auto list =
        std::tuple{Field{"namespace", &T::namespace_name}, Field{"quotas", &T::quotas}};
};
template <>
struct Of<QuotasMissing> {
    using T = QuotasMissing;
    static constexpr const char* name = "quotasMissing";
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name},
        Field{"problem", &T::problem},
        Field{"message", &T::message}};
};
template <>
inline constexpr auto last<GroupStatusOutcome> = GroupStatusOutcome::failed;
template <>
struct Of<GroupStatusWritten> {
    using T = GroupStatusWritten;
    static constexpr const char* name = "groupStatusWritten";
    static constexpr auto list = std::tuple{
        Field{"dialect", &T::dialect},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"outcome", &T::outcome},
        Field{"message", &T::message}};
};
template <>
struct Of<StatusWritten> {
    using T = StatusWritten;
    static constexpr const char* name = "statusWritten";
    static constexpr auto list = std::tuple{
        Field{"uid", &T::pod_uid}, Field{"outcome", &T::outcome}, Field{"message", &T::message}};
};
template <>
struct Of<EvictFinished> {
    using T = EvictFinished;
    static constexpr const char* name = "evictFinished";
    static constexpr auto list = std::tuple{
        Field{"uid", &T::pod_uid}, Field{"outcome", &T::outcome}, Field{"message", &T::message}};
};
template <>
struct Of<ReservationDiffers> {
    static constexpr const char* name = "reservationDiffers";
    static constexpr auto list = std::tuple{Field{"driver", &ReservationDiffers::driver_uid}};
};
template <>
struct Of<PodListed> {
    using T = PodListed;
    static constexpr const char* name = "podListed";
    static constexpr auto list = std::tuple{
        Field{"uid", &T::uid},
        Field{"namespace", &T::namespace_name},
        Field{"labels", &T::labels},
        Field{"deleting", &T::deleting}};
};
template <>
struct Of<PodsListed> {
    static constexpr const char* name = "podsListed";
    static constexpr auto list = std::tuple{Field{"complete", &PodsListed::complete}};
};
template <>
struct Of<ExtenderAsked> {
    using T = ExtenderAsked;
    static constexpr const char* name = "extenderAsked";
    static constexpr auto list =
        std::tuple{Field{"token", &T::token}, Field{"pod", &T::pod}, Field{"nodes", &T::nodes}};
};
template <>
struct Of<ExtendersAnswered> {
    using T = ExtendersAnswered;
    static constexpr const char* name = "extendersAnswered";
    static constexpr auto list = std::tuple{
        Field{"question", &T::question},
        Field{"problem", &T::problem},
        Field{"nodes", &T::nodes},
        Field{"points", &T::points},
        Field{"refusal", &T::refusal}};
};
template <>
struct Of<ExtenderBinds> {
    using T = ExtenderBinds;
    static constexpr const char* name = "extenderBinds";
    static constexpr auto list = std::tuple{
        Field{"token", &T::token},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"uid", &T::pod_uid},
        Field{"node", &T::node}};
};
template <>
struct Of<MetricsSampled> {
    static constexpr const char* name = "metricsSampled";
    static constexpr auto list = std::tuple{Field{"nodes", &MetricsSampled::nodes}};
};
template <>
struct Of<MetricsMissing> {
    static constexpr const char* name = "metricsMissing";
    static constexpr auto list = std::tuple{Field{"message", &MetricsMissing::message}};
};
template <>
inline constexpr auto last<CapacityOutcome> = CapacityOutcome::failed;
template <>
struct Of<CapacityAnswered> {
    using T = CapacityAnswered;
    static constexpr const char* name = "capacityAnswered";
    static constexpr auto list = std::tuple{
        Field{"driver", &T::driver_uid},
        Field{"outcome", &T::outcome},
        Field{"mayExist", &T::may_exist},
        Field{"message", &T::message}};
};
template <>
struct Of<FoundCapacity> {
    using T = FoundCapacity;
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name},
        Field{"driver", &T::driver_uid},
        Field{"shapes", &T::shapes},
        Field{"created", &T::created_ms}};
};
template <>
struct Of<CapacityListed> {
    using T = CapacityListed;
    static constexpr const char* name = "capacityListed";
    static constexpr auto list =
        std::tuple{Field{"complete", &T::is_complete}, Field{"found", &T::found}};
};
template <>
struct Of<LeadershipGained> {
    using T = LeadershipGained;
    static constexpr const char* name = "leadershipGained";
    static constexpr auto list =
        std::tuple{Field{"epoch", &T::epoch}, Field{"handedOver", &T::handed_over}};
};
template <>
struct Of<LeadershipLost> {
    static constexpr const char* name = "leadershipLost";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<ConfigChanged> {
    static constexpr const char* name = "configChanged";
    static constexpr auto list = std::tuple{Field{"config", &ConfigChanged::config}};
};
template <>
struct Of<Tick> {
    static constexpr const char* name = "tick";
    static constexpr auto list = std::tuple{};
};

// --- decisions ---

template <>
struct Of<PodRef> {
    using T = PodRef;
    static constexpr auto list = std::tuple{
        Field{"namespace", &T::namespace_name}, Field{"name", &T::name}, Field{"uid", &T::uid}};
};
template <>
struct Of<ClaimedVolume> {
    using T = ClaimedVolume;
    static constexpr auto list = std::tuple{Field{"claim", &T::claim}, Field{"volume", &T::volume}};
};
template <>
struct Of<BindPod> {
    using T = BindPod;
    static constexpr const char* name = "bind";
    static constexpr auto list = std::tuple{
        Field{"pod", &T::pod},
        Field{"version", &T::resource_version},
        Field{"node", &T::node},
        Field{"annotations", &T::annotations},
        Field{"pendingSince", &T::pending_since_ms},
        Field{"startsGang", &T::starts_gang},
        Field{"claims", &T::claims},
        Field{"volumes", &T::volumes}};
};
template <>
struct Of<FetchSparkConf> {
    using T = FetchSparkConf;
    static constexpr const char* name = "fetchConf";
    static constexpr auto list = std::tuple{
        Field{"driver", &T::driver},
        Field{"sparkVersion", &T::spark_version},
        Field{"properties", &T::properties},
        Field{"template", &T::executor_template}};
};
template <>
struct Of<FetchClaim> {
    using T = FetchClaim;
    static constexpr const char* name = "fetchClaim";
    static constexpr auto list =
        std::tuple{Field{"namespace", &T::namespace_name}, Field{"name", &T::name}};
};
template <>
struct Of<WatchVolumeLimits> {
    static constexpr const char* name = "watchVolumeLimits";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<WatchStorage> {
    static constexpr const char* name = "watchStorage";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<WatchNamespaces> {
    static constexpr const char* name = "watchNamespaces";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<FetchPodGroup> {
    using T = FetchPodGroup;
    static constexpr const char* name = "fetchPodGroup";
    static constexpr auto list = std::tuple{
        Field{"dialect", &T::dialect},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name}};
};
template <>
struct Of<FetchQuotas> {
    static constexpr const char* name = "fetchQuotas";
    static constexpr auto list = std::tuple{Field{"namespace", &FetchQuotas::namespace_name}};
};
template <>
struct Of<WriteGroupStatus> {
    using T = WriteGroupStatus;
    static constexpr const char* name = "groupStatus";
    static constexpr auto list = std::tuple{
        Field{"dialect", &T::dialect},
        Field{"namespace", &T::namespace_name},
        Field{"name", &T::name},
        Field{"uid", &T::uid},
        Field{"apiVersion", &T::api_version},
        Field{"status", &T::status}};
};
template <>
struct Of<SetCondition> {
    using T = SetCondition;
    static constexpr const char* name = "condition";
    static constexpr auto list = std::tuple{
        Field{"pod", &T::pod},
        Field{"reason", &T::reason},
        Field{"message", &T::message},
        Field{"fence", &T::fence},
        Field{"version", &T::resource_version},
        Field{"transition", &T::is_transition}};
};
template <>
struct Of<UpdateReservation> {
    using T = UpdateReservation;
    static constexpr const char* name = "updateReservation";
    static constexpr auto list = std::tuple{
        Field{"driver", &T::driver},
        Field{"version", &T::resource_version},
        Field{"annotations", &T::annotations}};
};
template <>
struct Of<EvictPod> {
    using T = EvictPod;
    static constexpr const char* name = "evict";
    static constexpr auto list = std::tuple{Field{"pod", &T::pod}, Field{"reason", &T::reason}};
};
template <>
struct Of<ListPods> {
    static constexpr const char* name = "listPods";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<RecordEvent> {
    using T = RecordEvent;
    static constexpr const char* name = "event";
    static constexpr auto list = std::tuple{
        Field{"pod", &T::pod},
        Field{"warning", &T::warning},
        Field{"reason", &T::reason},
        Field{"message", &T::message},
        Field{"aboutNode", &T::is_about_node},
        Field{"aboutGroup", &T::group_api_version}};
};
template <>
struct Of<core::CapacityShape> {
    using T = core::CapacityShape;
    static constexpr auto list = std::tuple{
        Field{"requests", &T::requests},
        Field{"constraints", &T::constraints},
        Field{"count", &T::count}};
};
template <>
struct Of<WantCapacity> {
    using T = WantCapacity;
    static constexpr const char* name = "wantCapacity";
    static constexpr auto list =
        std::tuple{Field{"driver", &T::driver}, Field{"shapes", &T::shapes}};
};
template <>
struct Of<DropCapacity> {
    using T = DropCapacity;
    static constexpr const char* name = "dropCapacity";
    static constexpr auto list =
        std::tuple{Field{"driver", &T::driver}, Field{"shapes", &T::shapes}};
};
template <>
struct Of<ListCapacity> {
    static constexpr const char* name = "listCapacity";
    static constexpr auto list = std::tuple{};
};
template <>
struct Of<AnswerExtender> {
    using T = AnswerExtender;
    static constexpr const char* name = "answerExtender";
    static constexpr auto list = std::tuple{
        Field{"token", &T::token}, Field{"nodes", &T::nodes}, Field{"message", &T::message}};
};
template <>
struct Of<AskExtenders> {
    using T = AskExtenders;
    static constexpr const char* name = "askExtenders";
    static constexpr auto list = std::tuple{
        Field{"question", &T::question},
        Field{"pod", &T::pod},
        Field{"isToCome", &T::is_to_come},
        Field{"schedulerName", &T::scheduler_name},
        Field{"requests", &T::requests},
        Field{"extenders", &T::extenders},
        Field{"nodes", &T::nodes}};
};
template <>
struct Of<WakeAt> {
    static constexpr const char* name = "wakeAt";
    static constexpr auto list = std::tuple{Field{"ms", &WakeAt::time_ms}};
};
template <>
struct Of<StepDown> {
    static constexpr const char* name = "stepDown";
    static constexpr auto list = std::tuple{Field{"why", &StepDown::why}};
};

/// Does not compile when T has another number of members than its table has rows.
template <typename T>
void check_rows([[maybe_unused]] const T& value) {
    constexpr std::size_t count = std::tuple_size_v<decltype(Of<T>::list)>;
    if constexpr (count == 1) {
        [[maybe_unused]] const auto& [a] = value;
    } else if constexpr (count == 2) {
        [[maybe_unused]] const auto& [a, b] = value;
    } else if constexpr (count == 3) {
        [[maybe_unused]] const auto& [a, b, c] = value;
    } else if constexpr (count == 4) {
        [[maybe_unused]] const auto& [a, b, c, d] = value;
    } else if constexpr (count == 5) {
        [[maybe_unused]] const auto& [a, b, c, d, e] = value;
    } else if constexpr (count == 6) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f] = value;
    } else if constexpr (count == 7) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g] = value;
    } else if constexpr (count == 8) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h] = value;
    } else if constexpr (count == 9) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i] = value;
    } else if constexpr (count == 10) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j] = value;
    } else if constexpr (count == 11) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    } else if constexpr (count == 12) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    } else if constexpr (count == 13) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    } else if constexpr (count == 14) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    } else if constexpr (count == 15) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    } else if constexpr (count == 16) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    } else if constexpr (count == 17) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value;
    } else if constexpr (count == 18) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value;
    } else if constexpr (count == 20) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = value;
    } else if constexpr (count == 21) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] =
            value;
    } else if constexpr (count == 22) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] =
            value;
    } else if constexpr (count == 23) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] =
            value;
    } else if constexpr (count == 25) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] =
            value;
    } else if constexpr (count == 26) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] =
            value;
    } else if constexpr (count == 27) {
        [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa] =
            value;
    } else {
        static_assert(
            count == 0 && std::is_empty_v<T>, "add a branch for this number of members above");
    }
}

}  // namespace gang::fields
