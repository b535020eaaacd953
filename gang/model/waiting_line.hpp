#pragma once
// The gangs that wait, in order, and again by equivalence class. Places only: what gangs are, and
// what refuses them, is for others to know.
//
// What a status refresh reads and writes of a gang stands in an entry of one array, so that ten
// thousand are looked through in a fraction of a millisecond. An entry keeps its number while its
// gang waits, or the line is sorted anew, and Application::entry_index is that number.

#include "gang/model/application.hpp"
#include "gang/model/line/equivalence_classes.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gang {

class WaitingLine {
public:
    WaitingLine() = default;
    WaitingLine(const WaitingLine&) = delete;
    WaitingLine& operator=(const WaitingLine&) = delete;

    /// False: it waits already.
    bool insert(Application& app, bool failed_before);
    /// False: it did not wait. To be called before its rank, or it, goes away.
    bool erase(Application& app);
    /// It asks for something else now, or something about it has changed.
    void changed(Application& app);
    /// Everybody is to be classified anew.
    void all_changed();
    /// What anybody was told, or it, counts no more.
    void forget_reported();
    void forget_reported(const Application& app) {
        if (contains(app)) entries_[app.entry_index].is_reported = false;
    }

    static bool contains(const Application& app) { return app.entry_index != no_entry; }
    std::size_t size() const { return line_.size(); }
    Line::const_iterator begin() const { return line_.begin(); }
    Line::const_iterator end() const { return line_.end(); }
    Line::const_iterator lower_bound(const RankView& rank) const { return line_.lower_bound(rank); }

    /// Must wait. Valid until somebody comes.
    QueueEntry& entry(const Application& app) { return entries_[app.entry_index]; }
    const QueueEntry* find_entry(const Application& app) const {
        return contains(app) ? &entries_[app.entry_index] : nullptr;
    }
    /// Why it waits, as last found; none: it does not wait, or was not looked at yet.
    ReasonCode code_of(const Application& app) const {
        const QueueEntry* const found = find_entry(app);
        return found != nullptr ? found->code : ReasonCode::none;
    }
    /// By rank; those of gangs that wait no more have no `app`.
    std::vector<QueueEntry>& sorted_entries();

    /// Those that came or changed since this was last asked: to be classified, if they can be.
    Line take_unclassified();
    void classify(const Application& app, EquivalenceKey key, std::int64_t size) {
        classes_.join(entry(app), std::move(key), size);
    }
    bool is_classified() const { return unclassified_.empty(); }
    /// It has changed, and is looked at anew before anybody is admitted.
    bool is_unclassified(Application& app) const { return unclassified_.contains(&app); }
    EquivalenceClasses& classes() { return classes_; }
    const EquivalenceClasses& classes() const { return classes_; }

private:
    void add_entry(Application& app, bool failed_before);
    void move_entry(std::uint32_t from, std::uint32_t to);

    Line line_;
    Line unclassified_;
    EquivalenceClasses classes_;
    std::vector<QueueEntry> entries_;
    std::size_t free_entries_ = 0;  ///< entries of nobody
    bool is_sorted_ = true;
};

}  // namespace gang
