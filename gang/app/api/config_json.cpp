// The configuration in effect as JSON, named as in the file. No value of it is secret: of the
// seal's key it has the path.
#include "config/duration.hpp"
#include "config/plugins/profile_view.hpp"
#include "core/placement/packing_policy.hpp"
#include "gang/app/api/answers.hpp"

#include <fmt/format.h>

#include <utility>

namespace gang::app {
namespace {

/// One object, member by member.
class Object {
public:
    Object& add(std::string_view key, const std::string& json) {
        text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", key, json);
        return *this;
    }
    Object& text(std::string_view key, std::string_view value) {
        return add(key, json_string(value));
    }
    Object& number(std::string_view key, std::int64_t value) {
        return add(key, std::to_string(value));
    }
    Object& flag(std::string_view key, bool value) { return add(key, value ? "true" : "false"); }
    Object& duration(std::string_view key, std::int64_t milliseconds) {
        return text(key, config::format_duration(milliseconds));
    }
    template <typename Items, typename Text>
    Object& list(std::string_view key, const Items& items, Text json_of) {
        std::string out;
        for (const auto& item : items) {
            out += (out.empty() ? "" : ",") + json_of(item);
        }
        return add(key, "[" + out + "]");
    }
    std::string json() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

std::string listen_text(const std::string& listen) {
    return listen.empty() ? "none" : listen;
}

const char* word(config::Discovery discovery) {
    switch (discovery) {
        case config::Discovery::automatic:
            return "auto";
        case config::Discovery::spark_conf:
            return "sparkConf";
        case config::Discovery::annotations:
            return "annotations";
        case config::Discovery::none:
            return "none";
    }
    return "";
}

const char* word(config::OrphanExecutors orphans) {
    return orphans == config::OrphanExecutors::wait ? "wait" : "schedule";
}

const char* word(config::DynamicAllocation dynamic) {
    switch (dynamic) {
        case config::DynamicAllocation::reserve_min:
            return "reserve-min";
        case config::DynamicAllocation::reserve_initial:
            return "reserve-initial";
        case config::DynamicAllocation::reserve_max:
            return "reserve-max";
    }
    return "";
}

const char* word(config::BackfillMode mode) {
    switch (mode) {
        case config::BackfillMode::off:
            return "off";
        case config::BackfillMode::easy:
            return "easy";
        case config::BackfillMode::conservative:
            return "conservative";
    }
    return "";
}

const char* word(config::UnusedThen then) {
    return then == config::UnusedThen::keep ? "keep" : "release";
}

const char* word(config::LogFormat format) {
    switch (format) {
        case config::LogFormat::automatic:
            return "auto";
        case config::LogFormat::json:
            return "json";
        case config::LogFormat::console:
            return "console";
    }
    return "";
}

const char* word(config::LogLevel level) {
    switch (level) {
        case config::LogLevel::debug:
            return "debug";
        case config::LogLevel::info:
            return "info";
        case config::LogLevel::warning:
            return "warning";
        case config::LogLevel::error:
            return "error";
    }
    return "";
}

/// What is placed by scores has no packing, and the other way about.
std::string profile_json(const config::Profile& profile) {
    const config::ProfileView view = config::view(profile);
    Object out;
    out.text("schedulerName", view.scheduler_name).flag("gangs", view.gangs);
    out.text("messages", view.messages).list("filters", view.filters, json_string);
    if (view.scores.empty()) {
        out.text("packing", view.packing);
    } else {
        out.list("scores", profile.scores, [](const core::WeightedScore& score) {
            Object one;
            one.text("name", core::plugin_name(score.score)).number("weight", score.weight);
            one.list("resources", score.resources, [](const core::ResourceWeight& resource) {
                return Object()
                    .text("name", resource.name)
                    .number("weight", resource.weight)
                    .json();
            });
            one.list("shape", score.shape, [](const core::ShapePoint& point) {
                // The file's scores go from 0 to 10.
                return Object()
                    .number("utilization", point.utilization)
                    .number("score", point.score / 10)
                    .json();
            });
            return one.json();
        });
    }
    return out.json();
}

/// Thousandths of a core, bytes and whole units, as elsewhere in the JSON.
std::string amounts_json(const config::ResourceAmounts& amounts) {
    Object out;
    for (const core::ExtendedResource& amount : amounts) {
        out.number(amount.name == "cpu" ? "cpuMilli" : amount.name, amount.amount);
    }
    return out.json();
}

std::string queue_json(const config::Queue& queue) {
    return Object()
        .text("name", queue.name)
        .number("weight", queue.weight)
        .add("guarantee", amounts_json(queue.guarantee))
        .add("limit", amounts_json(queue.limit))
        .add("userLimit", amounts_json(queue.user_limit))
        .add("maxGangs", queue.max_gangs ? std::to_string(*queue.max_gangs) : "null")
        .text("order", config::name_of(queue.order))
        .number("agingPerHour", queue.aging_per_hour)
        .duration("maxWait", queue.max_wait_ms)
        .flag("maxWaitStrict", queue.is_max_wait_strict)
        .add(
            "preemption",
            Object()
                .flag("reclaimable", queue.preemption.is_reclaimable)
                .text(
                    "withinQueue",
                    queue.preemption.within_queue == config::PreemptionWithin::never
                        ? "never"
                        : "lowerPriority")
                .json())
        .add("backfill", queue.backfill ? json_string(word(*queue.backfill)) : "null")
        .list("users", queue.users, json_string)
        .list("namespaces", queue.namespaces, json_string)
        .text("state", queue.state == config::QueueState::running ? "running" : "stopped")
        .json();
}

std::string placement_json(const config::PlacementRule& rule) {
    switch (rule.kind) {
        case config::PlacementRule::Kind::annotation:
            return Object().text("annotation", "gang-scheduler/queue").json();
        case config::PlacementRule::Kind::namespace_name:
            return json_string("namespace");
        case config::PlacementRule::Kind::namespace_label:
            return Object().text("namespaceLabel", rule.label).json();
        case config::PlacementRule::Kind::fixed:
            break;
    }
    return Object().text("fixed", rule.queue).json();
}

std::string lease_json(const config::LeaderElection& lease) {
    return Object()
        .flag("enabled", lease.enabled)
        .text("leaseName", lease.lease_name)
        .text("leaseNamespace", lease.lease_namespace)
        .duration("leaseDuration", lease.lease_duration_ms)
        .duration("renewDeadline", lease.renew_deadline_ms)
        .duration("retryPeriod", lease.retry_period_ms)
        .json();
}

std::string unused_json(std::int64_t after_ms, config::UnusedThen then) {
    return Object().duration("after", after_ms).text("then", word(then)).json();
}

std::string gang_section(const config::Gang& gang) {
    return Object()
        .text("discovery", word(gang.discovery))
        .text("orphanExecutors", word(gang.orphan_executors))
        .number("maxGangSize", gang.max_gang_size)
        .text("dynamicAllocation", word(gang.dynamic_allocation))
        .add("neverRunning", unused_json(gang.never_running_after_ms, gang.never_running_then))
        .add(
            "missingExecutors",
            unused_json(gang.missing_executors_after_ms, gang.missing_executors_then))
        .json();
}

std::string nodes_section(const config::Nodes& nodes) {
    const std::string headroom = Object()
                                     .text("cpu", fmt::format("{}m", nodes.headroom_cpu_milli))
                                     .number("memory", nodes.headroom_memory_bytes)
                                     .json();
    return Object()
        .add("headroom", headroom)
        .text("costLabel", nodes.cost_label)
        .list("scarce", nodes.scarce, json_string)
        .json();
}

std::string extender_section(const config::Extender& extender) {
    return Object()
        .flag("enabled", extender.enabled)
        .text("listen", listen_text(extender.listen))
        .text("prefix", extender.prefix)
        .text("schedulerName", extender.scheduler_name)
        .flag("binds", extender.binds)
        .json();
}

std::string autoscaling_section(const config::Autoscaling& autoscaling) {
    const char* mode = "none";
    switch (autoscaling.mode) {
        case config::AutoscalingMode::none:
            break;
        case config::AutoscalingMode::capacity_buffer:
            mode = "capacityBuffer";
            break;
        case config::AutoscalingMode::provisioning_request:
            mode = "provisioningRequest";
            break;
    }
    return Object().text("mode", mode).json();
}

std::string gpu_metrics_section(const config::GpuMetrics& metrics) {
    const config::MetricsService& service = metrics.service;
    const core::GpuWeights& weights = metrics.weights;
    return Object()
        .text("url", metrics.url)
        .add(
            "service",
            Object()
                .text("namespace", service.namespace_name)
                .text("name", service.name)
                .text("port", service.port)
                .text("scheme", service.tls ? "https" : "http")
                .json())
        .duration("interval", metrics.interval_ms)
        .duration("staleAfter", metrics.stale_after_ms)
        .text("bearerTokenFile", metrics.bearer_token_file)
        .text("caFile", metrics.ca_file)
        .text("nodeLabel", metrics.node_label)
        .list(
            "modelAliases",
            metrics.model_aliases,
            [](const std::pair<std::string, std::string>& alias) {
                return Object().text("name", alias.first).text("model", alias.second).json();
            })
        .add(
            "weights",
            Object()
                .number("memory", weights.memory)
                .number("multiprocessors", weights.multiprocessors)
                .number("sharedDecoders", weights.shared_decoders)
                .number("sharedEncoders", weights.shared_encoders)
                .number("freeMemory", weights.free_memory)
                .number("power", weights.power)
                .number("decoder", weights.decoder)
                .number("encoder", weights.encoder)
                .number("static", weights.of_static)
                .number("dynamic", weights.of_dynamic)
                .flag("lessPower", weights.prefers_less_power)
                .json())
        .json();
}

}  // namespace

std::string config_members(const config::Schema& schema) {
    const config::Api& api = schema.api;
    Object out;
    out.add("clientConnection", Object().text("kubeconfig", schema.kubeconfig).json());
    out.add("leaderElection", lease_json(schema.leader_election));
    out.add("server", Object().text("listen", listen_text(schema.server_listen)).json());
    out.add("control", Object().text("listen", listen_text(schema.control_listen)).json());
    out.add(
        "api",
        Object()
            .flag("enabled", api.enabled)
            .text("listen", listen_text(api.listen))
            .list("hosts", api.hosts, json_string)
            .flag("showAllNamespaces", api.shows_all_namespaces)
            .json());
    out.add("extender", extender_section(schema.extender));
    out.add(
        "logging",
        Object()
            .text("format", word(schema.log_format))
            .text("level", word(schema.log_level))
            .json());
    out.list("profiles", schema.profiles, profile_json);
    out.add("gang", gang_section(schema.gang)).add("nodes", nodes_section(schema.nodes));
    out.add("autoscaling", autoscaling_section(schema.autoscaling));
    out.add("quota", Object().flag("preflight", schema.quota.preflight).json());
    out.add("gpuMetrics", gpu_metrics_section(schema.gpu_metrics));
    out.add(
        "backfill",
        Object()
            .text("mode", word(schema.backfill.mode))
            .number("maxBypass", schema.backfill.max_bypass)
            .json());
    out.add(
        "fairShare",
        Object().duration("usageHalfLife", schema.fair_share.usage_half_life_ms).json());
    out.list("queues", schema.queues, queue_json);
    out.list("placement", schema.placement, placement_json);
    out.add(
        "queueObjects",
        Object()
            .flag("enabled", schema.queue_objects.enabled)
            .flag("reclaim", schema.queue_objects.reclaim)
            .json());
    out.add(
        "volcano",
        Object()
            .flag("enqueue", schema.volcano.enqueue)
            .number("overcommitPercent", schema.volcano.overcommit_percent)
            .flag("strictOrder", schema.volcano.is_strict_order)
            .duration("podsWithin", schema.volcano.pods_within_ms)
            .json());
    out.add(
        "preemption",
        Object()
            .flag("acrossQueues", schema.preemption.across_queues)
            .number("maxVictimsPerMinute", schema.preemption.max_victims_per_minute)
            .json());
    out.add("seal", Object().text("keyFile", schema.seal_key_file).json());
    out.add(
        "conditions",
        Object().flag("nameOtherNamespaces", schema.names_other_namespaces).json());
    out.add("events", Object().number("perSecond", schema.events_per_second).json());
    out.add("audit", Object().duration("interval", schema.audit_interval_ms).json());
    return out.json();
}

}  // namespace gang::app
