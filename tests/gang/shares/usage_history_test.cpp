// What queues are owed for what was, against plain numbers.
#include "gang/shares/usage_history.hpp"

#include "gang/shares/turn_order.hpp"
#include "tests/gang/shares/trees.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using gang::Amounts;
using gang::QueueIndex;
using gang::QueueTree;
using gang::QueueUsage;
using gang::TurnOrder;
using gang::UsageHistory;

namespace {

constexpr std::int64_t hour_ms = 3'600'000;

/// Until then it was as before; in these leaves somebody waits from then on.
void advance(
    UsageHistory& history,
    std::int64_t now_ms,
    const std::vector<QueueIndex>& waiting,
    const Amounts& totals) {
    history.advance(now_ms);
    history.observe(waiting, totals);
}

struct Pair {
    explicit Pair(std::int64_t weight_of_b = 1)
        : tree(tests::with_queues({tests::queue("a"), weighted("b", weight_of_b)})),
          usage(tree),
          history(tree, usage),
          a(tree.find("root.a")),
          b(tree.find("root.b")) {
        totals.add(core::Resources{100'000, 100, 0, {}}, 1);
        history.configure(3 * hour_ms);
    }
    static config::Queue weighted(const char* name, std::int64_t weight) {
        config::Queue queue = tests::queue(name);
        queue.weight = weight;
        return queue;
    }
    void use(QueueIndex queue, std::int64_t cores) {
        usage.add(queue, "u", core::Resources{cores * 1'000, 0, 0, {}}, 1);
    }
    QueueIndex next() const {
        TurnOrder order(tree, usage, totals, &history);
        order.set(a, {1});
        order.set(b, {2});
        order.begin();
        return order.pick();
    }

    QueueTree tree;
    QueueUsage usage;
    UsageHistory history;
    QueueIndex a;
    QueueIndex b;
    Amounts totals;
};

}  // namespace

TEST_CASE("usage history: who had less while it waited goes first, although it holds more now") {
    Pair pair;
    pair.use(pair.a, 60);
    pair.use(pair.b, 20);
    advance(pair.history, 0, {pair.b}, pair.totals);
    advance(pair.history, hour_ms, {pair.a, pair.b}, pair.totals);
    CHECK(pair.history.owed(pair.b) > 0);
    CHECK(pair.history.owed(pair.a) == -pair.history.owed(pair.b));
    pair.use(pair.a, -60);
    pair.use(pair.a, 20);
    pair.use(pair.b, 10);  // 20 of a, 30 of b
    CHECK(pair.next() == pair.b);
    pair.history.forget();
    CHECK(pair.next() == pair.a);
}

TEST_CASE("usage history: by weight, and half of it is forgotten with each half-life") {
    Pair pair(3);
    pair.use(pair.a, 10);
    pair.use(pair.b, 30);
    advance(pair.history, 0, {pair.a, pair.b}, pair.totals);
    advance(pair.history, hour_ms, {}, pair.totals);
    CHECK(pair.history.owed(pair.a) == 0);
    pair.use(pair.b, 40);  // a: 10 of a level of 20
    advance(pair.history, hour_ms, {pair.a}, pair.totals);
    advance(pair.history, 2 * hour_ms, {}, pair.totals);
    const std::int64_t owed = pair.history.owed(pair.a);
    // A tenth for an hour, of the 4.3 that are remembered; ten times, less what has faded.
    CHECK(owed > 190'000);
    CHECK(owed < 231'000);
    advance(pair.history, 5 * hour_ms, {}, pair.totals);
    CHECK(pair.history.owed(pair.a) > owed * 48 / 100);
    CHECK(pair.history.owed(pair.a) < owed * 51 / 100);
    advance(pair.history, 1'000 * hour_ms, {}, pair.totals);
    CHECK(pair.history.owed(pair.a) == 0);
}

TEST_CASE("usage history: where nobody waits nobody is owed anything, and a clock may jump back") {
    Pair pair;
    pair.use(pair.a, 80);
    advance(pair.history, hour_ms, {}, pair.totals);
    advance(pair.history, 9 * hour_ms, {pair.b}, pair.totals);
    CHECK(pair.history.owed(pair.b) == 0);
    advance(pair.history, 8 * hour_ms, {pair.b}, pair.totals);
    CHECK(pair.history.owed(pair.b) == 0);
    advance(pair.history, 9 * hour_ms, {}, pair.totals);
    CHECK(pair.history.owed(pair.b) > 0);
}

TEST_CASE("usage history: below a guarantee comes first, whatever is owed") {
    auto guaranteed = tests::queue("b");
    guaranteed.guarantee = {{"cpu", 50'000}};
    const QueueTree tree(tests::with_queues({tests::queue("a"), guaranteed}));
    QueueUsage usage(tree);
    UsageHistory history(tree, usage);
    history.configure(hour_ms);
    Amounts totals;
    totals.add(core::Resources{100'000, 100, 0, {}}, 1);
    const QueueIndex a = tree.find("root.a");
    const QueueIndex b = tree.find("root.b");
    usage.add(b, "u", core::Resources{90'000, 0, 0, {}}, 1);
    advance(history, 0, {a}, totals);
    advance(history, hour_ms, {a, b}, totals);
    REQUIRE(history.owed(a) > 0);
    usage.add(b, "u", core::Resources{-80'000, 0, 0, {}}, 1);
    TurnOrder order(tree, usage, totals, &history);
    order.set(a, {1});
    order.set(b, {2});
    order.begin();
    CHECK(order.pick() == b);
}

TEST_CASE("usage history: another file keeps what is known of queues that it has still") {
    auto schema = tests::with_queues({tests::queue("a"), tests::queue("b")});
    QueueTree tree(schema);
    QueueUsage usage(tree);
    UsageHistory history(tree, usage);
    history.configure(hour_ms);
    Amounts totals;
    totals.add(core::Resources{100'000, 100, 0, {}}, 1);
    usage.add(tree.find("root.a"), "u", core::Resources{90'000, 0, 0, {}}, 1);
    advance(history, 0, {tree.find("root.b")}, totals);
    advance(history, hour_ms, {}, totals);
    const std::int64_t owed = history.owed(tree.find("root.b"));
    REQUIRE(owed > 0);
    tree =
        QueueTree(tests::with_queues({tests::queue("aa"), tests::queue("b"), tests::queue("c")}));
    usage.begin_anew();
    history.configure(hour_ms);
    CHECK(history.owed(tree.find("root.b")) == owed);
    CHECK(history.owed(tree.find("root.aa")) == 0);
    history.configure(0);
    CHECK_FALSE(history.is_on());
    CHECK(history.owed(tree.find("root.b")) == 0);
}
