#include "gang/shares/queue_usage.hpp"

namespace gang {

template <typename Change>
void QueueUsage::change(QueueIndex leaf, std::string_view user, const Change& change) {
    tree_.for_each_above(leaf, [&](QueueIndex queue) {
        OfQueue& of = held_[static_cast<std::size_t>(queue)];
        change(of.all);
        if (!tree_.at(queue).counts_users()) {
            return;
        }
        auto at = of.by_user.find(user);
        if (at == of.by_user.end()) {
            at = of.by_user.try_emplace(std::string(user)).first;
        }
        change(at->second);
        if (at->second == Held{}) {
            of.by_user.erase(at);
        }
    });
}

void QueueUsage::add(
    QueueIndex leaf, std::string_view user, const core::Resources& one, std::int64_t count) {
    version_ += count < 0 ? 1 : 0;
    change(leaf, user, [&](Held& held) { held.amounts.add(one, count); });
}

void QueueUsage::add(
    QueueIndex leaf, std::string_view user, const Held& added, std::int64_t count) {
    version_ += count < 0 ? 1 : 0;
    change(leaf, user, [&](Held& held) {
        held.amounts.add(added.amounts, count);
        held.gangs += added.gangs * count;
    });
}

void QueueUsage::begin_anew() {
    held_.assign(tree_.size(), {});
    ++version_;
}

const QueueUsage::Held& QueueUsage::of_user(QueueIndex queue, std::string_view user) const {
    static const Held nothing;
    const auto& by_user = held_[static_cast<std::size_t>(queue)].by_user;
    const auto found = by_user.find(user);
    return found == by_user.end() ? nothing : found->second;
}

}  // namespace gang
