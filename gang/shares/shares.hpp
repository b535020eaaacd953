#pragma once
// All that is known of queues: the tree, what each holds, and who is charged.

#include "config/schema.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/queue_placement.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"
#include "gang/shares/quota.hpp"

namespace gang {

struct Shares {
    /// `schema` lives as long.
    explicit Shares(const config::Schema& schema)
        : tree(schema), placement(tree, schema.placement) {}
    Shares(const Shares&) = delete;
    Shares& operator=(const Shares&) = delete;

    /// False: the file has no queues, and there is one line for all.
    bool is_active() const { return charges.is_active(); }

    const QueueTree tree;
    QueueUsage usage{tree};
    Charges charges{tree, usage};
    Quota quota{tree, usage};
    const QueuePlacement placement;
};

}  // namespace gang
