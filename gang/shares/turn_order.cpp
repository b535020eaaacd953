#include "gang/shares/turn_order.hpp"

#include <utility>

namespace gang {

TurnOrder::TurnOrder(
    const QueueTree& tree, const QueueUsage& usage, Amounts totals, const UsageHistory* history)
    : tree_(tree),
      usage_(usage),
      totals_(std::move(totals)),
      history_(history != nullptr && history->is_on() ? history : nullptr),
      entries_(tree.size()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const auto queue = static_cast<QueueIndex>(i);
        const std::vector<QueueIndex>& children = tree_.at(queue).children;
        for (std::size_t ordinal = 0; ordinal < children.size(); ++ordinal) {
            at(children[ordinal]).ordinal = ordinal;
        }
        measure(queue);
    }
}

void TurnOrder::measure(QueueIndex queue) {
    Entry& entry = at(queue);
    entry.share = share_of(tree_.at(queue), usage_.of(queue).amounts, totals_);
    entry.due = history_ == nullptr ? 0 : millionths(entry.share) - history_->owed(queue);
}

void TurnOrder::set(QueueIndex leaf, FirstInQueue first) {
    at(leaf).winner = leaf;
    at(leaf).first = first;
}

void TurnOrder::begin() {
    for (std::size_t i = entries_.size(); i-- > 0;) {
        const auto queue = static_cast<QueueIndex>(i);
        const std::vector<QueueIndex>& children = tree_.at(queue).children;
        if (children.empty()) {
            continue;
        }
        std::vector<QueueIndex>& games = entries_[i].games;
        games.assign(2 * children.size(), no_queue);
        for (std::size_t child = 0; child < children.size(); ++child) {
            const bool plays = at(children[child]).winner != no_queue;
            games[children.size() + child] = plays ? children[child] : no_queue;
        }
        for (std::size_t game = children.size(); game-- > 1;) {
            games[game] = better(games[2 * game], games[2 * game + 1]);
        }
        crown(queue);
    }
}

QueueIndex TurnOrder::pick() const {
    return entries_.empty() ? no_queue : entries_.front().winner;
}

void TurnOrder::update(QueueIndex leaf, std::optional<FirstInQueue> first) {
    at(leaf).winner = first ? leaf : no_queue;
    at(leaf).first = first.value_or(FirstInQueue{});
    for (QueueIndex queue = leaf; queue != no_queue; queue = tree_.at(queue).parent) {
        measure(queue);
        const QueueIndex parent = tree_.at(queue).parent;
        if (parent == no_queue) {
            break;
        }
        std::vector<QueueIndex>& games = at(parent).games;
        std::size_t game = games.size() / 2 + at(queue).ordinal;
        games[game] = at(queue).winner != no_queue ? queue : no_queue;
        for (game /= 2; game > 0; game /= 2) {
            games[game] = better(games[2 * game], games[2 * game + 1]);
        }
        crown(parent);
    }
}

/// Children are in the order of their names, and so are their indices.
QueueIndex TurnOrder::better(QueueIndex a, QueueIndex b) const {
    if (a == no_queue || b == no_queue) {
        return a == no_queue ? b : a;
    }
    const FirstInQueue& first_a = at(a).first;
    const FirstInQueue& first_b = at(b).first;
    if ((first_a.created == before_all) != (first_b.created == before_all)) {
        return first_a.created == before_all ? a : b;
    }
    if (first_a.before != first_b.before) {
        return first_a.before < first_b.before ? a : b;
    }
    const int less = first_a.before == by_share ? compare_shares(at(a), at(b)) : 0;
    if (less != 0) {
        return less < 0 ? a : b;
    }
    if (first_a.created != first_b.created) {
        return first_a.created < first_b.created ? a : b;
    }
    return a < b ? a : b;
}

int TurnOrder::compare_shares(const Entry& a, const Entry& b) const {
    if (history_ == nullptr || a.share.is_below_guarantee != b.share.is_below_guarantee) {
        return compare(a.share, b.share);
    }
    return a.due < b.due ? -1 : a.due > b.due ? 1 : 0;
}

/// What its winner is, it is to the queue above.
void TurnOrder::crown(QueueIndex queue) {
    const std::vector<QueueIndex>& games = at(queue).games;
    const QueueIndex first = games[1];  // of one child, without a game
    at(queue).winner = first == no_queue ? no_queue : at(first).winner;
    at(queue).first = first == no_queue ? FirstInQueue{} : at(first).first;
}

}  // namespace gang
