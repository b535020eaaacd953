#pragma once
// A planner that is obviously right and slow: plain nodes, one look at each of them for every pod,
// integers, no blocks, no classes, no closed form. What core/placement/placement.hpp says it does,
// said again.

#include "core/cluster/cluster.hpp"
#include "core/filter/filters.hpp"
#include "core/filter/preference.hpp"
#include "core/placement/driver_nodes.hpp"
#include "core/placement/placement.hpp"
#include "core/score/preference_score.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tests {

/// A node as the naive planner sees it: what is left of it.
struct NaiveNode {
    core::Node node;  ///< as it was upserted
    core::Resources left;
    std::int64_t pods_left = 0;
    bool is_excluded = false;
    core::Resources taken = {};
    std::set<std::string> attached = {};  ///< volumes of all pods that are there, counted or not
};

/// Pods that are there, and on whose account; a node's name that is not present is a placeholder's.
struct NaivePod {
    std::string node;
    core::Resources amount;
    core::UsedBy used_by = core::UsedBy::other_scheduler;
};

/// By limit, the volumes that a pod would be the first to have on the node.
inline std::map<std::string, std::int64_t> new_volumes(
    const NaiveNode& node, const core::Resources& asked) {
    std::map<std::string, std::int64_t> counts;
    for (const core::ExtendedResource& one : asked.extended) {
        if (!core::is_volume(one.name)) continue;
        const bool is_there =
            node.attached.contains(one.name) || node.left.extended_amount(one.name) != 0;
        counts[core::limit_of_volume(one.name)] += is_there ? 0 : 1;
    }
    return counts;
}

inline void take(NaiveNode& node, const core::Resources& amount) {
    core::Resources limits;
    for (const auto& [name, count] : new_volumes(node, amount)) {
        if (count > 0) limits.extended.push_back({name, count});
    }
    core::add_times(node.left, limits, -1);
    core::add_times(node.left, amount, -1);
    core::add_times(node.taken, amount, 1);
    --node.pods_left;
}

/// Nodes in order of name, less what the view counts, less the headroom.
inline std::vector<NaiveNode> naive_nodes(
    const std::map<std::string, core::Node>& nodes,
    const std::vector<NaivePod>& pods,
    core::View view,
    const core::Headroom& headroom) {
    std::vector<NaiveNode> made;
    for (const auto& [name, node] : nodes) {
        NaiveNode naive{node, node.allocatable, node.pods, false, {}, {}};
        naive.left.cpu_milli -= headroom.cpu_milli;
        naive.left.memory_bytes -= headroom.memory_bytes;
        for (const NaivePod& pod : pods) {
            const bool counts =
                view == core::View::free ||
                (view == core::View::without_gangs && pod.used_by == core::UsedBy::other_scheduler);
            if (counts && pod.node == name) take(naive, pod.amount);
        }
        for (const NaivePod& pod : pods) {
            for (const core::ExtendedResource& one : pod.amount.extended) {
                if (pod.node == name && core::is_volume(one.name)) naive.attached.insert(one.name);
            }
        }
        made.push_back(naive);
    }
    return made;
}

/// What every node offers is no part of what a node says it has.
inline std::int64_t left_of(const NaiveNode& node, const std::string& extended) {
    const std::int64_t by_all = core::is_exclusive(extended) ? core::exclusive_all : 0;
    return by_all + node.left.extended_amount(extended);
}

struct NaiveShape {
    core::Resources amount;
    core::Constraints constraints;
};

/// What is asked of limits, by the pod itself and by volumes that it brings.
inline std::map<std::string, std::int64_t> asked_of_limits(
    const NaiveNode& node, const core::Resources& asked) {
    auto limits = new_volumes(node, asked);
    for (const core::ExtendedResource& one : asked.extended) {
        if (core::is_volume_limit(one.name)) limits[one.name] += one.amount;
    }
    return limits;
}

inline bool has_volumes_left(const NaiveNode& node, const core::Resources& asked) {
    const auto limits = asked_of_limits(node, asked);
    return std::all_of(limits.begin(), limits.end(), [&](const auto& wanted) {
        return wanted.second == 0 || left_of(node, wanted.first) >= wanted.second;
    });
}

inline bool has_room(const NaiveNode& node, const core::Resources& asked) {
    const auto enough = [](std::int64_t left, std::int64_t wanted) {
        return wanted == 0 || left >= wanted;
    };
    return node.pods_left >= 1 && enough(node.left.cpu_milli, asked.cpu_milli) &&
           enough(node.left.memory_bytes, asked.memory_bytes) &&
           enough(node.left.ephemeral_bytes, asked.ephemeral_bytes) &&
           std::all_of(asked.extended.begin(), asked.extended.end(), [&](const auto& wanted) {
               return left_of(node, wanted.name) >= wanted.amount;
           }) &&
           has_volumes_left(node, asked);
}

inline bool takes(const NaiveNode& node, const NaiveShape& shape) {
    return !node.is_excluded && core::filter_node(node.node, shape.constraints).passes() &&
           has_room(node, shape.amount);
}

/// By taking one after another away.
inline std::int64_t naive_capacity(NaiveNode node, const NaiveShape& shape) {
    if (!takes(node, shape)) return 0;
    std::int64_t count = 0;
    for (; has_room(node, shape.amount); ++count) take(node, shape.amount);
    return count;
}

/// By what is asked of devices: of GPUs alone, if there are any among them.
inline core::Load naive_devices(const NaiveNode& node, const core::Resources& asked) {
    const auto is_gpu = [](const core::ExtendedResource& one) {
        return one.name.ends_with("/gpu");
    };
    const bool has_gpus = std::any_of(asked.extended.begin(), asked.extended.end(), is_gpu);
    core::Load sum;
    for (const core::ExtendedResource& one : asked.extended) {
        if ((has_gpus && !is_gpu(one)) || core::is_exclusive(one.name)) continue;
        sum.allocatable += node.node.allocatable.extended_amount(one.name);
        sum.requested += node.taken.extended_amount(one.name);
        sum.asked += one.amount;
    }
    return sum;
}

/// The larger the better; where it is the same, names decide.
inline std::int64_t naive_measure(
    const NaiveNode& node, const NaiveShape& shape, core::PackingPolicy policy) {
    if (policy == core::PackingPolicy::tightest) return -naive_capacity(node, shape);
    if (policy == core::PackingPolicy::fewest_nodes) return naive_capacity(node, shape);
    const core::Resources& has = node.node.allocatable;
    return core::find_score(policy)->of(
        {{has.cpu_milli, node.taken.cpu_milli, shape.amount.cpu_milli},
         {has.memory_bytes, node.taken.memory_bytes, shape.amount.memory_bytes},
         naive_devices(node, shape.amount)});
}

/// The most of each that speaks for a node, and against it, of those that the shape may go to.
inline core::Preference naive_most(const std::vector<NaiveNode>& nodes, const NaiveShape& shape) {
    core::Preference most;
    for (const NaiveNode& node : nodes) {
        if (!core::filter_node(node.node, shape.constraints).passes()) continue;
        const core::Preference here = core::find_preference(node.node, shape.constraints);
        most = {std::max(most.taints, here.taints), std::max(most.weight, here.weight)};
    }
    return most;
}

/// What the cluster is told to be scarce, if anything is.
inline const std::string naive_scarce = "example.com/gpu";

/// Nodes that take the shape, the best first: cost, then what is scarce, then preferences, then the
/// policy, then names.
inline std::vector<std::size_t> naive_order(
    const std::vector<NaiveNode>& nodes, const NaiveShape& shape, core::PackingPolicy policy) {
    const core::Preference most = naive_most(nodes, shape);
    struct Entry {
        std::int64_t cost;
        bool is_scarce;
        std::int64_t dislike;
        std::int64_t measure;
        std::size_t at;
    };
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!takes(nodes[i], shape)) continue;
        const core::Preference here = core::find_preference(nodes[i].node, shape.constraints);
        entries.push_back(
            {nodes[i].node.cost,
             nodes[i].node.is_scarce && shape.amount.extended_amount(naive_scarce) == 0,
             -core::preference_score(here, most, {}),
             -naive_measure(nodes[i], shape, policy),
             i});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.cost, a.is_scarce, a.dislike, a.measure, a.at) <
               std::tie(b.cost, b.is_scarce, b.dislike, b.measure, b.at);
    });
    std::vector<std::size_t> order;
    for (const Entry& entry : entries) order.push_back(entry.at);
    return order;
}

/// By node name.
using NaiveCounts = std::map<std::string, std::int64_t>;

struct NaivePlan {
    std::string driver;  ///< empty without one
    NaiveCounts executors;
    friend bool operator==(const NaivePlan&, const NaivePlan&) = default;
};

/// All nodes are ranked anew for each pod.
inline std::optional<NaiveCounts> naive_one_by_one(
    std::vector<NaiveNode> nodes,
    const NaiveShape& shape,
    std::int64_t wanted,
    core::PackingPolicy policy) {
    NaiveCounts counts;
    for (; wanted > 0; --wanted) {
        const auto order = naive_order(nodes, shape, policy);
        if (order.empty()) return std::nullopt;
        NaiveNode& best = nodes[order.front()];
        take(best, shape.amount);
        ++counts[best.node.name];
    }
    return counts;
}

inline std::optional<NaiveCounts> naive_executors(
    const std::vector<NaiveNode>& nodes,
    const NaiveShape& shape,
    std::int64_t wanted,
    core::PackingPolicy policy) {
    if (core::find_score(policy) != nullptr) return naive_one_by_one(nodes, shape, wanted, policy);
    NaiveCounts counts;
    for (const std::size_t at : naive_order(nodes, shape, policy)) {
        const std::int64_t count = std::min(wanted, naive_capacity(nodes[at], shape));
        if (count > 0) counts[nodes[at].node.name] = count;
        wanted -= count;
    }
    return wanted == 0 ? std::optional(counts) : std::nullopt;
}

/// One executor shape: the first driver node by the policy beside which all executors fit.
inline std::optional<NaivePlan> naive_plan(
    const std::vector<NaiveNode>& nodes,
    const NaiveShape* driver,
    const NaiveShape& executor,
    std::int64_t wanted,
    core::PackingPolicy policy) {
    if (driver == nullptr) {
        const auto executors = naive_executors(nodes, executor, wanted, policy);
        return executors ? std::optional(NaivePlan{"", *executors}) : std::nullopt;
    }
    for (const std::size_t at : naive_order(nodes, *driver, policy)) {
        std::vector<NaiveNode> beside = nodes;
        take(beside[at], driver->amount);
        if (const auto executors = naive_executors(beside, executor, wanted, policy)) {
            return NaivePlan{nodes[at].node.name, *executors};
        }
    }
    return std::nullopt;
}

/// So many executors of one of several shapes.
struct NaivePart {
    NaiveShape shape;
    std::int64_t wanted = 0;
};

struct NaivePlanOfParts {
    std::string driver;                  ///< empty without one
    std::vector<NaiveCounts> executors;  ///< parallel to the parts
    friend bool operator==(const NaivePlanOfParts&, const NaivePlanOfParts&) = default;
};

inline void take_all(
    std::vector<NaiveNode>& nodes, const NaiveCounts& counts, const core::Resources& amount) {
    for (NaiveNode& node : nodes) {
        const auto found = counts.find(node.node.name);
        for (std::int64_t n = found == counts.end() ? 0 : found->second; n > 0; --n) {
            take(node, amount);
        }
    }
}

/// One part after another, each on what those before it have left.
inline std::optional<std::vector<NaiveCounts>> naive_parts(
    std::vector<NaiveNode> nodes, const std::vector<NaivePart>& parts, core::PackingPolicy policy) {
    std::vector<NaiveCounts> all;
    for (const NaivePart& part : parts) {
        const auto counts = naive_executors(nodes, part.shape, part.wanted, policy);
        if (!counts) return std::nullopt;
        take_all(nodes, *counts, part.shape.amount);
        all.push_back(*counts);
    }
    return all;
}

inline std::int64_t naive_total(const std::vector<NaiveNode>& nodes, const NaiveShape& shape) {
    std::int64_t total = 0;
    for (const NaiveNode& node : nodes) total += naive_capacity(node, shape);
    return total;
}

/// Several executor shapes, given in the order in which they are packed: the first few driver nodes
/// by the policy that leave enough for each part by itself; else the driver last; else, by a score,
/// all that as if it were tightest; else the driver where it displaces the fewest executors of all
/// parts.
inline std::optional<NaivePlanOfParts> naive_plan_of_parts(
    const std::vector<NaiveNode>& nodes,
    const NaiveShape* driver,
    const std::vector<NaivePart>& parts,
    core::PackingPolicy policy) {
    const bool by_score = core::find_score(policy) != nullptr;
    const auto tightly = [&]() -> std::optional<NaivePlanOfParts> {
        if (!by_score) return std::nullopt;
        return naive_plan_of_parts(nodes, driver, parts, core::PackingPolicy::tightest);
    };
    if (driver == nullptr) {
        const auto counts = naive_parts(nodes, parts, policy);
        return counts ? std::optional(NaivePlanOfParts{"", *counts}) : tightly();
    }
    const auto with_driver_at = [&](std::size_t at) -> std::optional<NaivePlanOfParts> {
        std::vector<NaiveNode> beside = nodes;
        take(beside[at], driver->amount);
        const auto counts = naive_parts(beside, parts, policy);
        if (!counts) return std::nullopt;
        return NaivePlanOfParts{nodes[at].node.name, *counts};
    };
    std::optional<std::size_t> mildest;
    std::int64_t least = 0;
    std::size_t tried = 0;
    const std::vector<std::size_t> order = naive_order(nodes, *driver, policy);
    for (const std::size_t at : order) {
        std::vector<NaiveNode> beside = nodes;
        take(beside[at], driver->amount);
        bool leaves_enough = true;
        std::int64_t loss = 0;
        for (const NaivePart& part : parts) {
            leaves_enough = leaves_enough && naive_total(beside, part.shape) >= part.wanted;
            loss += naive_capacity(nodes[at], part.shape) - naive_capacity(beside[at], part.shape);
        }
        if (!mildest || loss < least || (loss == least && at < *mildest)) {
            mildest = at;
            least = loss;
        }
        if (!leaves_enough || tried++ >= core::DriverNodes::attempts_max) continue;
        if (const auto plan = with_driver_at(at)) return plan;
    }
    if (const auto counts = naive_parts(nodes, parts, policy)) {
        std::vector<NaiveNode> left = nodes;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            take_all(left, (*counts)[i], parts[i].shape.amount);
        }
        const auto last = naive_order(left, *driver, policy);
        if (!last.empty()) return NaivePlanOfParts{nodes[last.front()].node.name, *counts};
    }
    if (by_score) return tightly();
    return mildest ? with_driver_at(*mildest) : std::nullopt;
}

/// What is said of a gang with one executor shape that does not fit.
struct NaiveShortage {
    bool driver_fits = false;
    std::int64_t executors_fit = 0;
    std::int64_t eligible_nodes = 0;                  ///< for the shape that failed
    std::map<std::string, std::int64_t> short_nodes;  ///< by Kubernetes' name of the resource
    friend bool operator==(const NaiveShortage&, const NaiveShortage&) = default;
};

inline void count_short(
    const NaiveNode& node,
    const NaiveShape& shape,
    std::map<std::string, std::int64_t>& short_nodes) {
    const auto note = [&](const char* name, std::int64_t left, std::int64_t wanted) {
        if (wanted > 0 && left < wanted) ++short_nodes[name];
    };
    note("cpu", node.left.cpu_milli, shape.amount.cpu_milli);
    note("memory", node.left.memory_bytes, shape.amount.memory_bytes);
    note("ephemeral-storage", node.left.ephemeral_bytes, shape.amount.ephemeral_bytes);
    note("pods", node.pods_left, 1);
    for (const auto& wanted : shape.amount.extended) {
        if (core::is_volume_limit(wanted.name)) continue;
        note(wanted.name.c_str(), left_of(node, wanted.name), wanted.amount);
    }
    for (const auto& [name, wanted] : asked_of_limits(node, shape.amount)) {
        note(name.c_str(), left_of(node, name), wanted);
    }
}

/// The driver where it displaces the fewest executors, then executors wherever there is room; the
/// nodes are counted after that.
inline NaiveShortage naive_shortage(
    std::vector<NaiveNode> nodes, const NaiveShape* driver, const NaiveShape& executor) {
    NaiveShortage shortage;
    std::optional<std::size_t> best;
    std::int64_t least = 0;
    for (std::size_t i = 0; driver != nullptr && i < nodes.size(); ++i) {
        if (naive_capacity(nodes[i], *driver) == 0) continue;
        NaiveNode beside = nodes[i];
        take(beside, driver->amount);
        const std::int64_t loss =
            naive_capacity(nodes[i], executor) - naive_capacity(beside, executor);
        if (best && loss >= least) continue;
        best = i;
        least = loss;
    }
    shortage.driver_fits = best.has_value();
    if (best) take(nodes[*best], driver->amount);
    const NaiveShape& failed = driver != nullptr && !best ? *driver : executor;
    for (NaiveNode& node : nodes) {
        for (std::int64_t n = naive_capacity(node, executor); n > 0; --n) {
            take(node, executor.amount);
            ++shortage.executors_fit;
        }
        if (!core::filter_node(node.node, failed.constraints).passes()) continue;
        ++shortage.eligible_nodes;
        if (!node.is_excluded) count_short(node, failed, shortage.short_nodes);
    }
    return shortage;
}

}  // namespace tests
