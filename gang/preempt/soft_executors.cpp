#include "gang/preempt/soft_executors.hpp"

#include "gang/preempt/victim_list.hpp"

#include <algorithm>
#include <utility>

namespace gang {

bool SoftExecutors::take_out(const std::string& pod) {
    const auto id = model_.pods.find(pod);
    if (!id || model_.pods[*id].slot() < 0) {
        return false;
    }
    const std::string driver = model_.pods[*id].owner();
    Application* const app = model_.gangs.find(driver);
    const auto slot = static_cast<std::size_t>(model_.pods[*id].slot());
    if (app == nullptr || app->phase != Phase::running) {
        return false;
    }
    const SoftSlots soft = soft_slots(*app, model_.pods);
    if (!std::binary_search(soft.filled.begin(), soft.filled.end(), slot)) {
        return false;
    }
    const Slot& taken = app->slots[slot];
    Taken& noted = taken_[pod];
    noted.driver = driver;
    noted.node = taken.node.str();
    noted.size = model_.cluster.allocations().resources_of(taken.allocation);
    noted.shape = taken.shape;
    model_.ledger.take_out(*app, slot);
    noted.generation = publisher_.rewrite(*app);
    model_.worklist.dirty_gangs.insert(driver);
    return true;
}

bool SoftExecutors::is_stored(const Taken& taken) const {
    const Application* const app = model_.gangs.find(taken.driver);
    return app == nullptr || app->published.stored >= taken.generation;
}

bool SoftExecutors::is_out(const std::string& pod) const {
    const auto found = taken_.find(pod);
    return found != taken_.end() && is_stored(found->second);
}

void SoftExecutors::set_asked(const std::string& pod, bool is_asked) {
    taken_.at(pod).is_asked = is_asked;
}

std::size_t SoftExecutors::waiting() const {
    return static_cast<std::size_t>(
        std::count_if(taken_.begin(), taken_.end(), [](const auto& one) {
            return !one.second.is_asked && !one.second.is_going;
        }));
}

void SoftExecutors::put_back(const std::string& pod) {
    const auto found = taken_.find(pod);
    if (found == taken_.end()) {
        return;
    }
    const Taken taken = std::move(found->second);
    taken_.erase(found);
    const auto id = model_.pods.find(pod);
    Application* const app = model_.gangs.find(taken.driver);
    const bool is_there = id && model_.pods[*id].holds_capacity() && model_.pods[*id].slot() < 0 &&
                          model_.pods[*id].node() == taken.node && !taken.is_going;
    if (!is_there || app == nullptr || app->phase != Phase::running || app->is_slotless() ||
        taken.shape >= app->declared.shapes.size()) {
        return;
    }
    model_.ledger.put_back(*app, taken.shape, *id);
    app->slots.back().since = app->since(publisher_.rewrite(*app));
    model_.worklist.dirty_gangs.insert(taken.driver);
}

void SoftExecutors::went(const std::string& pod) {
    if (const auto found = taken_.find(pod); found != taken_.end()) {
        found->second.is_going = true;
    }
}

void SoftExecutors::hold_unwritten() {
    for (auto next = taken_.begin(); next != taken_.end();) {
        auto& [pod, taken] = *next;
        const auto id = model_.pods.find(pod);
        if (id && model_.pods[*id].holds_capacity()) {
            ++next;
            continue;
        }
        Application* const app = model_.gangs.find(taken.driver);
        if (app == nullptr || app->phase != Phase::running || is_stored(taken)) {
            next = taken_.erase(next);
            continue;
        }
        if (!std::exchange(taken.has_left, true)) {
            model_.ledger.releases().hold(*app, taken.node, taken.size, taken.generation);
        }
        ++next;
    }
}

}  // namespace gang
