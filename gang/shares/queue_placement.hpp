#pragma once
// In which queue a gang, or a lone pod, waits: the first placement rule of the file that answers.

#include "config/schema.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/queue_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// "namespace/serviceaccount": a tenant can choose neither for himself.
std::string user_of(const core::Pod& pod);

struct PlacedInQueue {
    QueueAccount account;  ///< of no queue: it has a problem
    std::string problem;   ///< not empty: names the queue that it cannot wait in
};

class QueuePlacement {
public:
    /// All live as long.
    QueuePlacement(
        const QueueTree& tree, const config::Schema& schema, const core::Namespaces& namespaces)
        : tree_(tree), schema_(schema), namespaces_(namespaces) {}

    /// Some rule speaks of labels of namespaces. As long as they are not known, whoever comes to it
    /// has a problem.
    bool needs_namespaces() const;

    /// Of a driver or lone pod; `asked` is what it says, nullptr: nothing. `elsewhere` is the queue
    /// that it names for another scheduler: it counts if there is one of that name, and no other is
    /// asked for. `of_group` is that of its PodGroup object: it counts likewise, and where there are
    /// Queue objects it must be there.
    PlacedInQueue place(
        const core::Pod& pod,
        const std::string* asked,
        const std::string* elsewhere = nullptr,
        const std::string* of_group = nullptr) const;
    /// The queue in which it was admitted, as its reservation has it. Nothing: it was admitted
    /// when there were no queues.
    std::optional<QueueIndex> restore(std::string_view written) const;

private:
    bool counts(const std::string* named) const;
    std::string unknown_label(const std::string& label, const std::string& namespace_name) const;
    std::string problem_of(QueueIndex queue, const std::string& name, const core::Pod& pod) const;

    const QueueTree& tree_;
    const config::Schema& schema_;
    const core::Namespaces& namespaces_;
};

}  // namespace gang
