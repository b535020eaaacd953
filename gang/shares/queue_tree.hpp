#pragma once
// The queues of the file as a tree. Gangs wait in its leaves; what is said of a queue above them
// holds for all of them together. Another configuration brings another tree.

#include "config/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// Place of a queue in the tree; those above it have smaller ones.
using QueueIndex = std::int32_t;
inline constexpr QueueIndex no_queue = -1;

struct QueueNode {
    config::Queue said;  ///< as written, or the defaults
    /// Its own guarantee, or what those below it are guaranteed together, whichever is more.
    config::ResourceAmounts guarantee;
    QueueIndex parent = no_queue;
    std::vector<QueueIndex> children;  ///< by name
    bool is_bounded = false;           ///< it, or one above it, has a limit of any kind
    bool has_user_limit = false;       ///< likewise, for each user
    bool is_stopped = false;           ///< likewise: nobody is let in
    bool is_max_wait_strict = false;   ///< likewise: nobody passes who has waited for too long

    /// Whether it matters what each user holds in it.
    bool counts_users() const {
        return !said.user_limit.empty() || said.order == config::QueueOrder::fair;
    }
};

class QueueTree {
public:
    /// Without queues in the file there is no tree at all.
    explicit QueueTree(const config::Schema& schema);

    bool is_empty() const { return nodes_.empty(); }
    /// Some queue lets nobody pass who has waited in it for too long.
    bool is_max_wait_strict_anywhere() const { return is_max_wait_strict_anywhere_; }
    std::size_t size() const { return nodes_.size(); }
    const QueueNode& at(QueueIndex queue) const { return nodes_[static_cast<std::size_t>(queue)]; }
    const std::string& name(QueueIndex queue) const { return at(queue).said.name; }
    bool is_leaf(QueueIndex queue) const { return at(queue).children.empty(); }
    /// By its full name; no_queue: there is none.
    QueueIndex find(std::string_view full_name) const;
    /// As a gang names it: by its full name, with or without "root.", or as its object is called.
    QueueIndex find_named(const std::string& name) const;
    /// Where what runs in queues that are no more is counted.
    QueueIndex lost() const { return lost_; }

    /// Who a list names may use it: the nearest list, from the queue upwards, decides. `user` is
    /// "namespace/serviceaccount".
    bool may_use(QueueIndex queue, std::string_view user, std::string_view namespace_name) const;

    /// visit(queue) from the queue up to the root.
    template <typename Visit>
    void for_each_above(QueueIndex queue, const Visit& visit) const {
        for (; queue != no_queue; queue = at(queue).parent) visit(queue);
    }

private:
    std::vector<QueueNode> nodes_;
    std::map<std::string, QueueIndex, std::less<>> by_name_;
    std::map<std::string, QueueIndex, std::less<>> by_object_;
    QueueIndex lost_ = no_queue;
    bool is_max_wait_strict_anywhere_ = false;
};

}  // namespace gang
