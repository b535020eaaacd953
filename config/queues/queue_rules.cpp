#include "config/queues/queue_rules.hpp"

#include "config/queues/queue_name.hpp"
#include "core/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace config {
namespace {

using Sums = std::map<std::string, std::int64_t>;

class QueueRules {
public:
    explicit QueueRules(const Reading& reading)
        : marks_(reading.marks),
          queues_(reading.schema.queues),
          placement_(reading.schema.placement),
          crosses_queues_(reading.schema.preemption.across_queues) {}

    std::vector<Complaint> check() {
        check_names();
        if (out_.empty()) {
            check_aging();
            check_limits();
            check_guarantees();
            check_placement();
        }
        return std::move(out_);
    }

private:
    static std::string path_of(std::size_t queue) { return fmt::format("queues[{}]", queue); }

    void complain(const std::string& path, const std::string& at, const std::string& text) {
        const auto mark = marks_.find(at);
        out_.push_back(Complaint{mark == marks_.end() ? Mark{} : mark->second, path + ": " + text});
    }

    void check_names() {
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            const std::string path = path_of(i) + ".name";
            if (!by_name_.try_emplace(queues_[i].name, i).second) {
                complain(
                    path,
                    path,
                    fmt::format("found {} a second time, expected each once", queues_[i].name));
            }
            const bool is_below_lost = queues_[i].name.starts_with(std::string(lost_queue) + ".");
            if (queues_[i].name == lost_queue || is_below_lost) {
                complain(
                    path,
                    path,
                    fmt::format(
                        "found {}, expected another name: {} counts what runs in queues that the "
                        "file has no more",
                        queues_[i].name,
                        lost_queue));
            }
            for (std::string_view above = parent_queue(queues_[i].name); !above.empty();
                 above = parent_queue(above)) {
                parents_.insert(std::string(above));
            }
        }
    }

    static std::string shown(const std::string& resource, std::int64_t amount) {
        return resource == "cpu"                         ? core::format_cpu(amount)
               : resource.find('/') == std::string::npos ? core::format_bytes(amount)
                                                         : std::to_string(amount);
    }

    void check_aging() {
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            if (queues_[i].aging_per_hour != 0 && queues_[i].order != QueueOrder::priority) {
                const std::string path = path_of(i) + ".agingPerHour";
                complain(path, path, "found an order that is not by priority, expected `order: priority`");
            }
        }
    }

    void check_limits() {
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            for (const auto& [resource, guaranteed] : queues_[i].guarantee) {
                const auto limit = find(queues_[i].limit, resource);
                if (limit != nullptr && limit->amount < guaranteed) {
                    complain(
                        path_of(i) + ".limit",
                        path_of(i) + ".limit",
                        fmt::format(
                            "found {} {}, expected at least its guarantee of {}",
                            resource,
                            shown(resource, limit->amount),
                            shown(resource, guaranteed)));
                }
            }
        }
    }

    static const core::ExtendedResource* find(
        const ResourceAmounts& amounts, const std::string& resource) {
        const auto found = std::find_if(amounts.begin(), amounts.end(), [&](const auto& amount) {
            return amount.name == resource;
        });
        return found == amounts.end() ? nullptr : &*found;
    }

    /// Of a queue: its own guarantees or the sums of those below it, whichever is more.
    const Sums& guarantees_of(const std::string& name) {
        const auto [it, inserted] = guarantees_.try_emplace(name);
        if (!inserted) {
            return it->second;
        }
        Sums sums;
        for (const std::string& child : children_of(name)) {
            for (const auto& [resource, amount] : guarantees_of(child)) {
                std::int64_t& sum = sums[resource];
                const std::int64_t left = std::numeric_limits<std::int64_t>::max() - sum;
                sum += std::min(left, amount);
            }
        }
        below_[name] = sums;
        if (const auto own = by_name_.find(name); own != by_name_.end()) {
            for (const auto& [resource, amount] : queues_[own->second].guarantee) {
                sums[resource] = std::max(sums[resource], amount);
            }
        }
        return guarantees_[name] = std::move(sums);
    }

    std::set<std::string> children_of(const std::string& name) const {
        std::set<std::string> children;
        const std::string prefix = name + ".";
        const auto add = [&](const std::string& below) {
            if (below.starts_with(prefix)) {
                children.insert(below.substr(0, below.find('.', prefix.size())));
            }
        };
        for (auto it = by_name_.lower_bound(prefix);
             it != by_name_.end() && it->first.starts_with(prefix);
             ++it) {
            add(it->first);
        }
        return children;
    }

    void check_guarantees() {
        guarantees_of(std::string(root_queue));
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            for (const auto& [resource, sum] : below_[queues_[i].name]) {
                const auto limit = find(queues_[i].limit, resource);
                if (limit != nullptr && limit->amount < sum) {
                    complain(
                        path_of(i) + ".limit",
                        path_of(i) + ".limit",
                        fmt::format(
                            "found {} {}, expected at least the guarantees of the queues below it, "
                            "{} together",
                            resource,
                            shown(resource, limit->amount),
                            shown(resource, sum)));
                }
            }
        }
    }

    void check_placement() {
        if (queues_.empty()) {
            if (const auto mark = marks_.find("placement"); mark != marks_.end()) {
                complain("placement", "placement", "found rules without queues, expected queues");
            }
            if (crosses_queues_) {
                const std::string path = "preemption.acrossQueues";
                complain(path, path, "found true without queues, expected queues");
            }
            return;
        }
        for (const PlacementRule& rule : placement_) {
            if (rule.kind != PlacementRule::Kind::fixed) {
                continue;
            }
            if (parents_.contains(rule.queue)) {
                complain(
                    "placement",
                    "placement",
                    fmt::format(
                        "found {}, expected a queue with none below it: gangs wait in those",
                        rule.queue));
            } else if (rule.queue != default_queue && !by_name_.contains(rule.queue)) {
                complain(
                    "placement",
                    "placement",
                    fmt::format("found {}, expected one of the queues above", rule.queue));
            }
        }
    }

    const Marks& marks_;
    const std::vector<Queue>& queues_;
    const std::vector<PlacementRule>& placement_;
    bool crosses_queues_;
    std::map<std::string, std::size_t> by_name_;
    std::set<std::string> parents_;  ///< names with queues below them
    std::map<std::string, Sums> guarantees_;
    std::map<std::string, Sums> below_;  ///< sums of the queues right below
    std::vector<Complaint> out_;
};

}  // namespace

std::vector<Complaint> check_queues(const Reading& reading) {
    return QueueRules(reading).check();
}

}  // namespace config
