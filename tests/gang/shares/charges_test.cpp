// What queues hold is what their gangs and pods hold, in whatever order that becomes known.
#include "gang/shares/charges.hpp"

#include "gang/shares/quota.hpp"
#include "tests/gang/random.hpp"
#include "tests/gang/shares/trees.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using gang::Charges;
using gang::no_queue;
using gang::QueueAccount;
using gang::QueueIndex;
using gang::QueueTree;
using gang::QueueUsage;

namespace {

core::Resources some(tests::Random& random) {
    core::Resources amounts{random.between(0, 8) * 500, random.between(0, 1000), 0, {}};
    if (random.chance(30)) {
        amounts.extended = {{"nvidia.com/gpu", random.between(1, 4)}};
    }
    if (random.chance(10)) {
        amounts.extended.insert(amounts.extended.begin(), {"TCP 80", 1});  // a port: not shared
    }
    return amounts;
}

/// All that was said, and a count from it.
struct Naive {
    struct Pod {
        std::string holder;
        core::Resources amounts;
    };
    std::map<std::string, QueueAccount> accounts;
    std::map<std::string, std::vector<core::Resources>> slots;
    std::map<std::string, Pod> pods;

    QueueUsage::Held count(
        const QueueTree& tree, QueueIndex queue, const std::string* user = nullptr) const {
        QueueUsage::Held held;
        std::set<std::string> holders;
        const auto add = [&](const std::string& holder, const core::Resources& amounts) {
            const QueueAccount& account = accounts.at(holder);
            bool is_below = false;
            const QueueIndex leaf = account.queue == no_queue ? tree.lost() : account.queue;
            tree.for_each_above(
                leaf, [&](QueueIndex above) { is_below = is_below || above == queue; });
            if (is_below && (user == nullptr || account.user == *user)) {
                held.amounts.add(amounts, 1);
                holders.insert(holder);
            }
        };
        for (const auto& [holder, sizes] : slots) {
            for (const core::Resources& size : sizes) {
                add(holder, size);
            }
        }
        for (const auto& [uid, pod] : pods) {
            add(pod.holder, pod.amounts);
        }
        held.gangs = static_cast<std::int64_t>(holders.size());
        return held;
    }
};

}  // namespace

TEST_CASE("charges: usage by differences equals a count from scratch, on random trees") {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        CAPTURE(seed);
        tests::Random random(seed);
        const auto schema = tests::with_queues(
            tests::random_queues(random, static_cast<int>(random.between(1, 8))));
        const QueueTree tree(schema);
        QueueUsage usage(tree);
        Charges charges(tree, usage);
        Naive naive;
        const auto some_account = [&] {
            QueueAccount account{
                static_cast<QueueIndex>(
                    random.between(-1, static_cast<std::int64_t>(tree.size()) - 1)),
                "etl/u" + std::to_string(random.between(0, 2))};
            if (account.queue != no_queue && !tree.is_leaf(account.queue)) {
                account.queue = no_queue;
            }
            return account;
        };
        for (int i = 0; i < 60; ++i) {
            const std::string holder = "h" + std::to_string(random.between(0, 5));
            const std::string pod = "p" + std::to_string(random.between(0, 9));
            const bool is_known = charges.find(holder) != nullptr;
            auto& slots = naive.slots[holder];
            switch (random.between(0, 5)) {
                case 0:
                    naive.accounts[holder] = some_account();
                    charges.assign(holder, naive.accounts[holder]);
                    break;
                case 1: {
                    if (!is_known) {
                        naive.accounts[holder] = {};
                    }
                    const core::Resources size = some(random);
                    const std::int64_t count = random.between(1, 3);
                    charges.add_slots(holder, size, count);
                    slots.insert(slots.end(), static_cast<std::size_t>(count), size);
                    break;
                }
                case 2:
                    if (!slots.empty()) {
                        const core::Resources size = some(random);
                        charges.resize_slot(holder, slots.back(), size);
                        slots.back() = size;
                    }
                    break;
                case 3:
                    if (!slots.empty()) {
                        charges.add_slots(holder, slots.back(), -1);
                        slots.pop_back();
                    }
                    break;
                case 4: {
                    const QueueAccount own = some_account();
                    const core::Resources amounts = some(random);
                    // The pod may be the last thing that another holder has.
                    charges.drop_pod(pod);
                    naive.pods.erase(pod);
                    if (charges.find(holder) == nullptr) {
                        naive.accounts[holder] = own;
                    }
                    charges.hold_pod(pod, holder, amounts, [&] { return own; });
                    naive.pods[pod] = {holder, amounts};
                    break;
                }
                default:
                    charges.drop_pod(pod);
                    naive.pods.erase(pod);
                    break;
            }
            if (random.chance(20)) {
                charges.release(holder);
            }
        }
        for (QueueIndex queue = 0; queue < static_cast<QueueIndex>(tree.size()); ++queue) {
            CAPTURE(tree.name(queue));
            REQUIRE(usage.of(queue) == naive.count(tree, queue));
            if (tree.at(queue).said.user_limit.empty()) {
                continue;
            }
            for (const std::string user : {"etl/u0", "etl/u1", "etl/u2", "etl/u3"}) {
                REQUIRE(usage.of_user(queue, user) == naive.count(tree, queue, &user));
            }
        }
        for (auto& [holder, slots] : naive.slots) {
            for (const core::Resources& size : slots) {
                charges.add_slots(holder, size, -1);
            }
            charges.release(holder);
        }
        for (const auto& [uid, pod] : naive.pods) {
            charges.drop_pod(uid);
        }
        CHECK(charges.size() == 0);
        CHECK(usage.of(0) == QueueUsage::Held{});
    }
}

TEST_CASE("charges: a holder that moves takes along what it holds; nobody's is lost") {
    const auto schema = tests::with_queues({tests::queue("a"), tests::queue("b")});
    const QueueTree tree(schema);
    QueueUsage usage(tree);
    Charges charges(tree, usage);
    const core::Resources size{1'000, 10, 0, {}};
    charges.add_slots("driver", size, 2);
    CHECK(usage.of(tree.lost()).amounts.cpu_milli == 2'000);
    charges.assign("driver", {tree.find("root.a"), "etl/x"});
    CHECK(usage.of(tree.lost()) == QueueUsage::Held{});
    CHECK(usage.of(tree.find("root.a")).amounts.cpu_milli == 2'000);
    CHECK(usage.of(tree.find("root.a")).gangs == 1);
    charges.assign("driver", {tree.find("root.b"), "etl/x"});
    CHECK(usage.of(tree.find("root.a")) == QueueUsage::Held{});
    CHECK(usage.of(0).amounts.cpu_milli == 2'000);
    charges.release("driver");
    REQUIRE(charges.find("driver") != nullptr);
    charges.add_slots("driver", size, -2);
    CHECK(charges.find("driver") == nullptr);
}

TEST_CASE("charges: without queues nothing is counted") {
    const config::Schema schema;
    const QueueTree tree(schema);
    QueueUsage usage(tree);
    Charges charges(tree, usage);
    charges.assign("driver", {});
    charges.add_slots("driver", {1'000, 10, 0, {}}, 2);
    charges.hold_pod("pod", "driver", {1'000, 10, 0, {}}, [] { return QueueAccount{}; });
    CHECK(charges.size() == 0);
}

TEST_CASE("quota: limits of the queue, of those above it, of its users, and of gangs") {
    auto above = tests::queue("a");
    above.limit = {{"cpu", 10'000}, {"nvidia.com/gpu", 0}};
    auto below = tests::queue("a.b");
    below.user_limit = {{"memory", 100}};
    below.max_gangs = 2;
    const auto schema = tests::with_queues({above, below});
    const QueueTree tree(schema);
    QueueUsage usage(tree);
    const gang::Quota quota(tree, usage);
    const QueueIndex leaf = tree.find("root.a.b");
    const auto shortages = [&](const core::Resources& needs, const std::string& user = "etl/x") {
        gang::QuotaDemand demand;
        demand.amounts.add(needs, 1);
        return quota.find_shortages({leaf, user}, demand);
    };
    CHECK(shortages({10'000, 100, 0, {}}).empty());
    CHECK(shortages({10'001, 0, 0, {}}).front().is_for_ever);
    CHECK(shortages({0, 0, 0, {{"nvidia.com/gpu", 1}}}).front().is_for_ever);
    CHECK(shortages({0, 101, 0, {}}).front().is_of_user);

    QueueUsage::Held held;
    held.amounts.add(core::Resources{4'000, 60, 0, {}}, 1);
    held.gangs = 1;
    usage.add(leaf, "etl/x", held, 1);
    CHECK(shortages({6'000, 40, 0, {}}).empty());
    const auto cpu = shortages({6'001, 0, 0, {}});
    REQUIRE(cpu.size() == 1);
    CHECK(
        cpu.front() ==
        gang::QuotaShortage{tree.find("root.a"), false, "cpu", 10'000, 4'000, 6'001, false});
    CHECK(shortages({0, 41, 0, {}}).front().is_of_user);
    CHECK(shortages({0, 41, 0, {}}, "etl/y").empty());
    usage.add(leaf, "etl/x", held, 1);
    CHECK(shortages({1, 0, 0, {}}).front().resource == "gangs");
    gang::QuotaDemand executor;
    executor.gangs = 0;
    executor.amounts.add(core::Resources{2'000, 0, 0, {}}, 1);
    CHECK(quota.find_shortages({leaf, "etl/x"}, executor).empty());
    // What is over already bothers nobody who wants none of it.
    usage.add(leaf, "etl/x", core::Resources{20'000, 0, 0, {}}, 1);
    gang::QuotaDemand memory;
    memory.gangs = 0;
    memory.amounts.add(core::Resources{0, 1, 0, {}}, 1);
    CHECK(quota.find_shortages({leaf, "etl/y"}, memory).empty());
}
