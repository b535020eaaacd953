#include "config/queues/queue_objects.hpp"

#include "config/queues/queue_name.hpp"
#include "config/queues/queue_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace config {
namespace {

const core::ExtendedResource* find(const ResourceAmounts& amounts, const std::string& name) {
    const auto found = std::find_if(
        amounts.begin(), amounts.end(), [&name](const auto& one) { return one.name == name; });
    return found == amounts.end() ? nullptr : &*found;
}

class Merge {
public:
    Merge(const Schema& file, const std::vector<core::QueueObject>& objects)
        : file_(file), made_{file, {}} {
        for (const core::QueueObject& object : objects) {
            objects_.emplace(object.name, &object);
        }
        for (const Queue& queue : file.queues) {
            of_file_.insert(queue.name);
        }
        for (const PlacementRule& rule : placement()) {
            if (rule.kind == PlacementRule::Kind::fixed) fixed_.insert(rule.queue);
        }
    }

    WithQueueObjects run() {
        for (const auto& [name, object] : objects_) {
            if (const std::string problem = problem_of(*object); !problem.empty()) {
                made_.problems.push_back(fmt::format("Queue {} is not taken: {}", name, problem));
            } else {
                made_.schema.queues.push_back(queue_of(*object));
            }
        }
        if (!made_.schema.queues.empty()) {
            made_.schema.placement = placement();
        }
        made_.schema.queue_objects.are_there = true;
        return std::move(made_);
    }

private:
    /// As a file with queues and without rules has them.
    std::vector<PlacementRule> placement() const {
        return file_.placement.empty() ? default_placement() : file_.placement;
    }

    /// Empty: it is one of ours.
    std::string problem_of(const core::QueueObject& object) {
        const Place& place = place_of(object.name);
        if (!place.problem.empty()) return place.problem;
        if (of_file_.contains(place.name)) {
            return fmt::format("the configuration has a queue {} itself", place.name);
        }
        return {};
    }

    /// Where it is in the tree.
    struct Place {
        std::string name;     ///< its full name
        std::string problem;  ///< not empty: nowhere
    };

    const Place& place_of(const std::string& object) {
        const auto known = places_.find(object);
        if (known != places_.end()) return known->second;
        // Whoever comes back here meanwhile is below itself.
        places_[object].problem = "its parents are a circle";
        Place place = find_place(*objects_.at(object));
        return places_[object] = std::move(place);
    }

    Place find_place(const core::QueueObject& object) {
        if (!object.problem.empty()) return {{}, object.problem};
        if (object.weight < 1 || object.weight > queue_weight_max) {
            return {{}, fmt::format("its weight is {}, not from 1 to {}", object.weight, queue_weight_max)};
        }
        if (std::string text = amounts_problem(object); !text.empty()) return {{}, std::move(text)};
        if (object.name == root_queue) return {std::string(root_queue), {}};
        if (!is_queue_part(object.name)) return {{}, "a dot in a name stands between queues here"};
        std::string above(root_queue);
        if (!object.parent.empty() && object.parent != root_queue) {
            const Place parent = place_of_parent(object.parent);
            if (!parent.problem.empty()) return parent;
            above = parent.name;
        }
        Place place{above + "." + object.name, {}};
        if (place.name.size() > queue_name_max) {
            place.problem = fmt::format("{} is longer than {} characters", place.name, queue_name_max);
        } else if (place.name == lost_queue) {
            place.problem = fmt::format("{} counts what runs in queues that are no more", lost_queue);
        }
        return place;
    }

    Place place_of_parent(const std::string& parent) {
        Place place;
        if (objects_.contains(parent)) {
            place = place_of(parent);
            if (!place.problem.empty()) {
                place.problem = fmt::format("of its parent {}: {}", parent, place.problem);
                return place;
            }
        } else if (const std::string full = full_queue_name(parent);
                   of_file_.contains(full) || fixed_.contains(full)) {
            place.name = full;
        } else {
            return {{}, fmt::format("its parent {} is not found", parent)};
        }
        if (fixed_.contains(place.name)) {
            place.problem = fmt::format(
                "gangs that name no queue wait in its parent {}, and no queue can be below that", parent);
        }
        return place;
    }

    static std::string amounts_problem(const core::QueueObject& object) {
        for (const auto* amounts : {&object.capability, &object.guarantee, &object.deserved}) {
            for (const auto& [name, amount] : *amounts) {
                if (!is_queue_resource(name)) return fmt::format("{} is not counted here", name);
            }
        }
        for (const auto& [name, guaranteed] : object.guarantee) {
            const auto* limit = find(object.capability, name);
            if (limit != nullptr && limit->amount < guaranteed) {
                return fmt::format("its guarantee of {} is above its capability", name);
            }
        }
        return {};
    }

    Queue queue_of(const core::QueueObject& object) {
        Queue queue;
        queue.name = place_of(object.name).name;
        queue.object = object.name;
        queue.weight = object.weight;
        queue.limit = object.capability;
        queue.guarantee = guarantee_of(object);
        queue.order = QueueOrder::priority;
        queue.preemption.is_reclaimable = file_.queue_objects.reclaim && object.is_reclaimable;
        queue.state = object.is_closed ? QueueState::stopped : QueueState::running;
        return queue;
    }

    /// What is deserved can be had back from others, as what is guaranteed; beyond the limit nobody
    /// has anything.
    static ResourceAmounts guarantee_of(const core::QueueObject& object) {
        std::map<std::string, std::int64_t> amounts;
        for (const auto& [name, amount] : object.deserved) {
            const auto* limit = find(object.capability, name);
            amounts[name] = limit == nullptr ? amount : std::min(amount, limit->amount);
        }
        for (const auto& [name, amount] : object.guarantee) {
            std::int64_t& most = amounts[name];
            most = std::max(most, amount);
        }
        ResourceAmounts made;
        for (const auto& [name, amount] : amounts) made.push_back({name, amount});
        return made;
    }

    const Schema& file_;
    WithQueueObjects made_;
    std::map<std::string, const core::QueueObject*> objects_;
    std::set<std::string> of_file_;  ///< full names
    std::set<std::string> fixed_;    ///< queues of those that name none
    std::map<std::string, Place> places_;
};

}  // namespace

WithQueueObjects add_queue_objects(
    const Schema& file, const std::vector<core::QueueObject>& objects) {
    return Merge(file, objects).run();
}

}  // namespace config
