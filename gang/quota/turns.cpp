#include "gang/quota/turns.hpp"

#include "gang/quota/max_waits.hpp"

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

UserTurn turn_of(
    const Shares& shares, const Amounts& totals, const Lane& lane, const Application& first) {
    UserTurn turn{
        first.declared.is_overdue,
        {},
        {first.created, is_strict(shares.tree, lane) ? lane.before : by_share},
        lane.user};
    if (!lane.user.empty()) {
        turn.share = share_of(shares.usage.of_user(lane.queue, lane.user).amounts, totals);
    }
    return turn;
}

/// Of two lanes that are passed by nobody.
bool goes_before(const LaneAndLine* a, const LaneAndLine* b) {
    const auto place = [](const LaneAndLine& lane) {
        return std::tuple(
            lane.first.before, (*lane.second.begin())->created, lane.first.queue);
    };
    return place(*a) < place(*b);
}

/// A gang that was not looked at yet has no code.
bool waits_for_room(ReasonCode code) {
    switch (code) {
        case ReasonCode::none:
        case ReasonCode::waiting_in_queue:
        case ReasonCode::waiting_for_capacity:
        case ReasonCode::waiting_for_nodes:
        case ReasonCode::waiting_for_preemption:
            return true;
        default:
            return false;
    }
}

UserTurn turn_of(const Shares& shares, const Amounts& totals, const Attempt& first) {
    return turn_of(shares, totals, first.gang_class->first.lane, *first.app);
}

}  // namespace

bool UserTurn::operator<(const UserTurn& other) const {
    if ((first.created == before_all) != (other.first.created == before_all)) {
        return first.created == before_all;
    }
    if (is_overdue != other.is_overdue) {
        return is_overdue;
    }
    const int less = compare(share, other.share);
    return less != 0 ? less < 0
                     : std::tie(first.created, user) < std::tie(other.first.created, other.user);
}

Turns::Turns(const Shares& shares, const Amounts& totals, std::vector<Attempt> all)
    : shares_(shares), totals_(totals), rest_(all.size()) {
    for (const Attempt& attempt : all) {
        const Lane& lane = attempt.gang_class->first.lane;
        queues_[lane.queue].by_user[lane.user].push_back(attempt);
    }
    if (shares.is_active()) {
        order_.emplace(shares.tree, shares.usage, totals, &shares.history);
    }
    for (auto& [queue, of] : queues_) {
        for (auto& [user, heap] : of.by_user) {
            std::make_heap(heap.begin(), heap.end(), is_later);
            of.users.insert(turn_of(shares_, totals_, heap.front()));
        }
        if (order_) {
            order_->set(queue, *first(of));
        }
    }
    if (order_) {
        order_->begin();
    }
}

std::optional<FirstInQueue> Turns::first(const OfQueue& of) {
    return of.users.empty() ? std::nullopt : std::optional(of.users.begin()->first);
}

Attempt Turns::take() {
    at_turn_ = order_ ? order_->pick() : no_queue;
    OfQueue& of = queues_.at(at_turn_);
    user_at_turn_ = of.users.begin()->user;
    of.users.erase(of.users.begin());
    Heap& heap = of.by_user.at(user_at_turn_);
    std::pop_heap(heap.begin(), heap.end(), is_later);
    const Attempt taken = heap.back();
    heap.pop_back();
    --rest_;
    return taken;
}

void Turns::done(const std::optional<Attempt>& next) {
    OfQueue& of = queues_.at(at_turn_);
    Heap& heap = of.by_user.at(user_at_turn_);
    if (next) {
        heap.push_back(*next);
        std::push_heap(heap.begin(), heap.end(), is_later);
        ++rest_;
    }
    if (!heap.empty()) {
        of.users.insert(turn_of(shares_, totals_, heap.front()));
    }
    if (order_) {
        order_->update(at_turn_, first(of));
    }
}

std::vector<Attempt> Turns::rest() const {
    std::vector<Attempt> all;
    for (const auto& [queue, of] : queues_) {
        for (const auto& [user, heap] : of.by_user) {
            all.insert(all.end(), heap.begin(), heap.end());
        }
    }
    return all;
}

std::vector<const LaneAndLine*> lanes_in_order(const Model& model, const Amounts& totals) {
    std::vector<std::pair<UserTurn, const LaneAndLine*>> places;
    for (const LaneAndLine& lane : model.waiting.classes().lanes()) {
        const Application& first = **lane.second.begin();
        places.emplace_back(turn_of(model.shares, totals, lane.first, first), &lane);
    }
    std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
        const Lane& left = a.second->first;
        const Lane& right = b.second->first;
        return left.queue != right.queue || left.before != right.before
                   ? std::tie(left.queue, left.before) < std::tie(right.queue, right.before)
                   : a.first < b.first;
    });
    std::vector<const LaneAndLine*> lanes;
    for (const auto& place : places) {
        lanes.push_back(place.second);
    }
    return lanes;
}

std::vector<const LaneAndLine*> lanes_in_turn(const Model& model, const Amounts& totals) {
    TurnOrder order(model.shares.tree, model.shares.usage, totals, &model.shares.history);
    std::map<QueueIndex, std::vector<const LaneAndLine*>> by_queue;
    std::vector<const LaneAndLine*> all;
    for (const LaneAndLine* const lane : lanes_in_order(model, totals)) {
        if (is_strict(model.shares.tree, lane->first)) {
            all.push_back(lane);
            continue;
        }
        const QueueIndex queue = lane->first.queue;
        const std::int64_t created = (*lane->second.begin())->created;
        std::vector<const LaneAndLine*>& lanes = by_queue[queue];
        if (lanes.empty() || created == before_all) {
            order.set(queue, {created});
        }
        lanes.push_back(lane);
    }
    std::sort(all.begin(), all.end(), goes_before);
    order.begin();
    for (QueueIndex queue = order.pick(); queue != no_queue; queue = order.pick()) {
        const std::vector<const LaneAndLine*>& lanes = by_queue.at(queue);
        all.insert(all.end(), lanes.begin(), lanes.end());
        order.update(queue, std::nullopt);
    }
    return all;
}

std::vector<QueueIndex> queues_short_of_room(const Model& model) {
    std::vector<QueueIndex> queues;
    for (const auto& [lane, line] : model.waiting.classes().lanes()) {
        const bool lacks_room = std::any_of(line.begin(), line.end(), [&](const Application* app) {
            return waits_for_room(model.waiting.code_of(*app));
        });
        if (lacks_room) {
            queues.push_back(lane.queue);
        }
    }
    return queues;
}

}  // namespace gang
