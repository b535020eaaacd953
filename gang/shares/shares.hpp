#pragma once
// All that is known of queues: the tree, what each holds, and who is charged.

#include "config/schema.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/queue_placement.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"
#include "gang/shares/quota.hpp"
#include "gang/shares/usage_history.hpp"

#include <functional>
#include <map>
#include <string>

namespace gang {

/// An account that outlives its tree.
struct NamedAccount {
    std::string queue;
    std::string user;
};

struct Shares {
    /// Both live as long.
    Shares(const config::Schema& schema, const core::Namespaces& namespaces)
        : tree(schema), placement(tree, schema, namespaces) {
        history.configure(schema.fair_share.usage_half_life_ms);
    }
    Shares(const Shares&) = delete;
    Shares& operator=(const Shares&) = delete;

    /// False: the file has no queues, and there is one line for all.
    bool is_active() const { return charges.is_active(); }

    /// The schema has other queues, or other rules. Nobody is charged any more; the answer is where
    /// each holder was, by the name of its queue.
    std::map<std::string, NamedAccount, std::less<>> begin_anew(const config::Schema& schema) {
        std::map<std::string, NamedAccount, std::less<>> before;
        for (auto& [holder, account] : charges.forget_all()) {
            before.emplace(holder, NamedAccount{tree.name(account.queue), account.user});
        }
        tree = QueueTree(schema);
        usage.begin_anew();
        history.configure(schema.fair_share.usage_half_life_ms);
        return before;
    }

    QueueTree tree;
    QueueUsage usage{tree};
    Charges charges{tree, usage};
    Quota quota{tree, usage};
    UsageHistory history{tree, usage};
    const QueuePlacement placement;
};

}  // namespace gang
