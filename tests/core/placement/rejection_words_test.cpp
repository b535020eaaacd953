// What people are told of a rejection: one line for each shortage, written out by hand; and everything that can be
// said of one, by chance.

#include "core/placement/placement.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rejection_words {

using namespace core;
using build::node;
using build::resources;

/// Two of five executors fit beside the driver; so much is missing of everything.
Rejection gang() {
    Rejection rejection;
    rejection.wants_driver = true;
    rejection.driver_fits = true;
    rejection.executors_wanted = 5;
    rejection.executors_fit = 2;
    rejection.wanted = resources("6");
    rejection.missing = resources("3", "4Gi");
    rejection.missing.ephemeral_bytes = build::bytes("5Gi");
    rejection.missing.extended = {{"nvidia.com/gpu", 7}};
    rejection.binding = "cpu";
    return rejection;
}

TEST_CASE("rejection: the sentence for each shortage") {
    struct Row {
        std::string binding;
        std::string told;
    };
    const std::vector<Row> rows = {
        {"", "no node is eligible"},
        {"cpu", "short of 3 cpu"},
        {"memory", "short of 4Gi memory"},
        {"ephemeral-storage", "short of 5Gi ephemeral-storage"},
        {"nvidia.com/gpu", "short of 7 nvidia.com/gpu"},
        {"pods", "short of 3 pod slots"},
        {"host port 80/TCP", "short of host port 80/TCP"},
        {name_of(GpuWish{2, 4000, 0, ""}), "short of GPUs"}};
    for (const Row& row : rows) {
        CAPTURE(row.binding);
        Rejection rejection = gang();
        rejection.binding = row.binding;
        CHECK(describe(rejection) == "needs 1 driver + 5 executors (6 cpu); 1 + 2 fit, " + row.told);
    }
}

TEST_CASE("rejection: what is needed and what fits, of gangs, pods and groups") {
    Rejection rejection = gang();
    rejection.driver_fits = false;
    CHECK(describe(rejection) == "needs 1 driver + 5 executors (6 cpu); 0 + 2 fit, short of 3 cpu");
    rejection.wants_driver = false;
    CHECK(describe(rejection) == "needs 5 executors (6 cpu); 2 fit, short of 3 cpu");
    rejection.executors_wanted = 1;
    CHECK(describe(rejection) == "needs 1 executor (6 cpu); 2 fit, short of 3 cpu");
    rejection.executors_wanted = 2;
    CHECK(describe(rejection) == "needs 2 executors (6 cpu); 2 fit, short of 3 cpu");
    rejection.executors_wanted = 0;
    CHECK(describe(rejection) == "needs 6 cpu; no node fits, short of 3 cpu");
    rejection.wants_driver = true;
    CHECK(describe(rejection) == "needs 6 cpu; no node fits, short of 3 cpu");

    rejection = gang();
    rejection.is_of_pods = true;
    CHECK(describe(rejection) == "needs 6 pods (6 cpu); 3 fit, short of 3 cpu");
    rejection.driver_fits = false;
    CHECK(describe(rejection) == "needs 6 pods (6 cpu); 2 fit, short of 3 cpu");
    rejection.driver_fits = true;
    rejection.wants_driver = false;
    CHECK(describe(rejection) == "needs 5 pods (6 cpu); 2 fit, short of 3 cpu");
    rejection.wants_driver = true;
    rejection.executors_wanted = 0;
    CHECK(describe(rejection) == "needs 1 pod (6 cpu); no node fits, short of 3 cpu");
}

TEST_CASE("rejection: pod slots are counted with a driver that has none") {
    Rejection rejection = gang();
    rejection.binding = "pods";
    rejection.driver_fits = false;
    CHECK(describe(rejection).ends_with("0 + 2 fit, short of 4 pod slots"));
    rejection.wants_driver = false;
    CHECK(describe(rejection).ends_with("2 fit, short of 3 pod slots"));
    rejection.executors_fit = 4;
    CHECK(describe(rejection).ends_with("4 fit, short of 1 pod slot"));
    rejection.executors_fit = 3;
    CHECK(describe(rejection).ends_with("3 fit, short of 2 pod slots"));
}

TEST_CASE("rejection: a card is named unless units, or anything else, are short altogether") {
    Rejection rejection = gang();
    CardShortage shortage;
    shortage.resource = "alnair/vgpu-memory";
    shortage.what = "single GPU with 6 free alnair/vgpu-memory";
    rejection.card = shortage;
    CHECK(describe(rejection).ends_with("fit, short of 3 cpu"));
    for (const std::string binding : {"", "alnair/vgpu-memory"}) {
        CAPTURE(binding);
        rejection.binding = binding;
        rejection.card->node.clear();
        CHECK(describe(rejection).ends_with(
            "fit, no single GPU with 6 free alnair/vgpu-memory: no node says its cards"));
        rejection.card->node = "n1";
        rejection.card->card = "U1";
        rejection.card->best = 4;
        CHECK(describe(rejection).ends_with(
            "fit, no single GPU with 6 free alnair/vgpu-memory, best has 4 on n1/U1"));
    }
}

TEST_CASE("rejection: reasons follow the sentence, with commas between them") {
    Rejection rejection = gang();
    rejection.reasons = {{"Insufficient cpu", 3}};
    CHECK(describe(rejection).ends_with("short of 3 cpu. 3 Insufficient cpu"));
    rejection.reasons.push_back({"excluded", 1});
    rejection.reasons.push_back({"not ready", 1});
    CHECK(describe(rejection).ends_with("short of 3 cpu. 3 Insufficient cpu, 1 excluded, 1 not ready"));
}

/// Of a pod that asks for `asked`, on nodes with these amounts of it.
std::string told_of(const Resources& asked, const std::vector<Node>& nodes, std::int64_t count = 1) {
    Cluster cluster;
    for (const Node& one : nodes) cluster.upsert_node(one);
    Planner planner;
    const Placement placement = planner.place(cluster, {{}, {{cluster.intern_shape(asked, {}), count}}});
    REQUIRE(std::holds_alternative<Rejection>(placement));
    return describe(std::get<Rejection>(placement));
}

TEST_CASE("rejection: the resource that most nodes are short of is the one that binds, of equal ones the first") {
    const Resources asked = resources("2", "2Gi");
    const auto short_of_cpu = [](const char* name) { return node(name).cpu(1).memory("9Gi"); };
    const auto short_of_memory = [](const char* name) { return node(name).cpu(9).memory("1Gi"); };
    CHECK(
        told_of(asked, {short_of_cpu("a"), short_of_memory("b"), short_of_memory("c")}) ==
        "needs 1 executor (2 cpu, 2Gi memory); 0 fit, short of 2Gi memory. "
        "2 Insufficient memory, 1 Insufficient cpu");
    CHECK(
        told_of(asked, {short_of_cpu("a"), short_of_memory("b")}) ==
        "needs 1 executor (2 cpu, 2Gi memory); 0 fit, short of 2 cpu. 1 Insufficient cpu, 1 Insufficient memory");
    Resources disk = resources("1");
    disk.ephemeral_bytes = build::bytes("2Gi");
    CHECK(
        told_of(disk, {node("a").ephemeral("1Gi"), node("b").ephemeral("3Gi")}, 3) ==
        "needs 3 executors (3 cpu, 6Gi ephemeral-storage); 1 fit, short of 4Gi ephemeral-storage. "
        "2 Insufficient ephemeral-storage");
}

TEST_CASE("rejection: exactly what is asked is enough, one less is short") {
    for (const std::int64_t there : {1999, 2000, 2001}) {
        CAPTURE(there);
        const std::string told = told_of(resources("2"), {node("a").cpu_milli(there)}, 2);
        CHECK(told == (there < 2000 ? "needs 2 executors (4 cpu); 0 fit, short of 4 cpu. 1 Insufficient cpu"
                                    : "needs 2 executors (4 cpu); 1 fit, short of 2 cpu. 1 Insufficient cpu"));
    }
}

TEST_CASE("rejection: wishes of GPUs, ports and volumes are told in their own words") {
    Resources wish = resources("1");
    add_gpu_wish(wish, {2, 4000, 0, ""});
    CHECK(told_of(wish, {node("a")}).ends_with("0 fit, short of GPUs. 1 too few GPUs, or too full ones"));
    Resources port = resources("1");
    add_host_ports(port, {{"", "TCP", 80}});
    CHECK(told_of(port, {node("a")}, 2).ends_with(
        "1 fit, short of host port 80/TCP. 1 host port 80/TCP taken"));
    Resources volume = resources("1");
    add_volumes(volume, {{"a.example.com", ""}});
    Node limited = node("a");
    set_volume_limits(limited.allocatable, {{"a.example.com", 1}});
    CHECK(told_of(volume, {limited}, 2).ends_with("1 at the limit of volumes of a.example.com"));
}

TEST_CASE("rejection: of any numbers") {
    tests::Walk walk(3);
    const std::vector<std::string> bindings = {
        "", "cpu", "memory", "ephemeral-storage", "pods", "x/y", "a b", name_of(GpuWish{}), "units"};
    std::string told;
    for (int i = 0; i < 300; ++i) {
        Rejection rejection;
        rejection.wants_driver = walk.pick(2) == 0;
        rejection.driver_fits = walk.pick(2) == 0;
        rejection.is_of_pods = walk.pick(3) == 0;
        rejection.executors_wanted = static_cast<std::int64_t>(walk.pick(4));
        rejection.executors_fit =
            static_cast<std::int64_t>(walk.pick(static_cast<std::size_t>(rejection.executors_wanted) + 1));
        rejection.wanted.cpu_milli = static_cast<std::int64_t>(walk.pick(3) * 500);
        rejection.missing = resources("1", "2Gi");
        rejection.missing.ephemeral_bytes = std::int64_t{3} << 30;
        rejection.missing.extended = {{"x/y", 4}};
        rejection.binding = walk.of(bindings);
        if (walk.pick(3) == 0) {
            rejection.card = CardShortage{"units", "GPU", static_cast<std::int64_t>(walk.pick(3)), "", "U1"};
            if (walk.pick(2) == 0) rejection.card->node = "n1";
        }
        for (std::size_t n = walk.pick(3); n > 0; --n) {
            rejection.reasons.push_back({"reason", static_cast<std::int64_t>(n)});
        }
        told += rejection.binding + (rejection.card ? "+card" : "") + ": " + describe(rejection) + "\n";
    }
    tests::check_transcript("core/placement/transcripts/words", told);
}

}  // namespace rejection_words
