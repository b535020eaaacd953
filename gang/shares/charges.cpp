#include "gang/shares/charges.hpp"

#include <utility>

namespace gang {

void Charges::assign(const std::string& holder, QueueAccount account) {
    if (!is_active()) {
        return;
    }
    Holder& known = holders_[holder];
    known.is_assigned = true;
    move_to(known, std::move(account));
}

const QueueAccount* Charges::find(std::string_view holder) const {
    const auto found = holders_.find(holder);
    return found == holders_.end() ? nullptr : &found->second.account;
}

void Charges::release(const std::string& holder) {
    const auto found = holders_.find(holder);
    if (found == holders_.end()) {
        return;
    }
    found->second.is_assigned = false;
    if (found->second.things == 0) {
        holders_.erase(found);
    }
}

void Charges::move_to(Holder& holder, QueueAccount account) {
    if (account.queue == no_queue) {
        account.queue = tree_.lost();
    }
    if (holder.account == account) {
        return;
    }
    if (holder.things > 0) {
        usage_.add(holder.account.queue, holder.account.user, holder.held, -1);
        usage_.add(account.queue, account.user, holder.held, 1);
    }
    holder.account = std::move(account);
}

void Charges::change(Holder& holder, const core::Resources& one, std::int64_t count) {
    const auto& [queue, user] = holder.account;
    const std::int64_t gangs = holder.things > 0 ? 1 : 0;
    holder.held.amounts.add(one, count);
    usage_.add(queue, user, one, count);
    if (holder.held.gangs != gangs) {
        QueueUsage::Held one_gang;
        one_gang.gangs = 1;
        usage_.add(queue, user, one_gang, gangs - holder.held.gangs);
        holder.held.gangs = gangs;
    }
}

void Charges::add_slots(
    const std::string& holder, const core::Resources& size, std::int64_t count) {
    if (!is_active() || count == 0) {
        return;
    }
    const auto [known, is_new] = holders_.try_emplace(holder);
    if (is_new) {
        move_to(known->second, {});
    }
    known->second.things += count;
    change(known->second, size, count);
    if (known->second.things == 0 && !known->second.is_assigned) {
        holders_.erase(known);
    }
}

void Charges::resize_slot(
    const std::string& holder, const core::Resources& from, const core::Resources& to) {
    if (!is_active() || from == to) {
        return;
    }
    Holder& known = holders_.at(holder);
    change(known, to, 1);
    change(known, from, -1);
}

std::map<std::string, QueueAccount, std::less<>> Charges::forget_all() {
    std::map<std::string, QueueAccount, std::less<>> accounts;
    for (auto& [holder, known] : holders_) {
        accounts.emplace(holder, std::move(known.account));
    }
    holders_.clear();
    pods_.clear();
    return accounts;
}

bool Charges::is_held(
    const std::string& pod, const std::string& holder, const core::Resources& amounts) const {
    const auto found = pods_.find(pod);
    return found != pods_.end() && found->second.holder == holder &&
           found->second.amounts == amounts;
}

void Charges::take_pod(
    const std::string& pod, const std::string& holder, const core::Resources& amounts) {
    pods_.insert_or_assign(pod, HeldPod{holder, amounts});
    Holder& known = holders_.at(holder);
    ++known.things;
    change(known, amounts, 1);
}

void Charges::drop_pod(std::string_view pod) {
    const auto found = pods_.find(pod);
    if (found == pods_.end()) {
        return;
    }
    const auto holder = holders_.find(found->second.holder);
    --holder->second.things;
    change(holder->second, found->second.amounts, -1);
    if (holder->second.things == 0 && !holder->second.is_assigned) {
        holders_.erase(holder);
    }
    pods_.erase(found);
}

const std::string* Charges::holder_of(std::string_view pod) const {
    const auto found = pods_.find(pod);
    return found == pods_.end() ? nullptr : &found->second.holder;
}

}  // namespace gang
