#pragma once
// What each queue holds, and each user in it where that matters, kept by differences: every
// change is added to the leaf and to all queues above it.

#include "core/value/resources.hpp"
#include "gang/shares/amounts.hpp"
#include "gang/shares/queue_tree.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class QueueUsage {
public:
    explicit QueueUsage(const QueueTree& tree) : tree_(tree), held_(tree.size()) {}

    /// Nobody holds anything, and the tree may be another one.
    void begin_anew();

    /// What one queue, or one user in it, holds.
    struct Held {
        Amounts amounts;
        std::int64_t gangs = 0;  ///< that hold something, lone pods too
        friend bool operator==(const Held&, const Held&) = default;
    };

    void add(
        QueueIndex leaf, std::string_view user, const core::Resources& one, std::int64_t count);
    void add(QueueIndex leaf, std::string_view user, const Held& held, std::int64_t count);

    const Held& of(QueueIndex queue) const { return held_[static_cast<std::size_t>(queue)].all; }
    /// Zero where users are not counted (QueueNode::counts_users()).
    const Held& of_user(QueueIndex queue, std::string_view user) const;

    /// Grows whenever a queue holds less than before: who waited for quota may fit.
    std::uint64_t version() const { return version_; }

private:
    struct OfQueue {
        Held all;
        std::map<std::string, Held, std::less<>> by_user;  ///< where they are counted; none of 0
    };
    template <typename Change>
    void change(QueueIndex leaf, std::string_view user, const Change& change);

    const QueueTree& tree_;
    std::vector<OfQueue> held_;  ///< by QueueIndex
    std::uint64_t version_ = 1;
};

}  // namespace gang
