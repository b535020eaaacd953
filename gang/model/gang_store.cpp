#include "gang/model/gang_store.hpp"

#include "gang/declare/declaration.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gang {

Application* GangStore::find_owner(const PodEntry& entry) const {
    Application* const app = entry.owner.empty() ? nullptr : find(entry.owner);
    return app != nullptr && app->is_driver && app->namespace_name == entry.pod.namespace_name
               ? app
               : nullptr;
}

Application& GangStore::ensure(const PodEntry& entry, bool is_driver) {
    if (Application* known = find(entry.pod.uid)) {
        // What a lone pod says may be read by now, or not any more.
        if (!known->is_driver && known->declared.diagnostics->problem != entry.pod.problem) {
            known->set_problem(entry.pod.problem);
            in_.waiting.changed(*known);
            in_.worklist.queue_changed = true;
        }
        return *known;
    }
    auto added = gangs_.extract(gangs_.try_emplace(entry.pod.uid).first);
    Application& app = added.mapped();
    app.uid = entry.pod.uid;
    app.namespace_name = in_.texts.keep(entry.pod.namespace_name);
    app.declared.queue = in_.texts.keep(Declaration{}.queue);
    app.name = entry.pod.name;
    app.created = entry.pod.created;
    app.priority = entry.pod.priority;
    app.is_driver = is_driver;
    app.is_surplus =
        entry.is_executor || (!is_driver && !entry.group.empty() && entry.alone != Alone::single);
    app.group = is_driver ? entry.group : core::Text{};
    app.waiting_since_ms = entry.pod.created * 1000;
    app.declared.conf_needed = is_driver && in_.reader.is_spark_driver(entry.pod);
    app.declared.user = in_.texts.keep(user_of(entry.pod));
    app.set_problem(entry.pod.problem);
    added.key() = app.uid;  // which lives as long as it
    gangs_.insert(std::move(added));
    index_.insert(app);
    choose_queue(app, entry);
    return app;
}

/// What the object of its group names; nullptr: nothing.
const std::string* GangStore::find_queue_of_group(const PodEntry& entry) const {
    const PodGroup* const group = entry.group.empty() ? in_.groups.group_of_driver(entry.pod.uid)
                                                      : in_.groups.find(entry.group.str());
    const bool has_queue = group != nullptr && group->object && !group->object->queue.empty();
    return has_queue ? &group->object->queue : nullptr;
}

bool GangStore::awaits_group(const Application& app) const {
    if (app.declared.group_needed || !in_.shares.is_active()) {
        return app.declared.group_needed;
    }
    const PodGroup* const group = in_.groups.group_of_driver(app.uid);
    return group != nullptr && !group->object && !group->missing;
}

void GangStore::choose_queue(Application& app, const PodEntry& entry) {
    if (!in_.shares.is_active()) {
        return;
    }
    const QueueAccount* const gang = app.is_surplus && find_owner(entry) != nullptr
                                         ? in_.shares.charges.find(entry.owner.str())
                                         : nullptr;
    PlacedInQueue placed = gang != nullptr ? PlacedInQueue{*gang, {}}
                                           : in_.shares.placement.place(
                                                 entry.pod,
                                                 asked_queue(entry.pod),
                                                 queue_elsewhere(entry.pod),
                                                 find_queue_of_group(entry));
    const std::string name = placed.account.queue == no_queue
                                 ? std::string(config::lost_queue)
                                 : in_.shares.tree.name(placed.account.queue);
    if (app.declared.queue == name && *app.declared.queue_problem == placed.problem) {
        return;
    }
    take_place(app, std::move(placed));
}

void GangStore::take_place(Application& app, PlacedInQueue placed) {
    app.declared.queue = in_.texts.keep(
        placed.account.queue == no_queue ? config::lost_queue
                                         : in_.shares.tree.name(placed.account.queue));
    app.declared.queue_problem.reset();
    if (!placed.problem.empty()) {
        app.declared.queue_problem.make() = std::move(placed.problem);
    }
    in_.shares.charges.assign(app.uid, std::move(placed.account));
    in_.waiting.changed(app);
    in_.worklist.queue_changed = true;
}

void GangStore::place_again(Application& app) {
    const bool is_waiting = app.phase == Phase::waiting;
    const std::string unnamed = Declaration{}.queue;
    if (!in_.shares.is_active()) {
        if (is_waiting) {
            // What it asks for is kept with it, as of one that comes without queues.
            const auto id = in_.pods.find(app.uid);
            const PodEntry entry = id ? in_.pods.copy_of(*id) : PodEntry{};
            const std::string* const asked = asked_queue(entry.pod);
            app.declared.queue = in_.texts.keep(asked == nullptr ? unnamed : *asked);
            app.declared.queue_problem.reset();
        }
        return;
    }
    const std::string& written = app.declared.queue.str();
    const auto restored = is_waiting ? std::nullopt : in_.shares.placement.restore(written);
    if (restored) {
        in_.shares.charges.assign(app.uid, {*restored, app.declared.user.str()});
        return;
    }
    const auto id = in_.pods.find(app.uid);
    if (!id) {
        in_.shares.charges.assign(app.uid, {in_.shares.tree.lost(), app.declared.user.str()});
        return;
    }
    PodEntry entry = in_.pods.copy_of(*id);
    if (is_waiting) {
        app.declared.queue = {};
        choose_queue(app, entry);
        if (awaits_group(app)) {
            in_.worklist.dirty_groups.insert(*in_.groups.find_driver_group(app.uid));
        }
        return;
    }
    // Admitted when there were no queues. What is beyond a gang's slots is charged where the gang
    // is.
    const QueueAccount* const gang = app.is_surplus && find_owner(entry) != nullptr
                                         ? in_.shares.charges.find(entry.owner.str())
                                         : nullptr;
    if (gang != nullptr) {
        take_place(app, {*gang, {}});
        return;
    }
    // Of a pod that is compacted the rest is forgotten.
    const std::string& user = app.declared.user.str();
    entry.pod.service_account = user.substr(user.find('/') + 1);
    const std::string* const asked = written == unnamed ? nullptr : &written;
    PlacedInQueue placed = in_.shares.placement.place(
        entry.pod, asked, queue_elsewhere(entry.pod), find_queue_of_group(entry));
    if (placed.problem.empty()) {
        take_place(app, std::move(placed));
    } else {
        // The name is kept: the queue may come.
        in_.shares.charges.assign(app.uid, {in_.shares.tree.lost(), user});
    }
}

void GangStore::set_held(Application& app, bool is_held) {
    if (std::exchange(app.declared.is_held, is_held) != is_held) {
        in_.waiting.changed(app);
        in_.worklist.queue_changed = true;
    }
}

void GangStore::set_max_wait(Application& app, std::optional<std::int64_t> max_wait_ms) {
    constexpr std::int64_t second_ms = 1'000;
    const std::int64_t seconds = (max_wait_ms.value_or(0) + second_ms - 1) / second_ms;
    const auto kept = static_cast<std::int32_t>(
        std::min<std::int64_t>(seconds, std::numeric_limits<std::int32_t>::max()));
    if (std::exchange(app.declared.max_wait_s, kept) != kept) {
        in_.waiting.changed(app);
        in_.worklist.queue_changed = true;
    }
}

void GangStore::restore_queue(Application& app, const std::string& written) {
    const auto queue =
        in_.shares.is_active() ? in_.shares.placement.restore(written) : std::nullopt;
    if (in_.shares.is_active() && !queue) {
        return;  // admitted when there were no queues: as its pod says
    }
    app.declared.queue = in_.texts.keep(written);
    const QueueAccount* const known = queue ? in_.shares.charges.find(app.uid) : nullptr;
    if (known != nullptr) {
        in_.shares.charges.assign(app.uid, {*queue, known->user});
    }
}

void GangStore::erase(const std::string& uid) {
    const auto it = gangs_.find(uid);
    if (it == gangs_.end()) {
        return;
    }
    Application& app = it->second;
    in_.ledger.drop(app);
    in_.waiting.erase(app);
    in_.worklist.queue_changed = true;
    in_.conf_asker.forget(uid);
    in_.worklist.dirty_gangs.erase(uid);
    in_.shapes.release_all(app);
    in_.shapes.set_topology(app, std::nullopt);
    if (app.declared.driver_shape) {
        in_.shapes.release(*app.declared.driver_shape);
    }
    index_.erase(app);
    in_.shares.charges.release(app.uid);
    gangs_.erase(it);
}

void GangStore::forget_if_unused(const std::string& uid) {
    const Application* app = find(uid);
    if (app != nullptr && !in_.pods.contains(uid) && in_.pods.owners().members_of(uid).empty()) {
        erase(uid);
    }
}

void GangStore::leave_owner(PodEntry& entry) {
    const bool was_last = in_.pods.owners().leave(entry);
    const core::Text owner = std::exchange(entry.owner, {});
    if (was_last) {
        forget_if_unused(owner);
    }
}

void GangStore::stop_waiting(Application& app) {
    in_.worklist.queue_changed = in_.waiting.erase(app) || in_.worklist.queue_changed;
    const bool is_over = app.phase != Phase::waiting || !in_.pods.at(app.uid).node().empty();
    if (is_over && !app.published.is_unproven) {
        in_.conf_asker.forget(app.uid);
    }
}

}  // namespace gang
