#include "core/cluster/allocation/cluster_accounts.hpp"

namespace core {

std::vector<Account> accounts_of(const Cluster& cluster) {
    const NodeTable& nodes = cluster.nodes();
    const AmountTable& amounts = cluster.room().amounts();
    const ExtendedNames& names = cluster.extended_names();
    const CardTable& cards = cluster.columns().cards();
    const std::uint64_t allocations = cluster.allocations().count();
    std::uint64_t amounts_held = allocations + cluster.shapes().size() + amounts.held_by_amounts();
    std::uint64_t names_held = names.held_by_names() + amounts.names_held();
    std::uint64_t charges = 0;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        amounts_held += nodes.allocatable({i}).is_none() ? 0 : 1;
        names_held += cards.resources({i}).size();
        charges += nodes.allocations({i});
    }
    return {
        {"amounts", amounts.references(), amounts_held},
        {"charges on nodes", allocations, charges},
        {"constraint classes", cluster.shapes().classes().references(), cluster.shapes().size()},
        {"extended names", names.references(), names_held},
        cards.account(),
        nodes.images().account()};
}

}  // namespace core
