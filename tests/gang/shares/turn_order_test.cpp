// Whose turn it is, against a plain recursion over the definition, with fractions of small numbers.
#include "gang/shares/turn_order.hpp"

#include "tests/gang/random.hpp"
#include "tests/gang/shares/trees.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

using gang::Amounts;
using gang::DominantShare;
using gang::FirstInQueue;
using gang::no_queue;
using gang::QueueIndex;
using gang::QueueTree;
using gang::QueueUsage;
using gang::TurnOrder;

namespace {

Amounts cluster_of(std::int64_t cpu_milli, std::int64_t memory, std::int64_t gpus = 0) {
    core::Resources all{cpu_milli, memory, 0, {}};
    if (gpus > 0) {
        all.extended = {{"nvidia.com/gpu", gpus}};
    }
    Amounts totals;
    totals.add(all, 1);
    return totals;
}

/// The definition, word by word: small numbers, so plain products are exact.
struct NaiveOrder {
    const QueueTree& tree;
    const QueueUsage& usage;
    const Amounts& totals;
    std::map<QueueIndex, FirstInQueue> waiting;  ///< by leaf

    struct Best {
        QueueIndex leaf;
        std::int64_t created;
        std::int64_t before;
    };

    std::int64_t guarantee(QueueIndex queue, const std::string& resource) const {
        std::int64_t below = 0;
        for (const QueueIndex child : tree.at(queue).children) {
            below += guarantee(child, resource);
        }
        for (const auto& [name, amount] : tree.at(queue).said.guarantee) {
            below = name == resource ? std::max(below, amount) : below;
        }
        return below;
    }
    bool is_below(QueueIndex queue) const {
        bool any = false;
        for (const std::string resource : {"cpu", "memory"}) {
            const std::int64_t wanted = guarantee(queue, resource);
            const bool is_named = wanted > 0;
            any = any || is_named;
            if (is_named && usage.of(queue).amounts.of(resource) >= wanted) {
                return false;
            }
        }
        return any;
    }
    /// a goes before b.
    bool is_before(QueueIndex a, QueueIndex b) const {
        const bool is_a_first = pick(a)->created == gang::before_all;
        if (is_a_first != (pick(b)->created == gang::before_all)) {
            return is_a_first;
        }
        if (pick(a)->before != pick(b)->before) {
            return pick(a)->before < pick(b)->before;
        }
        if (pick(a)->before != gang::by_share) {
            return pick(a)->created != pick(b)->created ? pick(a)->created < pick(b)->created
                                                        : tree.name(a) < tree.name(b);
        }
        if (is_below(a) != is_below(b)) {
            return is_below(a);
        }
        const auto largest = [&](QueueIndex queue) {
            std::pair<std::int64_t, std::int64_t> best{0, 1};  // numerator, denominator
            for (const std::string resource : {"cpu", "memory"}) {
                const auto used = gang::to_int64(usage.of(queue).amounts.of(resource));
                const std::int64_t above =
                    std::max<std::int64_t>(used - guarantee(queue, resource), 0);
                const std::int64_t whole =
                    gang::to_int64(totals.of(resource)) * tree.at(queue).said.weight;
                if (above * best.second > best.first * whole) {
                    best = {above, whole};
                }
            }
            return best;
        };
        const auto [above_a, whole_a] = largest(a);
        const auto [above_b, whole_b] = largest(b);
        if (above_a * whole_b != above_b * whole_a) {
            return above_a * whole_b < above_b * whole_a;
        }
        const auto first_a = pick(a);
        const auto first_b = pick(b);
        return first_a->created != first_b->created ? first_a->created < first_b->created
                                                    : tree.name(a) < tree.name(b);
    }
    std::optional<Best> pick(QueueIndex queue) const {
        if (tree.is_leaf(queue)) {
            const auto found = waiting.find(queue);
            return found == waiting.end() ? std::nullopt
                                          : std::optional(Best{
                                                queue, found->second.created, found->second.before});
        }
        QueueIndex best = no_queue;
        for (const QueueIndex child : tree.at(queue).children) {
            if (pick(child) && (best == no_queue || is_before(child, best))) {
                best = child;
            }
        }
        return best == no_queue ? std::nullopt : pick(best);
    }
};

}  // namespace

TEST_CASE("turn order: as the definition has it, on random trees, with every change") {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        CAPTURE(seed);
        tests::Random random(seed);
        const auto schema = tests::with_queues(
            tests::random_queues(random, static_cast<int>(random.between(1, 12))));
        const QueueTree tree(schema);
        QueueUsage usage(tree);
        const Amounts totals = cluster_of(100'000, 100);
        NaiveOrder naive{tree, usage, totals, {}};
        std::vector<QueueIndex> leaves;
        for (QueueIndex queue = 0; queue < static_cast<QueueIndex>(tree.size()); ++queue) {
            if (tree.is_leaf(queue)) {
                leaves.push_back(queue);
            }
        }
        const auto some_leaf = [&] {
            return leaves[static_cast<std::size_t>(
                random.between(0, static_cast<std::int64_t>(leaves.size()) - 1))];
        };
        const auto some_first = [&] {
            return FirstInQueue{
                random.between(0, 3), random.chance(20) ? random.between(-3, 0) : gang::by_share};
        };
        const auto use = [&](QueueIndex leaf) {
            const core::Resources used{random.between(0, 4) * 1000, random.between(0, 4), 0, {}};
            usage.add(leaf, "u", used, 1);
        };
        for (const QueueIndex leaf : leaves) {
            use(leaf);
        }
        TurnOrder order(tree, usage, totals);
        for (const QueueIndex leaf : leaves) {
            if (random.chance(70)) {
                naive.waiting[leaf] = some_first();
                order.set(leaf, naive.waiting[leaf]);
            }
        }
        order.begin();
        for (int changes = 0; changes < 8; ++changes) {
            const auto expected = naive.pick(0);
            REQUIRE(order.pick() == (expected ? expected->leaf : no_queue));
            const QueueIndex leaf = some_leaf();
            use(leaf);
            if (random.chance(60)) {
                naive.waiting[leaf] = some_first();
                order.update(leaf, naive.waiting[leaf]);
            } else {
                naive.waiting.erase(leaf);
                order.update(leaf, std::nullopt);
            }
        }
    }
}

TEST_CASE("turn order: the smallest dominant share, then the oldest, then the name") {
    const auto schema = tests::with_queues({tests::queue("a"), tests::queue("b")});
    const QueueTree tree(schema);
    QueueUsage usage(tree);
    const Amounts totals = cluster_of(10'000, 20);
    const QueueIndex a = tree.find("root.a");
    const QueueIndex b = tree.find("root.b");
    usage.add(a, "u", core::Resources{2'000, 2, 0, {}}, 1);  // 0.2 of cpu, 0.1 of memory
    usage.add(b, "u", core::Resources{1'000, 6, 0, {}}, 1);  // 0.1 of cpu, 0.3 of memory
    const auto first = [&](std::int64_t created_a, std::int64_t created_b) {
        TurnOrder order(tree, usage, totals);
        order.set(a, {created_a});
        order.set(b, {created_b});
        order.begin();
        return tree.name(order.pick());
    };
    CHECK(first(9, 1) == "root.a");
    usage.add(a, "u", core::Resources{1'000, 0, 0, {}}, 1);  // 0.3 and 0.3
    CHECK(first(9, 1) == "root.b");
    CHECK(first(1, 9) == "root.a");
    CHECK(first(5, 5) == "root.a");
    usage.add(a, "u", core::Resources{1, 0, 0, {}}, 1);
    CHECK(first(1, 9) == "root.b");
}

TEST_CASE("turn order: weights, guarantees, and resources that no node has") {
    auto a = tests::queue("a");
    auto b = tests::queue("b");
    b.weight = 2;
    const auto share = [&](const std::string& name, const core::Resources& used) {
        const auto schema = tests::with_queues({a, b});
        const QueueTree tree(schema);
        QueueUsage usage(tree);
        const QueueIndex queue = tree.find(name);
        usage.add(queue, "u", used, 1);
        return gang::share_of(tree.at(queue), usage.of(queue).amounts, cluster_of(10'000, 20, 4));
    };
    CHECK(gang::millionths(share("root.a", {5'000, 0, 0, {}})) == 500'000);
    gang::Amounts of_nobody;
    of_nobody.add(core::Resources{5'000, 0, 0, {}}, 1);
    CHECK(gang::millionths(gang::share_of(of_nobody, cluster_of(10'000, 20, 4))) == 500'000);
    CHECK(gang::millionths(share("root.b", {5'000, 0, 0, {}})) == 250'000);
    CHECK(gang::millionths(share("root.a", {0, 0, 0, {{"nvidia.com/gpu", 3}}})) == 750'000);
    CHECK(gang::millionths(share("root.a", {0, 0, 0, {{"example.com/x", 3}}})) == 1'000'000);
    CHECK(gang::millionths(share("root.a", {0, 0, 7, {}})) == 1'000'000);
    a.guarantee = {{"cpu", 4'000}};
    CHECK(share("root.a", {3'999, 0, 0, {}}).is_below_guarantee);
    CHECK_FALSE(share("root.a", {4'000, 0, 0, {}}).is_below_guarantee);
    CHECK(gang::millionths(share("root.a", {5'000, 0, 0, {}})) == 100'000);
    CHECK(gang::compare(share("root.a", {3'999, 20, 0, {}}), share("root.b", {1, 0, 0, {}})) < 0);
}

TEST_CASE("turn order: shares are exact where 128 bits are not enough") {
    const std::uint64_t most = std::uint64_t{1} << 62U;
    const DominantShare a{false, most, most + 1, 65'535};
    const DominantShare b{false, most + 1, most + 2, 65'535};  // more by 1 / most^2
    CHECK(gang::compare(a, b) < 0);
    CHECK(gang::compare(b, a) > 0);
    CHECK(gang::compare(a, a) == 0);
}
