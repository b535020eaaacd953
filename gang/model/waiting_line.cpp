#include "gang/model/waiting_line.hpp"

namespace gang {
namespace {

/// One that comes later than it was created finds its place from the end, as long as that is near;
/// then all are sorted when the order is next asked for.
constexpr std::uint32_t steps_max = 64;
/// Entries of nobody that are not worth the work of closing up.
constexpr std::size_t free_entries_min = 64;

}  // namespace

bool WaitingLine::insert(Application& app, bool failed_before) {
    if (contains(app)) return false;
    line_.insert(&app);
    unclassified_.insert(&app);
    add_entry(app, failed_before);
    return true;
}

bool WaitingLine::erase(Application& app) {
    if (!contains(app)) return false;
    classes_.leave(entry(app));
    unclassified_.erase(&app);
    line_.erase(&app);
    entries_[app.entry_index] = {};
    app.entry_index = no_entry;
    ++free_entries_;
    while (!entries_.empty() && entries_.back().app == nullptr) {
        entries_.pop_back();
        --free_entries_;
    }
    if (free_entries_ > free_entries_min && free_entries_ > line_.size()) is_sorted_ = false;
    return true;
}

void WaitingLine::changed(Application& app) {
    if (!contains(app)) return;
    classes_.leave(entry(app));
    unclassified_.insert(&app);
}

void WaitingLine::all_changed() {
    for (Application* const app : line_) {
        changed(*app);
    }
    forget_reported();
}

void WaitingLine::forget_reported() {
    for (QueueEntry& entry : entries_) {
        entry.is_reported = false;
    }
}

void WaitingLine::move_entry(std::uint32_t from, std::uint32_t to) {
    entries_[to] = entries_[from];
    if (entries_[to].app != nullptr) entries_[to].app->entry_index = to;
}

void WaitingLine::add_entry(Application& app, bool failed_before) {
    auto at = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
    for (std::uint32_t steps = 0; is_sorted_ && at > 0; ++steps) {
        const Application* const before = entries_[at - 1].app;
        if (before != nullptr && before->order() < app.order()) break;
        if (steps == steps_max) {
            is_sorted_ = false;
            break;
        }
        move_entry(at - 1, at);
        --at;
    }
    entries_[at] = {};
    entries_[at].app = &app;
    entries_[at].failed_before = failed_before;
    app.entry_index = at;
}

std::vector<QueueEntry>& WaitingLine::sorted_entries() {
    if (is_sorted_) return entries_;
    std::vector<QueueEntry> sorted;
    sorted.reserve(line_.size());
    for (Application* const app : line_) {
        sorted.push_back(entries_[app->entry_index]);
        app->entry_index = static_cast<std::uint32_t>(sorted.size() - 1);
    }
    entries_ = std::move(sorted);
    free_entries_ = 0;
    is_sorted_ = true;
    return entries_;
}

Line WaitingLine::take_unclassified() {
    classes_.erase_empty();
    return std::exchange(unclassified_, {});
}

}  // namespace gang
