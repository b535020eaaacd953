#pragma once
// Who is charged: each gang, and each pod that is placed by itself, is a holder with a queue and a
// user. What it holds is charged there, in whatever order its pods, its slots and its queue become
// known: a holder that moves to another queue takes along all that it holds.
//
// A pod that is counted by itself belongs to its gang's holder; a slot to its gang's.

#include "core/value/resources.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gang {

/// Where something is charged.
struct QueueAccount {
    QueueIndex queue = no_queue;  ///< a leaf
    std::string user;             ///< "namespace/serviceaccount"
    friend bool operator==(const QueueAccount&, const QueueAccount&) = default;
};

class Charges {
public:
    Charges(const QueueTree& tree, QueueUsage& usage) : tree_(tree), usage_(usage) {}

    /// False: the file has no queues, and nothing is counted.
    bool is_active() const { return !tree_.is_empty(); }

    /// From now on its charges are that account's, whatever they were; no_queue: root.lost.
    void assign(const std::string& holder, QueueAccount account);
    /// nullptr: nothing is known of it.
    const QueueAccount* find(std::string_view holder) const;
    /// What it holds; nullptr: nothing is known of it.
    const Amounts* held_by(std::string_view holder) const {
        const auto found = holders_.find(holder);
        return found == holders_.end() ? nullptr : &found->second.held.amounts;
    }
    /// Its gang is forgotten; the holder goes with the last thing that it holds.
    void release(const std::string& holder);

    /// Slots: `count` more of this size (fewer, if negative).
    void add_slots(const std::string& holder, const core::Resources& size, std::int64_t count);
    /// One slot's size is another one.
    void resize_slot(
        const std::string& holder, const core::Resources& from, const core::Resources& to);

    /// A pod holds this by itself; repeating it takes over a changed amount. `account()` is asked
    /// where its holder is unknown.
    template <typename Account>
    void hold_pod(
        const std::string& pod,
        const std::string& holder,
        const core::Resources& amounts,
        const Account& account) {
        if (!is_active() || is_held(pod, holder, amounts)) return;
        drop_pod(pod);
        if (!holders_.contains(holder)) move_to(holders_[holder], account());
        take_pod(pod, holder, amounts);
    }
    /// Nothing happens if it held nothing.
    void drop_pod(std::string_view pod);
    /// Its holder; nullptr: it holds nothing by itself.
    const std::string* holder_of(std::string_view pod) const;

    /// visit(uid) for all pods that are their own holders: drivers, and pods that stand alone.
    template <typename Visit>
    void for_each_own_holder(const Visit& visit) const {
        for (const auto& [uid, pod] : pods_) {
            if (pod.holder == uid) visit(uid);
        }
    }

    /// Where everybody who holds something, or is known, was charged; the usage begins anew with
    /// nobody. Queues are those of the tree as it was.
    std::map<std::string, QueueAccount, std::less<>> forget_all();

    /// Holders and pods, for what is remembered.
    std::size_t size() const { return holders_.size() + pods_.size(); }

private:
    struct Holder {
        QueueAccount account;
        QueueUsage::Held held;     ///< one gang, as long as anything is held
        std::int64_t things = 0;   ///< slots and pods
        bool is_assigned = false;  ///< its gang is known
    };
    struct HeldPod {
        std::string holder;
        core::Resources amounts;
    };
    bool is_held(
        const std::string& pod, const std::string& holder, const core::Resources& amounts) const;
    void take_pod(
        const std::string& pod, const std::string& holder, const core::Resources& amounts);
    void move_to(Holder& holder, QueueAccount account);
    void change(Holder& holder, const core::Resources& one, std::int64_t count);

    const QueueTree& tree_;
    QueueUsage& usage_;
    std::map<std::string, Holder, std::less<>> holders_;  ///< by uid of driver or lone pod
    std::map<std::string, HeldPod, std::less<>> pods_;    ///< by uid
};

}  // namespace gang
