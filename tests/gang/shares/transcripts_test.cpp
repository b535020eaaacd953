// Sums, queues, their limits and what they are owed, of words and numbers drawn by chance from what is usual and what is odd:
// what each comes to.

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/dominant_share.hpp"
#include "gang/shares/queue_placement.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"
#include "gang/shares/quota.hpp"
#include "gang/shares/turn_order.hpp"
#include "gang/shares/usage_history.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace gang;

namespace {

using tests::Walk;

constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();

std::string wide_text(core::Wide wide) {
    if (wide < 0) return wide == -wide ? "least" : "-" + wide_text(-wide);
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(wide % 10)));
        wide /= 10;
    } while (wide > 0);
    return digits;
}

std::string amounts_text(const Amounts& amounts) {
    std::string text;
    amounts.for_each([&](std::string_view name, core::Wide amount) {
        text += " " + std::string(name) + ":" + wide_text(amount);
    });
    return text.empty() ? " nothing" : text;
}

std::string resources_text(const core::Resources& one) {
    std::string text = std::to_string(one.cpu_milli) + "/" + std::to_string(one.memory_bytes) + "/" +
                       std::to_string(one.ephemeral_bytes);
    for (const core::ExtendedResource& entry : one.extended) {
        text += " " + entry.name + ":" + std::to_string(entry.amount);
    }
    return text;
}

std::string limits_text(const config::ResourceAmounts& limits) {
    std::string text;
    for (const core::ExtendedResource& one : limits) text += " " + one.name + "=" + std::to_string(one.amount);
    return text;
}

/// What is no extended resource that queues share is among them.
core::Resources some_resources(Walk& walk) {
    static const std::vector<std::string> names = {
        "a.com/x",
        "disk gce-pd d1",
        core::name_of(core::GpuWish{2, 4'000, 0, {}}),
        "host port 80/TCP",
        "nvidia.com/gpu",
        "volcano.sh/vgpu=2,units=3000,cores=50",
        "z.com/y"};
    constexpr std::int64_t amounts[] = {0, 0, 1, 2, 500, 1'000, 4'000, int64_most};
    core::Resources one{walk.of(amounts), walk.of(amounts), walk.of(amounts), {}};
    for (const std::string& name : names) {
        constexpr std::int64_t some[] = {0, 0, 0, 1, 2, 3, int64_most};
        if (const std::int64_t amount = walk.of(some); amount > 0) one.extended.push_back({name, amount});
    }
    return one;
}

config::ResourceAmounts some_limits(Walk& walk) {
    config::ResourceAmounts limits;
    constexpr std::int64_t cpus[] = {-1, -1, 0, 1'000, 4'000, 8'000, int64_most};
    constexpr std::int64_t gpus[] = {-1, -1, -1, 0, 1, 4};
    constexpr std::int64_t bytes[] = {-1, -1, 0, 10, 100, int64_most};
    if (const std::int64_t cpu = walk.of(cpus); cpu >= 0) limits.push_back({"cpu", cpu});
    if (const std::int64_t disk = walk.of(gpus); disk >= 0) limits.push_back({"ephemeral-storage", disk});
    if (const std::int64_t memory = walk.of(bytes); memory >= 0) limits.push_back({"memory", memory});
    if (const std::int64_t gpu = walk.of(gpus); gpu >= 0) limits.push_back({"nvidia.com/gpu", gpu});
    return limits;
}

config::Schema some_queues(Walk& walk) {
    static const std::vector<std::string> names = {
        "a", "a.b", "a.b.c", "a.d", "b", "b.e", "b.f", "root", "default", "etl", "ml"};
    std::vector<config::Queue> queues;
    for (const std::string& name : names) {
        if (walk.pick(3) == 0) continue;
        config::Queue made = tests::queue(name);
        made.weight = static_cast<std::int64_t>(walk.pick(3) + 1);
        if (walk.pick(2) == 0) made.guarantee = some_limits(walk);
        if (walk.pick(3) == 0) made.limit = some_limits(walk);
        if (walk.pick(4) == 0) made.user_limit = some_limits(walk);
        if (walk.pick(5) == 0) made.max_gangs = static_cast<std::int64_t>(walk.pick(4));
        if (walk.pick(8) == 0) made.state = config::QueueState::stopped;
        if (walk.pick(6) == 0) made.is_max_wait_strict = true;
        if (walk.pick(6) == 0) made.order = config::QueueOrder::fair;
        if (walk.pick(6) == 0) made.users = {"etl/spark", "ml/default"};
        if (walk.pick(6) == 0) made.namespaces = {"etl"};
        if (walk.pick(4) == 0) made.object = "object-" + name;
        queues.push_back(std::move(made));
    }
    return tests::with_queues(std::move(queues));
}

std::string tree_text(const QueueTree& tree) {
    std::string text = "tree of " + std::to_string(tree.size()) + (tree.is_empty() ? " empty" : "") +
                       (tree.is_max_wait_strict_anywhere() ? " strict somewhere" : "") + " lost " +
                       std::to_string(tree.lost()) + "\n";
    for (QueueIndex i = 0; i < static_cast<QueueIndex>(tree.size()); ++i) {
        const QueueNode& node = tree.at(i);
        text += "  " + tree.name(i) + " below " + std::to_string(node.parent) + (tree.is_leaf(i) ? " leaf" : "") +
                (node.is_bounded ? " bounded" : "") + (node.has_user_limit ? " by user" : "") +
                (node.is_stopped ? " stopped" : "") + (node.is_max_wait_strict ? " strict" : "") +
                (node.counts_users() ? " counts users" : "") + " guaranteed" + limits_text(node.guarantee);
        text += " children";
        for (const QueueIndex child : node.children) text += " " + std::to_string(child);
        text += " open to";
        for (const char* user : {"etl/spark", "ml/default", "etl/other"}) {
            for (const char* space : {"etl", "ml"}) text += tree.may_use(i, user, space) ? " y" : " n";
        }
        text += "\n";
    }
    for (const char* name : {"a", "root.a", "object-a", "object-b.e", "root", "lost", "nobody", ""}) {
        text += " " + std::string(name) + ">" + std::to_string(tree.find_named(name)) + "," +
                std::to_string(tree.find(name));
    }
    return text + "\n";
}

std::string shortages_text(const QuotaShortages& shortages) {
    std::string text;
    for (const QuotaShortage& one : shortages) {
        text += " [" + std::to_string(one.queue) + (one.is_of_user ? " user " : " ") + one.resource + " " +
                std::to_string(one.used) + "+" + std::to_string(one.needs) + " of " + std::to_string(one.limit) +
                (one.is_for_ever ? " for ever]" : "]");
    }
    return text.empty() ? " none" : text;
}

std::vector<QueueIndex> leaves_of(const QueueTree& tree) {
    std::vector<QueueIndex> leaves;
    for (QueueIndex i = 0; i < static_cast<QueueIndex>(tree.size()); ++i) {
        if (tree.is_leaf(i)) leaves.push_back(i);
    }
    return leaves;
}

}  // namespace

TEST_CASE("amounts: sums of what is shared, what is taken away again, and what 64 bits show of them") {
    Walk walk(1);
    std::string told;
    Amounts one;
    Amounts other;
    for (int i = 0; i < 260; ++i) {
        constexpr std::int64_t counts[] = {1, 1, 1, 2, 3, -1, -1, -2, 0};
        const std::int64_t count = walk.of(counts);
        Amounts& to = walk.pick(2) == 0 ? one : other;
        switch (walk.pick(4)) {
            case 0:
                to.add(walk.pick(2) == 0 ? one : other, walk.pick(2) == 0 ? -1 : 1);
                break;
            case 1: {
                const core::Resources size = some_resources(walk);
                to.add(size, count);
                to.add(size, -count);
                break;
            }
            default:
                to.add(some_resources(walk), count);
                break;
        }
        if (walk.pick(12) == 0) one = {};
        if (walk.pick(12) == 0) other = {};
        told += std::to_string(count) + (one == other ? " equal" : "") + (one.is_zero() ? " zero" : "") +
                amounts_text(one) + " |" + amounts_text(other) + " | " + resources_text(to_resources(one)) + " |";
        for (const char* name : {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "a.com/x", "host port 80/TCP"}) {
            told += " " + wide_text(other.of(name));
        }
        told += "\n";
    }
    for (const core::Wide wide : {core::Wide{int64_most}, core::Wide{int64_most} + 1, core::Wide{int64_most} - 1, -core::Wide{int64_most},
                                  -core::Wide{int64_most} - 1, -core::Wide{int64_most} - 2, core::Wide{0}}) {
        told += wide_text(wide) + " > " + std::to_string(to_int64(wide)) + "\n";
    }
    tests::check_transcript("gang/shares/transcripts/amounts", told);
}

TEST_CASE("queue tree: what is said of a queue holds below it, and guarantees add up above") {
    Walk walk(2);
    std::string told;
    for (int i = 0; i < 40; ++i) told += tree_text(QueueTree(some_queues(walk)));
    told += tree_text(QueueTree(config::Schema{}));
    tests::check_transcript("gang/shares/transcripts/queue_trees", told);
}

TEST_CASE("queue placement: the first rule that answers, and what is wrong with the answer") {
    using Kind = config::PlacementRule::Kind;
    Walk walk(3);
    std::string told;
    for (int i = 0; i < 260; ++i) {
        config::Schema schema = some_queues(walk);
        schema.placement.clear();
        const std::size_t rules = walk.pick(4);
        for (std::size_t rule = 0; rule < rules; ++rule) {
            constexpr Kind kinds[] = {Kind::annotation, Kind::namespace_name, Kind::namespace_label, Kind::fixed};
            static const std::vector<std::string> queues = {"root.etl", "root.a", "root.lost", "root.default"};
            const Kind kind = walk.of(kinds);
            schema.placement.push_back(
                {kind, kind == Kind::fixed ? walk.of(queues) : "", kind == Kind::namespace_label ? "team" : ""});
        }
        schema.queue_objects.are_there = walk.pick(4) == 0;
        core::Namespaces namespaces;
        const std::size_t known = walk.pick(4);
        if (known == 0) namespaces.missing("403: forbidden");
        if (known > 1) {
            namespaces.listed({{"etl", {{"team", "a.b"}}}, {"ml", {{"team", "nobody"}}}, {"bi", {}}});
        }
        const QueueTree tree(schema);
        const QueuePlacement placement(tree, schema, namespaces);
        static const std::vector<std::string> spaces = {"etl", "ml", "bi", "unseen", "a"};
        core::Pod pod = tests::pod("p", 1'000, 100);
        pod.namespace_name = walk.of(spaces);
        if (walk.pick(2) == 0) pod.service_account = "spark";
        static const std::vector<std::string> names = {"a", "a.b", "root.ml", "object-a", "nobody", "lost", "etl"};
        const auto word = [&walk]() -> const std::string* { return walk.pick(3) == 0 ? nullptr : &walk.of(names); };
        const std::string* const asked = walk.pick(2) == 0 ? nullptr : word();
        const std::string* const elsewhere = word();
        const std::string* const of_group = word();
        const PlacedInQueue placed = placement.place(pod, asked, elsewhere, of_group);
        told += "rules";
        for (const config::PlacementRule& rule : schema.placement) {
            told += " " + std::to_string(static_cast<int>(rule.kind)) + rule.queue;
        }
        told += (placement.needs_namespaces() ? " by labels " : " ") + std::to_string(known) +
                (schema.queue_objects.are_there ? " objects " : " ") + user_of(pod) + " says " +
                (asked ? *asked : "-") + " " + (elsewhere ? *elsewhere : "-") + " " + (of_group ? *of_group : "-") +
                "\n    " + (placed.account.queue == no_queue ? "none" : tree.name(placed.account.queue)) + " " +
                placed.account.user + " " + placed.problem + "\n";
        for (const char* written : {"root.a.b", "a", "root.nobody"}) {
            const auto queue = placement.restore(written);
            told += std::string(" ") + (queue ? std::to_string(*queue) : "none");
        }
        told += " lost " + std::to_string(tree.lost()) + "\n";
    }
    tests::check_transcript("gang/shares/transcripts/placements", told);
}

TEST_CASE("quota: which limits would be passed, of queues, users and gangs, and who uses them") {
    Walk walk(4);
    std::string told;
    for (int i = 0; i < 100; ++i) {
        config::Schema schema = some_queues(walk);
        for (config::Queue& one : schema.queues) {
            for (config::ResourceAmounts* const limits : {&one.limit, &one.user_limit}) {
                for (core::ExtendedResource& limit : *limits) {
                    if (walk.pick(6) != 0) limit.amount = limit.name == "cpu" ? 8'000 : 20;
                }
            }
        }
        const QueueTree tree(schema);
        QueueUsage usage(tree);
        const Quota quota(tree, usage);
        const std::vector<QueueIndex> leaves = leaves_of(tree);
        const auto some_amounts = [&walk] {
            constexpr std::int64_t cpus[] = {0, 500, 1'000, 3'999, 4'000, 4'001};
            constexpr std::int64_t some[] = {0, 0, 1, 4, 9, 10, 11};
            core::Resources one{walk.of(cpus), walk.of(some), walk.of(some), {}};
            if (const std::int64_t gpus = walk.of(some); gpus > 0) one.extended = {{"nvidia.com/gpu", gpus}};
            return one;
        };
        for (std::size_t held = walk.pick(8); held > 0; --held) {
            QueueUsage::Held one;
            one.amounts.add(some_amounts(), 1);
            one.gangs = 1;
            usage.add(walk.of(leaves), walk.pick(2) == 0 ? "u" : "v", one, 1);
        }
        told += "another file\n";
        for (int asks = 0; asks < 4; ++asks) {
            QuotaDemand demand;
            const core::Resources wanted = some_amounts();
            demand.amounts.add(wanted, 1);
            demand.gangs = static_cast<std::int64_t>(walk.pick(3));
            const QueueIndex leaf = walk.pick(10) == 0 ? no_queue : walk.of(leaves);
            const std::string user = walk.pick(2) == 0 ? "u" : "v";
            const QuotaShortages shortages = quota.find_shortages({leaf, user}, demand);
            told += "  " + std::to_string(leaf) + " " + user + " " + resources_text(wanted) + " " +
                    std::to_string(demand.gangs) + ":" + shortages_text(shortages);
            QuotaDemand later;
            later.amounts.add(some_amounts(), 1);
            later.gangs = static_cast<std::int64_t>(walk.pick(2));
            told += uses_any(later, "u", shortages, user) ? " used by u" : "";
            told += uses_any(later, "v", shortages, user) ? " used by v" : "";
            told += "\n";
        }
        const QueueIndex leaf = walk.of(leaves);
        const std::uint64_t before = usage.version();
        usage.add(leaf, "w", core::Resources{1, 0, 0, {}}, 1);
        CHECK(usage.version() == before);
        usage.add(leaf, "w", core::Resources{1, 0, 0, {}}, -1);
        CHECK(usage.version() == before + 1);
        usage.add(leaf, "w", QueueUsage::Held{}, -1);
        CHECK(usage.version() == before + 2);
        usage.begin_anew();
        CHECK(usage.version() == before + 3);
        CHECK(usage.of(0) == QueueUsage::Held{});
    }
    tests::check_transcript("gang/shares/transcripts/shortages", told);
}

TEST_CASE("turn order: shares and what is owed, while queues take and give back and time passes") {
    Walk walk(5);
    std::string told;
    for (int story = 0; story < 30; ++story) {
        config::Schema schema = some_queues(walk);
        QueueTree tree(schema);
        QueueUsage usage(tree);
        UsageHistory history(tree, usage);
        constexpr std::int64_t half_lives[] = {0, 1, 10, 3'600'000, 36'000'000};
        history.configure(walk.of(half_lives));
        Amounts totals;
        totals.add(core::Resources{40'000, 100, 10, {{"nvidia.com/gpu", 4}}}, 1);
        const std::vector<QueueIndex> leaves = leaves_of(tree);
        std::int64_t now_ms = 1'000'000;
        told += std::string("story") + (history.is_on() ? " on" : " off") + "\n";
        for (int i = 0; i < 14; ++i) {
            constexpr std::int64_t cpus[] = {0, 1'000, 4'000, 9'000};
            core::Resources used{walk.of(cpus), static_cast<std::int64_t>(walk.pick(20)), 0, {}};
            if (walk.pick(3) == 0) used.extended = {{"nvidia.com/gpu", 1}};
            if (walk.pick(9) == 0) used.extended = {{"z.com/y", 3}};
            usage.add(walk.of(leaves), "u", used, walk.pick(4) == 0 ? -1 : 1);
            constexpr std::int64_t steps[] = {0, 1, 60'000, 900'000, 3'600'000, 90'000'000, 2'000'000'000, -5'000};
            now_ms += walk.of(steps);
            history.advance(now_ms);
            std::vector<QueueIndex> waiting;
            TurnOrder order(tree, usage, totals, &history);
            for (const QueueIndex leaf : leaves) {
                if (walk.pick(3) == 0) continue;
                waiting.push_back(leaf);
                FirstInQueue first{static_cast<std::int64_t>(walk.pick(4)), by_share};
                if (walk.pick(12) == 0) first.before = static_cast<std::int64_t>(walk.pick(3));
                order.set(leaf, first);
            }
            if (walk.pick(5) != 0) history.observe(waiting, totals);
            order.begin();
            told += "  " + std::to_string(now_ms) + " turns";
            for (int turns = 0; turns < 4 && order.pick() != no_queue; ++turns) {
                const QueueIndex next = order.pick();
                told += " " + std::to_string(next);
                usage.add(next, "u", core::Resources{1'000, 0, 0, {}}, 1);
                order.update(
                    next,
                    walk.pick(2) == 0 ? std::nullopt
                                      : std::optional(FirstInQueue{static_cast<std::int64_t>(walk.pick(4)), by_share}));
            }
            told += " shares";
            for (const QueueIndex leaf : leaves) {
                const DominantShare& share = order.share(leaf);
                told += " " + std::string(share.is_below_guarantee ? "below " : "") +
                        std::to_string(millionths(share)) + "/" + std::to_string(history.owed(leaf));
            }
            told += "\n";
            if (walk.pick(14) == 0) history.forget();
            if (walk.pick(14) == 0) history.configure(walk.of(half_lives));
        }
    }
    tests::check_transcript("gang/shares/transcripts/turns", told);
}

TEST_CASE("dominant share: compared exactly, and shown in millionths, at the edges of numbers") {
    Walk walk(6);
    std::string told;
    constexpr std::uint64_t numbers[] = {
        0, 1, 2, 3, 1'000'000, 4'294'967'296, 9'223'372'036'854'775'806, 9'223'372'036'854'775'807};
    constexpr std::uint64_t weights[] = {1, 2, 3, 65'535};
    const auto some = [&] {
        DominantShare share{walk.pick(6) == 0, walk.of(numbers), std::max<std::uint64_t>(walk.of(numbers), 1), walk.of(weights)};
        return share;
    };
    for (int i = 0; i < 400; ++i) {
        const DominantShare a = some();
        DominantShare b = some();
        if (walk.pick(3) == 0) {
            b = a;
            if (walk.pick(2) == 0) b.above += 1;
        }
        told += std::to_string(a.above) + "/" + std::to_string(a.total) + "/" + std::to_string(a.weight) + " " +
                std::to_string(b.above) + "/" + std::to_string(b.total) + "/" + std::to_string(b.weight) + ": " +
                std::to_string(compare(a, b)) + " " + std::to_string(compare(b, a)) + " " +
                std::to_string(millionths(a)) + "\n";
    }
    Amounts nobody;
    Amounts totals;
    totals.add(core::Resources{4'000, 0, 0, {{"nvidia.com/gpu", 2}}}, 1);
    for (int i = 0; i < 40; ++i) {
        Amounts held;
        held.add(some_resources(walk), walk.pick(4) == 0 ? -1 : 1);
        const DominantShare share = share_of(held, i % 4 == 0 ? nobody : totals);
        told += amounts_text(held) + ": " + std::to_string(share.above) + "/" + std::to_string(share.total) + "/" +
                std::to_string(share.weight) + (share.is_below_guarantee ? " below" : "") + "\n";
    }
    tests::check_transcript("gang/shares/transcripts/dominant_shares", told);
}

TEST_CASE("charges: who holds what, and who is remembered, while all of it comes and goes") {
    Walk walk(7);
    std::string told;
    for (int story = 0; story < 12; ++story) {
        const config::Schema schema = story == 0 ? config::Schema{} : some_queues(walk);
        const QueueTree tree(schema);
        QueueUsage usage(tree);
        Charges charges(tree, usage);
        const std::vector<QueueIndex> leaves = leaves_of(tree);
        static const std::vector<std::string> holders = {"a", "b", "c"};
        static const std::vector<std::string> pods = {"a", "b", "p", "q"};
        const std::vector<core::Resources> sizes = {
            {1'000, 10, 0, {}}, {2'000, 5, 0, {{"nvidia.com/gpu", 1}}}, {}};
        std::map<std::string, std::vector<core::Resources>> slots;
        int asked = 0;
        for (int i = 0; i < 40; ++i) {
            const std::string holder = walk.of(holders);
            const std::string pod = walk.of(pods);
            const core::Resources size = walk.of(sizes);
            const QueueIndex queue = leaves.empty() || walk.pick(4) == 0 ? no_queue : walk.of(leaves);
            const std::size_t what = walk.pick(7);
            switch (what) {
                case 0:
                    charges.assign(holder, {queue, "u"});
                    break;
                case 1: {
                    const auto count = static_cast<std::int64_t>(walk.pick(3));
                    charges.add_slots(holder, size, count);
                    if (charges.is_active()) {
                        slots[holder].insert(slots[holder].end(), static_cast<std::size_t>(count), size);
                    }
                    break;
                }
                case 2:
                    if (!slots[holder].empty()) {
                        charges.resize_slot(holder, slots[holder].back(), size);
                        slots[holder].back() = size;
                    }
                    break;
                case 3:
                    if (!slots[holder].empty()) {
                        charges.add_slots(holder, slots[holder].back(), -1);
                        slots[holder].pop_back();
                    }
                    break;
                case 4:
                    charges.hold_pod(pod, holder, size, [&] {
                        ++asked;
                        return QueueAccount{queue, "v"};
                    });
                    break;
                case 5:
                    charges.drop_pod(pod);
                    break;
                default:
                    charges.release(holder);
                    break;
            }
            told += std::to_string(what) + " " + holder + " " + pod + ":";
            for (const std::string& one : holders) {
                const QueueAccount* const account = charges.find(one);
                told += account == nullptr ? " -" : " " + std::to_string(account->queue) + account->user;
                const Amounts* const held = charges.held_by(one);
                told += held == nullptr ? "" : amounts_text(*held);
            }
            told += " pods";
            for (const std::string& one : pods) {
                const std::string* const of = charges.holder_of(one);
                told += " " + (of == nullptr ? std::string("-") : *of);
            }
            told += " own";
            charges.for_each_own_holder([&](const std::string& uid) { told += " " + uid; });
            told += " asked " + std::to_string(asked) + " known " + std::to_string(charges.size());
            if (!tree.is_empty()) {
                told += " all " + std::to_string(usage.of(0).gangs) + amounts_text(usage.of(0).amounts) + " version " +
                        std::to_string(usage.version());
            }
            told += "\n";
        }
        for (const auto& [holder, account] : charges.forget_all()) {
            told += "forgotten " + holder + " of " + std::to_string(account.queue) + account.user + "\n";
        }
        CHECK(charges.size() == 0);
    }
    tests::check_transcript("gang/shares/transcripts/charges", told);
}
