#include "config/fields.hpp"

#include "config/loader.hpp"
#include "config/plugins/plugins.hpp"
#include "config/queues/queue_name.hpp"
#include "config/queues/queue_values.hpp"
#include "config/scalars.hpp"
#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace config {
namespace {

/// Puts a value into the schema, and may add warnings; the text says what is wrong with it, empty
/// if nothing.
using Setter = std::function<std::string(const Tree&, Reading&)>;

struct Field {
    enum class Kind : std::uint8_t { leaf, section, list };
    std::string name;
    Kind kind = Kind::leaf;
    Setter set;                   ///< leaf; of a list: called once before its items
    std::vector<Field> children;  ///< keys of the section, or of each item of the list
    std::function<void(Schema&)> begin_item = {};  ///< of a list
};

Field leaf(std::string name, Setter set) {
    return Field{std::move(name), Field::Kind::leaf, std::move(set), {}};
}

Field section(std::string name, std::vector<Field> children) {
    return Field{std::move(name), Field::Kind::section, {}, std::move(children)};
}

/// A leaf that must be exactly this text when it is there.
Field constant(std::string name, std::string_view wanted) {
    return leaf(std::move(name), [wanted](const Tree& tree, Reading&) -> std::string {
        const bool fits = (tree.kind == Tree::Kind::plain || tree.kind == Tree::Kind::quoted) &&
                          tree.scalar == wanted;
        return fits ? "" : fmt::format("found {}, expected {}", describe(tree), wanted);
    });
}

/// A list of mappings, of which each one begins with a value of its own.
template <typename Access>
Field list(std::string name, Access access) {
    Field made{std::move(name), Field::Kind::list, {}, {}, {}};
    made.set = [access](const Tree&, Reading& reading) -> std::string {
        access(reading.schema).clear();
        return {};
    };
    made.begin_item = [access](Schema& schema) { access(schema).emplace_back(); };
    return made;
}

/// Stores what a reader made of the value, or hands its complaint on.
template <typename Reader, typename Access>
Field value(std::string name, Reader read, Access access) {
    return leaf(std::move(name), [read, access](const Tree& tree, Reading& reading) -> std::string {
        auto result = read(tree);
        if (!result) {
            return result.error().message;
        }
        access(reading.schema) = *std::move(result);
        return {};
    });
}

auto integer_in(std::int64_t least, std::int64_t most) {
    return [least, most](const Tree& tree) { return read_integer(tree, least, most); };
}

auto duration_in(std::int64_t least_ms, std::int64_t most_ms) {
    return [least_ms, most_ms](const Tree& tree) { return read_duration(tree, least_ms, most_ms); };
}

template <typename E>
auto one_of(std::vector<std::pair<std::string, E>> words) {
    return [words = std::move(words)](const Tree& tree) -> core::Result<E> {
        std::vector<std::string> names;
        for (const auto& [name, unused] : words) {
            names.push_back(name);
        }
        const auto index = read_word(tree, names);
        if (!index) {
            return index.error();
        }
        return words[*index].second;
    };
}

/// Files of kube-scheduler have other readers: whoever misspells their kind comes here.
Field kind_of_file() {
    const auto known = one_of<bool>(
        {{std::string(kind), true}, {"Policy", true}, {"KubeSchedulerConfiguration", true}});
    return leaf("kind", [known](const Tree& tree, Reading&) -> std::string {
        const auto found = known(tree);
        return found ? "" : found.error().message;
    });
}

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t hour_ms = 3600 * second_ms;

Field leader_election() {
    return section(
        "leaderElection",
        {value(
             "enabled", read_bool, [](Schema & s) -> auto& { return s.leader_election.enabled; }),
         value(
             "leaseName", read_object_name, [](Schema & s) -> auto& {
                 return s.leader_election.lease_name;
             }),
         value(
             "leaseNamespace", read_namespace, [](Schema & s) -> auto& {
                 return s.leader_election.lease_namespace;
             }),
         value(
             "leaseDuration", duration_in(second_ms, hour_ms), [](Schema & s) -> auto& {
                 return s.leader_election.lease_duration_ms;
             }),
         value(
             "renewDeadline", duration_in(second_ms, hour_ms), [](Schema & s) -> auto& {
                 return s.leader_election.renew_deadline_ms;
             }),
         value(
             "retryPeriod", duration_in(100, hour_ms), [](Schema & s) -> auto& {
                 return s.leader_election.retry_period_ms;
             })});
}

Field api() {
    return section(
        "api",
        {value(
             "enabled", read_bool, [](Schema & s) -> auto& { return s.api.enabled; }),
         value(
             "listen", read_listen_address, [](Schema & s) -> auto& { return s.api.listen; }),
         value(
             "hosts", read_host_names, [](Schema & s) -> auto& { return s.api.hosts; }),
         value(
             "showAllNamespaces", read_bool, [](Schema & s) -> auto& {
                 return s.api.shows_all_namespaces;
             })});
}

Field extender() {
    return section(
        "extender",
        {value(
             "enabled", read_bool, [](Schema & s) -> auto& { return s.extender.enabled; }),
         value(
             "listen", read_loopback_address, [](Schema & s) -> auto& {
                 return s.extender.listen;
             }),
         value(
             "prefix", read_url_path, [](Schema & s) -> auto& { return s.extender.prefix; }),
         value(
             "schedulerName", read_object_name, [](Schema & s) -> auto& {
                 return s.extender.scheduler_name;
             }),
         value(
             "binds", read_bool, [](Schema & s) -> auto& { return s.extender.binds; })});
}

Field logging() {
    const auto format = one_of<LogFormat>(
        {{"auto", LogFormat::automatic},
         {"json", LogFormat::json},
         {"console", LogFormat::console}});
    const auto level = one_of<LogLevel>(
        {{"debug", LogLevel::debug},
         {"info", LogLevel::info},
         {"warning", LogLevel::warning},
         {"error", LogLevel::error}});
    return section(
        "logging",
        {value(
             "format", format, [](Schema & s) -> auto& { return s.log_format; }),
         value(
             "level", level, [](Schema & s) -> auto& { return s.log_level; })});
}

Field filters() {
    return leaf("filters", [](const Tree& tree, Reading& reading) -> std::string {
        const auto chosen = read_filters(tree, reading.warnings);
        if (!chosen) {
            return chosen.error().message;
        }
        reading.schema.profiles.back().left_out = core::all_filters.without(*chosen);
        return {};
    });
}

Field scores() {
    const auto last = [](Schema & s) -> auto& {
        return s.profiles.back().scores.back();
    };
    Field all = list(
        "scores", [](Schema & s) -> auto& { return s.profiles.back().scores; });
    Field resources = list(
        "resources", [last](Schema & s) -> auto& { return last(s).resources; });
    resources.children = {
        value(
            "name",
            read_scored_resource,
            [last](Schema & s) -> auto& { return last(s).resources.back().name; }),
        value(
            "weight", integer_in(1, 100), [last](Schema & s) -> auto& {
                return last(s).resources.back().weight;
            })};
    Field shape = list(
        "shape", [last](Schema & s) -> auto& { return last(s).shape; });
    shape.children = {
        value(
            "utilization",
            integer_in(0, 100),
            [last](Schema & s) -> auto& { return last(s).shape.back().utilization; }),
        value(
            "score", read_shape_score, [last](Schema & s) -> auto& {
                return last(s).shape.back().score;
            })};
    all.children = {
        leaf(
            "name",
            [last](const Tree& tree, Reading& reading) -> std::string {
                const auto score = read_score(tree, reading.warnings);
                if (!score) {
                    return score.error().message;
                }
                last(reading.schema).score = *score;
                return {};
            }),
        value(
            "weight",
            integer_in(1, core::score_weight_max),
            [last](Schema & s) -> auto& { return last(s).weight; }),
        std::move(resources),
        std::move(shape)};
    return all;
}

Field profiles() {
    std::vector<std::pair<std::string, core::PackingPolicy>> packings;
    for (const core::PackingPolicy policy : core::packing_policies()) {
        packings.emplace_back(core::to_string(policy), policy);
    }
    const auto packing = one_of<core::PackingPolicy>(std::move(packings));
    const auto messages = one_of<Messages>(
        {{"gang-scheduler", Messages::gang_scheduler},
         {"kube-scheduler", Messages::kube_scheduler}});
    Field all = list(
        "profiles", [](Schema & s) -> auto& { return s.profiles; });
    all.children = {
        value(
            "schedulerName", read_object_name, [](Schema & s) -> auto& {
                return s.profiles.back().scheduler_name;
            }),
        value(
            "packing", packing, [](Schema & s) -> auto& { return s.profiles.back().packing; }),
        value(
            "gangs", read_bool, [](Schema & s) -> auto& { return s.profiles.back().gangs; }),
        value(
            "messages", messages, [](Schema & s) -> auto& { return s.profiles.back().messages; }),
        filters(),
        scores()};
    return all;
}

Field gang() {
    const auto discovery = one_of<Discovery>(
        {{"auto", Discovery::automatic},
         {"sparkConf", Discovery::spark_conf},
         {"annotations", Discovery::annotations},
         {"none", Discovery::none}});
    const auto orphans = one_of<OrphanExecutors>(
        {{"wait", OrphanExecutors::wait}, {"schedule", OrphanExecutors::schedule}});
    const auto dynamic = one_of<DynamicAllocation>(
        {{"reserve-min", DynamicAllocation::reserve_min},
         {"reserve-initial", DynamicAllocation::reserve_initial},
         {"reserve-max", DynamicAllocation::reserve_max}});
    const auto then =
        one_of<UnusedThen>({{"keep", UnusedThen::keep}, {"release", UnusedThen::release}});
    return section(
        "gang",
        {value(
             "discovery", discovery, [](Schema & s) -> auto& { return s.gang.discovery; }),
         value(
             "orphanExecutors", orphans, [](Schema & s) -> auto& {
                 return s.gang.orphan_executors;
             }),
         value(
             "maxGangSize", integer_in(1, 100'000), [](Schema & s) -> auto& {
                 return s.gang.max_gang_size;
             }),
         value(
             "dynamicAllocation", dynamic, [](Schema & s) -> auto& {
                 return s.gang.dynamic_allocation;
             }),
         section(
             "neverRunning",
             {value(
                  "after", duration_in(second_ms, 30 * 24 * hour_ms), [](Schema & s) -> auto& {
                      return s.gang.never_running_after_ms;
                  }),
              value(
                  "then", then, [](Schema & s) -> auto& { return s.gang.never_running_then; })}),
         section(
             "missingExecutors",
             {value(
                  "after", duration_in(second_ms, 30 * 24 * hour_ms), [](Schema & s) -> auto& {
                      return s.gang.missing_executors_after_ms;
                  }),
              value(
                  "then", then, [](Schema & s) -> auto& {
                      return s.gang.missing_executors_then;
                  })})});
}

Field nodes() {
    return section(
        "nodes",
        {section(
             "headroom",
             {value(
                  "cpu", read_cpu, [](Schema & s) -> auto& { return s.nodes.headroom_cpu_milli; }),
              value(
                  "memory", read_memory, [](Schema & s) -> auto& {
                      return s.nodes.headroom_memory_bytes;
                  })}),
         value(
             "costLabel", read_label_key, [](Schema & s) -> auto& { return s.nodes.cost_label; }),
         value(
             "scarce", read_resource_names, [](Schema & s) -> auto& { return s.nodes.scarce; })});
}

core::Result<std::string> read_metrics_url(const Tree& tree) {
    auto text = read_string(tree);
    if (!text || text->empty()) {
        return text;
    }
    if (const auto url = parse_metrics_url(*text); !url) {
        return core::Error{fmt::format("found {}, {}", describe(tree), url.error().message)};
    }
    return text;
}

core::Result<std::string> read_metrics_port(const Tree& tree) {
    if (tree.kind == Tree::Kind::plain) {
        if (const auto number = read_integer(tree, 1, 65535)) {
            return std::to_string(*number);
        }
    }
    return read_namespace(tree);
}

core::Result<std::string> read_model_name(const Tree& tree) {
    auto text = read_string(tree);
    if (text && (text->empty() || text->size() > 128)) {
        return core::Error{
            fmt::format("found {}, expected a text of 1 to 128 bytes", describe(tree))};
    }
    return text;
}

Field gpu_metrics_service() {
    const auto scheme = one_of<bool>({{"http", false}, {"https", true}});
    return section(
        "service",
        {value(
             "namespace", read_namespace, [](Schema & s) -> auto& {
                 return s.gpu_metrics.service.namespace_name;
             }),
         value(
             "name", read_namespace, [](Schema & s) -> auto& {
                 return s.gpu_metrics.service.name;
             }),
         value(
             "port", read_metrics_port, [](Schema & s) -> auto& {
                 return s.gpu_metrics.service.port;
             }),
         value(
             "scheme", scheme, [](Schema & s) -> auto& { return s.gpu_metrics.service.tls; })});
}

Field gpu_metrics_weights() {
    using core::GpuWeights;
    const auto weight = [](std::string name, std::int64_t GpuWeights::*member) {
        return value(
            std::move(name), integer_in(0, 100), [member](Schema & s) -> auto& {
                return s.gpu_metrics.weights.*member;
            });
    };
    return section(
        "weights",
        {weight("memory", &GpuWeights::memory),
         weight("multiprocessors", &GpuWeights::multiprocessors),
         weight("sharedDecoders", &GpuWeights::shared_decoders),
         weight("sharedEncoders", &GpuWeights::shared_encoders),
         weight("freeMemory", &GpuWeights::free_memory),
         weight("power", &GpuWeights::power),
         weight("decoder", &GpuWeights::decoder),
         weight("encoder", &GpuWeights::encoder),
         weight("static", &GpuWeights::of_static),
         weight("dynamic", &GpuWeights::of_dynamic),
         value(
             "lessPower", read_bool, [](Schema & s) -> auto& {
                 return s.gpu_metrics.weights.prefers_less_power;
             })});
}

Field autoscaling() {
    return section(
        "autoscaling",
        {value(
            "mode",
            one_of<AutoscalingMode>(
                {{"none", AutoscalingMode::none},
                 {"capacityBuffer", AutoscalingMode::capacity_buffer},
                 {"provisioningRequest", AutoscalingMode::provisioning_request}}),
            [](Schema & s) -> auto& { return s.autoscaling.mode; })});
}

Field quota() {
    return section(
        "quota",
        {value("preflight", read_bool, [](Schema & s) -> auto& { return s.quota.preflight; })});
}

Field gpu_metrics() {
    Field aliases = list(
        "modelAliases", [](Schema & s) -> auto& { return s.gpu_metrics.model_aliases; });
    aliases.children = {
        value(
            "name", read_model_name, [](Schema & s) -> auto& {
                return s.gpu_metrics.model_aliases.back().first;
            }),
        value(
            "model", read_model_name, [](Schema & s) -> auto& {
                return s.gpu_metrics.model_aliases.back().second;
            })};
    return section(
        "gpuMetrics",
        {value(
             "url", read_metrics_url, [](Schema & s) -> auto& { return s.gpu_metrics.url; }),
         gpu_metrics_service(),
         value(
             "interval", duration_in(second_ms, hour_ms), [](Schema & s) -> auto& {
                 return s.gpu_metrics.interval_ms;
             }),
         value(
             "staleAfter", duration_in(second_ms, 24 * hour_ms), [](Schema & s) -> auto& {
                 return s.gpu_metrics.stale_after_ms;
             }),
         value(
             "bearerTokenFile", read_string, [](Schema & s) -> auto& {
                 return s.gpu_metrics.bearer_token_file;
             }),
         value(
             "caFile", read_string, [](Schema & s) -> auto& { return s.gpu_metrics.ca_file; }),
         value(
             "nodeLabel", read_label_key, [](Schema & s) -> auto& {
                 return s.gpu_metrics.node_label;
             }),
         std::move(aliases),
         gpu_metrics_weights()});
}

/// Amounts of resources of the queue that is being read: what is wrong inside is complained about
/// where it stands.
template <typename Access>
Field amounts(std::string name, Access access) {
    const std::string label = name;
    return leaf(
        std::move(name), [label, access](const Tree& tree, Reading& reading) -> std::string {
            const std::string path =
                fmt::format("queues[{}].{}", reading.schema.queues.size() - 1, label);
            access(reading.schema) = read_amounts(tree, path, reading.complaints);
            return {};
        });
}

auto backfill_mode() {
    return one_of<BackfillMode>(
        {{"off", BackfillMode::off},
         {"easy", BackfillMode::easy},
         {"conservative", BackfillMode::conservative}});
}

Field backfill() {
    return section(
        "backfill",
        {value(
             "mode", backfill_mode(), [](Schema & s) -> auto& { return s.backfill.mode; }),
         value(
             "maxBypass", integer_in(1, 1'000'000), [](Schema & s) -> auto& {
                 return s.backfill.max_bypass;
             })});
}

Field fair_share() {
    return section(
        "fairShare",
        {value(
            "usageHalfLife", duration_in(0, 30 * 24 * hour_ms), [](Schema & s) -> auto& {
                return s.fair_share.usage_half_life_ms;
            })});
}

Field queues() {
    const auto order = one_of<QueueOrder>(
        {{"fifo", QueueOrder::fifo},
         {"priority", QueueOrder::priority},
         {"fair", QueueOrder::fair}});
    const auto state =
        one_of<QueueState>({{"running", QueueState::running}, {"stopped", QueueState::stopped}});
    const auto within = one_of<PreemptionWithin>(
        {{"never", PreemptionWithin::never}, {"lowerPriority", PreemptionWithin::lower_priority}});
    Field all = list(
        "queues", [](Schema & s) -> auto& { return s.queues; });
    all.children = {
        value(
            "name", read_queue_name, [](Schema & s) -> auto& { return s.queues.back().name; }),
        value(
            "weight", integer_in(1, queue_weight_max), [](Schema & s) -> auto& {
                return s.queues.back().weight;
            }),
        amounts(
            "guarantee", [](Schema & s) -> auto& { return s.queues.back().guarantee; }),
        amounts(
            "limit", [](Schema & s) -> auto& { return s.queues.back().limit; }),
        amounts(
            "userLimit", [](Schema & s) -> auto& { return s.queues.back().user_limit; }),
        value(
            "maxGangs", integer_in(0, 1'000'000), [](Schema & s) -> auto& {
                return s.queues.back().max_gangs;
            }),
        value(
            "order", order, [](Schema & s) -> auto& { return s.queues.back().order; }),
        value(
            "agingPerHour", integer_in(0, 1'000'000), [](Schema & s) -> auto& {
                return s.queues.back().aging_per_hour;
            }),
        value(
            "maxWait", duration_in(0, 365 * 24 * hour_ms), [](Schema & s) -> auto& {
                return s.queues.back().max_wait_ms;
            }),
        value(
            "maxWaitStrict", read_bool, [](Schema & s) -> auto& {
                return s.queues.back().is_max_wait_strict;
            }),
        section(
            "preemption",
            {value(
                 "reclaimable", read_bool, [](Schema & s) -> auto& {
                     return s.queues.back().preemption.is_reclaimable;
                 }),
             value(
                 "withinQueue", within, [](Schema & s) -> auto& {
                     return s.queues.back().preemption.within_queue;
                 })}),
        value(
            "backfill", backfill_mode(), [](Schema & s) -> auto& {
                return s.queues.back().backfill;
            }),
        value(
            "users", read_queue_users, [](Schema & s) -> auto& { return s.queues.back().users; }),
        value(
            "namespaces", read_queue_namespaces, [](Schema & s) -> auto& {
                return s.queues.back().namespaces;
            }),
        value(
            "state", state, [](Schema & s) -> auto& { return s.queues.back().state; })};
    return all;
}

Field placement() {
    return leaf("placement", [](const Tree& tree, Reading& reading) -> std::string {
        reading.schema.placement = read_placement(tree, reading.complaints);
        return {};
    });
}

Field queue_objects() {
    return section(
        "queueObjects",
        {value(
             "enabled", read_bool, [](Schema & s) -> auto& { return s.queue_objects.enabled; }),
         value(
             "reclaim", read_bool, [](Schema & s) -> auto& { return s.queue_objects.reclaim; })});
}

Field volcano() {
    return section(
        "volcano",
        {value(
             "enqueue", read_bool, [](Schema & s) -> auto& { return s.volcano.enqueue; }),
         value(
             "overcommitPercent", integer_in(100, 10'000), [](Schema & s) -> auto& {
                 return s.volcano.overcommit_percent;
             }),
         value(
             "strictOrder", read_bool, [](Schema & s) -> auto& {
                 return s.volcano.is_strict_order;
             }),
         value(
             "podsWithin", duration_in(0, 24 * hour_ms), [](Schema & s) -> auto& {
                 return s.volcano.pods_within_ms;
             })});
}

Field preemption() {
    return section(
        "preemption",
        {value(
             "acrossQueues", read_bool, [](Schema & s) -> auto& {
                 return s.preemption.across_queues;
             }),
         value(
             "maxVictimsPerMinute", integer_in(1, 100'000), [](Schema & s) -> auto& {
                 return s.preemption.max_victims_per_minute;
             })});
}

const std::vector<Field>& table() {
    static const std::vector<Field> fields = {
        constant("apiVersion", api_version),
        kind_of_file(),
        section(
            "clientConnection",
            {value(
                "kubeconfig", read_string, [](Schema & s) -> auto& { return s.kubeconfig; })}),
        leader_election(),
        section(
            "server",
            {value(
                "listen", read_listen_address, [](Schema & s) -> auto& {
                    return s.server_listen;
                })}),
        section(
            "control",
            {value(
                "listen", read_private_address, [](Schema & s) -> auto& {
                    return s.control_listen;
                })}),
        api(),
        extender(),
        logging(),
        profiles(),
        gang(),
        nodes(),
        autoscaling(),
        quota(),
        gpu_metrics(),
        backfill(),
        fair_share(),
        queues(),
        placement(),
        queue_objects(),
        volcano(),
        preemption(),
        section(
            "seal",
            {value(
                "keyFile", read_string, [](Schema & s) -> auto& { return s.seal_key_file; })}),
        section(
            "conditions",
            {value(
                "nameOtherNamespaces", read_bool, [](Schema & s) -> auto& {
                    return s.names_other_namespaces;
                })}),
        section(
            "events",
            {value(
                "perSecond", integer_in(0, 1000), [](Schema & s) -> auto& {
                    return s.events_per_second;
                })}),
        section(
            "audit",
            {value(
                "interval", duration_in(0, 24 * hour_ms), [](Schema & s) -> auto& {
                    return s.audit_interval_ms;
                })}),
    };
    return fields;
}

class Walk {
public:
    explicit Walk(Reading& reading) : reading_(reading) {}

    void map(const Tree& tree, const std::vector<Field>& fields, const std::string& path) {
        if (tree.kind != Tree::Kind::map) {
            complain(
                tree.mark,
                fmt::format(
                    "{}found {}, expected a mapping with {}",
                    label(path),
                    describe(tree),
                    joined(fields)));
            return;
        }
        std::vector<std::string> seen;
        for (const auto& [key, child] : tree.pairs) {
            const Field* field = find(key, fields, path);
            if (field == nullptr) {
                continue;
            }
            if (std::find(seen.begin(), seen.end(), field->name) != seen.end()) {
                complain(
                    key.mark,
                    fmt::format(
                        "{}found the key a second time, expected it once",
                        label(join(path, field->name))));
                continue;
            }
            seen.push_back(field->name);
            read(*field, key, child, join(path, field->name));
        }
    }

private:
    static std::string label(const std::string& path) { return path.empty() ? "" : path + ": "; }
    static std::string join(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }
    static std::vector<std::string> names(const std::vector<Field>& fields) {
        std::vector<std::string> out;
        for (const Field& field : fields) {
            out.push_back(field.name);
        }
        return out;
    }
    static std::string joined(const std::vector<Field>& fields) {
        return fmt::format("{}", fmt::join(names(fields), ", "));
    }

    void complain(Mark mark, std::string text) {
        reading_.complaints.push_back(Complaint{mark, std::move(text)});
    }

    const Field* find(const Tree& key, const std::vector<Field>& fields, const std::string& path) {
        if (key.kind != Tree::Kind::plain && key.kind != Tree::Kind::quoted) {
            complain(
                key.mark,
                fmt::format(
                    "{}found {} as a key, expected one of {}",
                    label(path),
                    describe(key),
                    joined(fields)));
            return nullptr;
        }
        for (const Field& field : fields) {
            if (field.name == key.scalar) {
                return &field;
            }
        }
        if (key.scalar == "<<") {
            complain(
                key.mark,
                label(path) +
                    "found a merge key (<<), expected plain keys: merges "
                    "are not supported, write the keys out");
            return nullptr;
        }
        complain(
            key.mark,
            fmt::format(
                "{}found unknown key {}, expected one of {}{}",
                label(path),
                describe(key),
                joined(fields),
                core::did_you_mean(key.scalar, names(fields))));
        return nullptr;
    }

    void read(const Field& field, const Tree& key, const Tree& child, const std::string& path) {
        // A missing value has no place of its own; the key's is where a person looks.
        Tree placed = child;
        if (child.kind == Tree::Kind::null) {
            placed.mark = key.mark;
        }
        reading_.marks[path] = placed.mark;
        switch (field.kind) {
            case Field::Kind::leaf:
                leaf_value(field, placed, path);
                return;
            case Field::Kind::section:
                map(placed, field.children, path);
                return;
            case Field::Kind::list:
                list(field, placed, path);
                return;
        }
    }

    void leaf_value(const Field& field, const Tree& tree, const std::string& path) {
        const std::string wrong = field.set(tree, reading_);
        if (!wrong.empty()) {
            complain(tree.mark, label(path) + wrong);
        }
    }

    void list(const Field& field, const Tree& tree, const std::string& path) {
        if (tree.kind != Tree::Kind::sequence || tree.items.empty()) {
            const std::string found =
                tree.kind == Tree::Kind::sequence ? "an empty list" : describe(tree);
            complain(
                tree.mark,
                fmt::format(
                    "{}found {}, expected a list of mappings with {}",
                    label(path),
                    found,
                    joined(field.children)));
            return;
        }
        field.set(tree, reading_);
        for (std::size_t i = 0; i < tree.items.size(); ++i) {
            item(field, tree.items[i], fmt::format("{}[{}]", path, i));
        }
    }

    /// The first key of a list's item is required: an item without its name says nothing.
    void item(const Field& field, const Tree& tree, const std::string& path) {
        const std::size_t before = reading_.complaints.size();
        field.begin_item(reading_.schema);
        map(tree, field.children, path);
        const std::string& name = field.children.front().name;
        const bool there = reading_.marks.contains(join(path, name));
        if (!there && reading_.complaints.size() == before) {
            complain(
                tree.mark,
                fmt::format("{}found no key {}, expected it in every item", label(path), name));
        }
    }

    Reading& reading_;
};

void collect(
    const std::vector<Field>& fields, const std::string& path, std::vector<std::string>& out) {
    for (const Field& field : fields) {
        const std::string name = path.empty() ? field.name : path + "." + field.name;
        switch (field.kind) {
            case Field::Kind::leaf:
                out.push_back(name);
                break;
            case Field::Kind::section:
                collect(field.children, name, out);
                break;
            case Field::Kind::list:
                collect(field.children, name + "[]", out);
                break;
        }
    }
}

}  // namespace

Reading read_fields(const Tree& document) {
    Reading reading;
    if (document.kind != Tree::Kind::null) {
        Walk(reading).map(document, table(), "");
    }
    if (!reading.schema.queues.empty() && reading.schema.placement.empty()) {
        reading.schema.placement = default_placement();
    }
    return reading;
}

std::vector<std::string> known_keys() {
    std::vector<std::string> out;
    collect(table(), "", out);
    return out;
}

}  // namespace config
