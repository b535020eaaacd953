#include "gang/shares/usage_history.hpp"

#include "gang/shares/dominant_share.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gang {
namespace {

/// How hard what is owed pulls: a queue that lacked a hundredth of the cluster for as long as is
/// remembered goes before one that holds a tenth more. Found by gang-policies
/// (docs/evaluation/policies.md).
constexpr std::int64_t gain = 10;
/// So many decay times leave nothing of what was before.
constexpr std::int64_t decays_max = 20;
constexpr std::int64_t steps_per_decay = 16;

std::int64_t scale(std::int64_t value, std::int64_t by, std::int64_t of) {
    return static_cast<std::int64_t>(core::Wide{value} * by / of);
}

}  // namespace

void UsageHistory::configure(std::int64_t half_life_ms) {
    decay_ms_ = scale(half_life_ms, 1'442'695, 1'000'000);  // divided by ln 2
    std::map<std::string, Entry, std::less<>> before;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        before.emplace(std::move(names_[i]), entries_[i]);
    }
    entries_.clear();
    names_.clear();
    if (!is_on()) return;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
        names_.push_back(tree_.name(static_cast<QueueIndex>(i)));
        const auto known = before.find(names_.back());
        entries_.push_back(known == before.end() ? Entry{} : known->second);
    }
}

void UsageHistory::forget() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
}

void UsageHistory::add_up(Entry& entry, std::int64_t ms) const {
    const std::int64_t step = std::max<std::int64_t>(decay_ms_ / steps_per_decay, 1);
    while (ms > 0) {
        const std::int64_t passed = std::min(ms, step);
        entry.sum += entry.rate * passed;
        entry.sum -= scale(entry.sum, passed, decay_ms_);
        ms -= passed;
    }
}

void UsageHistory::advance(std::int64_t now_ms) {
    if (!is_on()) return;
    const std::int64_t passed =
        std::clamp<std::int64_t>(now_ms - last_ms_, 0, decays_max * decay_ms_);
    last_ms_ = now_ms;
    for (Entry& entry : entries_) add_up(entry, passed);
}

void UsageHistory::observe(const std::vector<QueueIndex>& waiting, const Amounts& totals) {
    if (!is_on()) return;
    for (Entry& entry : entries_) entry.rate = 0;
    std::vector<bool> waits(entries_.size());
    for (QueueIndex queue : waiting) {
        for (; queue != no_queue && !waits[static_cast<std::size_t>(queue)];
             queue = tree_.at(queue).parent) {
            waits[static_cast<std::size_t>(queue)] = true;
        }
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (waits[i]) compare_children(tree_.at(static_cast<QueueIndex>(i)), waits, totals);
    }
}

void UsageHistory::compare_children(
    const QueueNode& parent, const std::vector<bool>& waits, const Amounts& totals) {
    struct Child {
        std::size_t index;
        std::int64_t share;
        std::int64_t weight;
        bool counts;
    };
    std::vector<Child> children;
    for (const QueueIndex queue : parent.children) {
        const QueueNode& node = tree_.at(queue);
        const auto index = static_cast<std::size_t>(queue);
        children.push_back(
            {index,
             millionths(share_of(node, usage_.of(queue).amounts, totals)),
             node.said.weight,
             waits[index]});
    }
    const auto find_level = [&children] {
        core::Wide held = 0;
        core::Wide weights = 0;
        for (const Child& child : children) {
            if (child.counts) {
                held += core::Wide{child.share} * child.weight;
                weights += child.weight;
            }
        }
        return weights == 0 ? std::int64_t{0} : static_cast<std::int64_t>(held / weights);
    };
    const std::int64_t of_waiting = find_level();
    for (Child& child : children) child.counts = child.counts || child.share > of_waiting;
    const std::int64_t level = find_level();
    for (const Child& child : children) {
        if (child.counts) entries_[child.index].rate = level - child.share;
    }
}

std::int64_t UsageHistory::owed(QueueIndex queue) const {
    return is_on() ? scale(entries_[static_cast<std::size_t>(queue)].sum, gain, decay_ms_) : 0;
}

}  // namespace gang
