#include "gang/quota/turns.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gang {
namespace {

/// Of two in one queue.
bool is_later(const Attempt& a, const Attempt& b) {
    const bool is_a_first = a.app->created == before_all;
    const bool is_b_first = b.app->created == before_all;
    if (is_a_first != is_b_first) {
        return is_b_first;
    }
    const std::int64_t before_a = a.gang_class->first.lane.before;
    const std::int64_t before_b = b.gang_class->first.lane.before;
    return before_a != before_b ? before_b < before_a : b.app->order() < a.app->order();
}

}  // namespace

Turns::Turns(const Shares& shares, const Amounts& totals, std::vector<Attempt> all)
    : rest_(all.size()) {
    if (!shares.is_active()) {
        Heap& heap = heaps_[no_queue];
        heap = std::move(all);
        std::make_heap(heap.begin(), heap.end(), is_later);
        return;
    }
    for (const Attempt& attempt : all) {
        heaps_[attempt.gang_class->first.lane.queue].push_back(attempt);
    }
    order_.emplace(shares.tree, shares.usage, totals);
    for (auto& [queue, heap] : heaps_) {
        std::make_heap(heap.begin(), heap.end(), is_later);
        order_->set(queue, *created(heap));
    }
    order_->begin();
}

/// Of the first.
std::optional<std::int64_t> Turns::created(const Heap& heap) const {
    return heap.empty() ? std::nullopt : std::optional(heap.front().app->created);
}

Attempt Turns::take() {
    at_turn_ = order_ ? order_->pick() : no_queue;
    Heap& heap = heaps_.at(at_turn_);
    std::pop_heap(heap.begin(), heap.end(), is_later);
    const Attempt taken = heap.back();
    heap.pop_back();
    --rest_;
    return taken;
}

void Turns::done(const std::optional<Attempt>& next) {
    Heap& heap = heaps_.at(at_turn_);
    if (next) {
        heap.push_back(*next);
        std::push_heap(heap.begin(), heap.end(), is_later);
        ++rest_;
    }
    if (order_) {
        order_->update(at_turn_, created(heap));
    }
}

std::vector<Attempt> Turns::rest() const {
    std::vector<Attempt> all;
    for (const auto& [queue, heap] : heaps_) {
        all.insert(all.end(), heap.begin(), heap.end());
    }
    return all;
}

std::vector<QueueIndex> queues_in_turn(const Model& model, const Amounts& totals) {
    TurnOrder order(model.shares.tree, model.shares.usage, totals);
    QueueIndex last = no_queue;
    for (const auto& [lane, line] : model.waiting.lanes()) {
        const std::int64_t created = (*line.begin())->created;
        if (lane.queue != last || created == before_all) {
            last = lane.queue;
            order.set(lane.queue, created);
        }
    }
    order.begin();
    std::vector<QueueIndex> queues;
    for (QueueIndex queue = order.pick(); queue != no_queue; queue = order.pick()) {
        queues.push_back(queue);
        order.update(queue, std::nullopt);
    }
    return queues;
}

}  // namespace gang
