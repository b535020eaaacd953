// What a node's annotations say of its cards, and a pod's of the cards it has or wishes: one line
// each, "node KEY=VALUE", "pod KEY=VALUE" or "label KEY=VALUE".
#include "core/cluster/cluster.hpp"
#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "tests/fuzz/invariants.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace {

const std::string units_name = "alnair/vgpu-memory";
constexpr std::int64_t units_asked = 4;
constexpr std::size_t problem_max = 1'024;

struct Said {
    core::StringMap node;
    core::StringMap pod;
    core::StringMap labels;
};

void put(core::StringMap& map, std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    std::string key(line.substr(0, equals));
    const auto at = std::lower_bound(
        map.begin(), map.end(), key, [](const auto& entry, const std::string& wanted) {
            return entry.first < wanted;
        });
    if (at != map.end() && at->first == key) return;
    map.emplace(at, std::move(key), std::string(line.substr(equals + 1)));
}

Said read(std::string_view text) {
    Said said;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.starts_with("node ")) put(said.node, line.substr(5));
        if (line.starts_with("pod ")) put(said.pod, line.substr(4));
        if (line.starts_with("label ")) put(said.labels, line.substr(6));
    }
    return said;
}

void check_node(const core::NodeCards& cards) {
    PROPERTY(cards.problem.empty() || cards.cards.empty());
    PROPERTY(cards.problem.size() <= problem_max);
    PROPERTY(cards.problem.find('\n') == std::string::npos);
    PROPERTY(cards.cards.size() <= core::cards_max);
    for (std::size_t i = 0; i < cards.cards.size(); ++i) {
        const core::Card& card = cards.cards[i];
        PROPERTY(!card.id.empty() && card.id.size() <= core::card_id_max);
        PROPERTY(card.id.find('@') == std::string::npos && card.id != core::unknown_card);
        PROPERTY(card.units > 0);
        for (std::size_t other = 0; other < i; ++other) {
            PROPERTY(cards.cards[other].id != card.id);
        }
    }
}

/// All that is asked for, or nothing.
void check_pod(const std::vector<core::ExtendedResource>& cards) {
    if (cards.empty()) return;
    std::int64_t sum = 0;
    for (const core::ExtendedResource& card : cards) {
        PROPERTY(core::resource_of_card(card.name) == units_name);
        PROPERTY(card.amount >= 0 && card.amount <= units_asked);
        sum += card.amount;
    }
    PROPERTY(sum == units_asked);
    PROPERTY(std::is_sorted(cards.begin(), cards.end()));
}

/// A node that says it, with a pod that says it: whatever is free adds up, and nothing wraps.
void check_cluster(const std::optional<core::NodeCards>& cards, const core::CardUse& use) {
    core::Cluster cluster;
    core::Node node;
    node.name = "n1";
    node.ready = true;
    node.pods = 10;
    node.allocatable.extended = {{units_name, 16}};
    if (cards) node.cards = *cards;
    cluster.upsert_node(node);
    const core::Resources asked{0, 0, 0, {{units_name, units_asked}}};
    const core::NodeIndex index = *cluster.nodes().find("n1");
    const core::ShapeId shape = cluster.intern_shape(asked, {});
    const std::int64_t before = cluster.capacity(index, shape, core::View::free);
    PROPERTY(before >= 0 && before <= 4);
    cluster.upsert_pod("p1", "n1", asked, core::UsedBy::other_scheduler, use);
    const std::int64_t beside = cluster.capacity(index, shape, core::View::free);
    PROPERTY(beside >= 0 && beside <= std::min<std::int64_t>(before, 3));
    cluster.remove_pod("p1");
    PROPERTY(cluster.capacity(index, shape, core::View::free) == before);
    cluster.release_shape(shape);
    cluster.remove_node("n1");
    for (const core::Account& account : core::accounts_of(cluster)) PROPERTY(account.adds_up());
}

void check_wish(const Said& said) {
    const auto read = core::read_gpu_wish(said.labels, said.pod);
    if (!read) {
        PROPERTY(!read.error().message.empty());
    } else if (*read) {
        const core::GpuWish& wish = **read;
        PROPERTY(wish.number >= 1 && wish.number <= core::gpu_number_max);
        PROPERTY(wish.each_mib >= 0 && wish.total_mib >= 0 && core::memory_of(wish) >= 0);
        const auto again = core::wish_of(core::name_of(wish));
        PROPERTY(!again || *again == wish);
    }
    const auto priority = core::read_gpu_priority(said.labels, said.pod);
    PROPERTY(priority || !priority.error().message.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Said said = read(fuzz::text(data, size));
    const auto cards = core::read_node_cards(said.node);
    if (cards) check_node(*cards);
    const core::Resources asked{0, 0, 0, {{units_name, units_asked}}};
    core::CardUse use;
    for (const bool trusts_own : {false, true}) {
        use.said = core::read_pod_cards(said.pod, asked, trusts_own);
        check_pod(use.said);
        if (use.said.empty()) continue;
        const core::StringMap own = {
            {std::string(core::cards_annotation), core::describe_cards(use.said)}};
        PROPERTY(core::read_pod_cards(own, asked, true) == use.said);
    }
    check_cluster(cards, use);
    check_wish(said);
    return 0;
}
