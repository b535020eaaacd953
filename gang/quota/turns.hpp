#pragma once
// Who is tried next in a scheduling cycle: without queues in the file the first come, else the
// first of the queue whose turn it is (shares/turn_order.hpp), by its order. In a queue that is fair
// between users that is the user who holds least of it: by the dominant share, then creation, then name.

#include "gang/model/model.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/shares/turn_order.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

/// The next of an equivalence class.
struct Attempt {
    Application* app;
    KeyedClass* gang_class;
};

/// Of a user who waits in a queue that is fair between users; elsewhere there is one for all.
struct UserTurn {
    bool is_overdue = false;  ///< the first that waits is: it is of no user's lane
    DominantShare share;
    FirstInQueue first;        ///< that waits
    std::string user;          ///< empty: of all
    /// Whose turn it is goes first.
    bool operator<(const UserTurn& other) const;
};

class Turns {
public:
    /// `all`: the first of each class.
    Turns(const Shares& shares, const Amounts& totals, std::vector<Attempt> all);

    bool is_over() const { return rest_ == 0; }
    /// Whose turn it is. done() follows.
    Attempt take();
    /// The turn has been used; `next` of the same class may have one.
    void done(const std::optional<Attempt>& next);
    /// Those who had none.
    std::vector<Attempt> rest() const;

private:
    using Heap = std::vector<Attempt>;
    struct OfQueue {
        std::map<std::string, Heap> by_user;
        std::set<UserTurn> users;
    };
    static std::optional<FirstInQueue> first(const OfQueue& of);

    const Shares& shares_;
    Amounts totals_;
    std::map<QueueIndex, OfQueue> queues_;  ///< leaves; one of no_queue if there are no queues
    std::optional<TurnOrder> order_;        ///< with queues
    QueueIndex at_turn_ = no_queue;
    std::string user_at_turn_;
    std::size_t rest_ = 0;
};

using LaneAndLine = std::pair<const Lane, Line>;

/// Where somebody waits: by queue, and those of a queue by who of them goes first.
std::vector<const LaneAndLine*> lanes_in_order(const Model& model, const Amounts& totals);
/// The same, by whose turn it would be if nobody could be admitted; those who are passed by nobody first.
std::vector<const LaneAndLine*> lanes_in_turn(const Model& model, const Amounts& totals);
/// Leaves in which somebody waits for room, and for nothing else; one may come more than once.
std::vector<QueueIndex> queues_short_of_room(const Model& model);

}  // namespace gang
