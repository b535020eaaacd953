#pragma once
// Who is tried next in a scheduling cycle: without queues in the file the first come, else the
// first of the queue whose turn it is (shares/turn_order.hpp), by its order.

#include "gang/model/model.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/shares/turn_order.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gang {

/// The next of an equivalence class.
struct Attempt {
    Application* app;
    KeyedClass* gang_class;
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
    std::optional<std::int64_t> created(const Heap& heap) const;

    std::map<QueueIndex, Heap> heaps_;  ///< by leaf; one of no_queue if there are no queues
    std::optional<TurnOrder> order_;    ///< with queues
    QueueIndex at_turn_ = no_queue;
    std::size_t rest_ = 0;
};

/// Leaves in which somebody waits, by whose turn it would be if nobody could be admitted.
std::vector<QueueIndex> queues_in_turn(const Model& model, const Amounts& totals);

}  // namespace gang
