// How large gangs are by what is declared, by task groups, and by the object of their group: each
// limit from both sides.

#include "gang/declare/gang_size.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/declare/group_size.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace gang_sizes {

using gang::Declaration;
using gang::GangSize;
using tests::Walk;

gang::Declaration of_groups(std::size_t groups, std::int64_t members) {
    Declaration said;
    said.count = gang::DeclaredCount{0, 0, 0, false, false, "the list", true};
    for (std::size_t i = 0; i < groups; ++i) {
        gang::yunikorn::TaskGroup group;
        group.name = "g" + std::to_string(i);
        group.members = members;
        group.requests.cpu_milli = 500;
        said.task_groups.push_back(group);
        said.count->min += members;
    }
    said.count->initial = said.count->max = said.count->min;
    return said;
}

gang::spark::Limits at_most(std::int64_t pods) {
    gang::spark::Limits limits;
    limits.max_gang_size = pods;
    return limits;
}

std::string told(const GangSize& size) {
    std::string text = "  of " + size.source + "\n";
    for (const gang::spark::ExecutorShape& shape : size.executors) {
        text += tests::told_shape(shape);
    }
    return text + tests::told_lines("warning", size.warnings) +
           tests::told_lines("note", size.notes) +
           (size.problem.empty() ? "" : "    problem: " + size.problem + "\n");
}

std::optional<gang::DeclaredAmount> draw_amount(Walk& walk, const char* source, std::int64_t unit) {
    if (walk.pick(2) == 0) return std::nullopt;
    return gang::DeclaredAmount{static_cast<std::int64_t>(walk.pick(4)) * unit, source};
}

Declaration draw_declaration(Walk& walk) {
    Declaration said;
    if (walk.pick(4) > 0) {
        gang::DeclaredCount count;
        count.min = static_cast<std::int64_t>(walk.pick(4));
        count.initial = count.min + static_cast<std::int64_t>(walk.pick(3));
        count.is_dynamic = walk.pick(2) == 0;
        count.is_capped = walk.pick(2) == 0;
        count.max = !count.is_dynamic   ? count.initial
                    : walk.pick(3) == 0 ? gang::spark::unlimited_executors
                                        : count.initial + static_cast<std::int64_t>(walk.pick(9));
        count.source = "label executors";
        said.count = count;
    }
    if (walk.pick(4) == 0) {
        const auto [groups, members] =
            std::pair(1 + walk.pick(3), static_cast<std::int64_t>(1 + walk.pick(3)));
        said = of_groups(groups, members);
        for (auto& group : said.task_groups) {
            if (walk.pick(3) == 0) group.requests = {};
            if (walk.pick(3) == 0) group.requests.memory_bytes = 7'000;
            if (walk.pick(3) == 0) group.constraints.node_selector = {{"disk", "ssd"}};
            if (walk.pick(3) == 0)
                group.constraints.tolerations = {
                    {"group", true, "", true, core::TaintEffect::no_schedule, -1}};
        }
    }
    said.executor = {
        draw_amount(walk, "label exec-cpu", 500),
        draw_amount(walk, "label exec-mem", tests::mebibyte * 1'408 / 2),
        draw_amount(walk, "label exec-gpu", 1)};
    said.driver = {
        draw_amount(walk, "label driver-cpu", 500),
        draw_amount(walk, "label exec-cpu", tests::mebibyte),
        {}};
    if (walk.pick(4) == 0)
        said.executor_tolerations = {{"said", true, "", true, core::TaintEffect::no_schedule, -1}};
    if (walk.pick(8) == 0) said.problem = "a value is wrong";
    if (walk.pick(8) == 0) said.warnings = {"warned"};
    if (walk.pick(8) == 0) said.notes = {"noted"};
    return said;
}

gang::spark::Derivation draw_derivation(Walk& walk) {
    gang::spark::Derivation derived;
    gang::spark::ExecutorShape shape;
    shape.count = static_cast<std::int64_t>(walk.pick(5));
    shape.max = shape.count;
    shape.requests = {1'000, 1'408 * tests::mebibyte, 0, {}};
    if (walk.pick(3) == 0) shape.requests.extended = {{"nvidia.com/gpu", 1}};
    shape.constraints.node_selector = {{"of", "conf"}};
    const std::size_t kind = walk.pick(6);
    if (kind == 0) {
        derived.foreign_executors.push_back(shape);
    } else if (kind > 1 && shape.count > 0) {
        derived.executors.push_back(shape);
    }
    if (walk.pick(8) == 0) derived.problem = "the conf is wrong";
    if (walk.pick(4) == 0) derived.notes = {"of the conf"};
    return derived;
}

}  // namespace gang_sizes

}  // namespace

TEST_CASE("gang size: by declarations and confs, as far as there are any") {
    using namespace gang_sizes;
    Walk walk(8);
    std::string text;
    for (int i = 0; i < 200; ++i) {
        const Declaration said = draw_declaration(walk);
        const gang::spark::Derivation derived = draw_derivation(walk);
        const bool has_conf = walk.pick(2) == 0;
        gang::spark::Limits limits = at_most(static_cast<std::int64_t>(4 + walk.pick(6)));
        limits.dynamic_allocation = static_cast<config::DynamicAllocation>(walk.pick(3));
        core::Pod driver = tests::pod("d", 1'000, 1'024);
        driver.constraints.edit().node_selector = {{"of", "driver"}};
        text += std::to_string(i) + " of " + std::to_string(limits.max_gang_size) + " by " +
                std::to_string(static_cast<int>(limits.dynamic_allocation)) + "\n" +
                told(gang::size_gang(driver, said, has_conf ? &derived : nullptr, limits));
        text += "  driver " + core::describe_exactly(gang::driver_request(driver, said)) + "\n";
    }
    tests::check_transcript("gang/declare/transcripts/gang_sizes", text);
}

TEST_CASE("gang size: task groups up to the number that a gang may have, and one more") {
    using namespace gang_sizes;
    const core::Pod driver = tests::pod("d", 1'000, 1'024);
    const auto size = [&driver](const Declaration& said, std::int64_t pods) {
        return gang::size_gang(driver, said, nullptr, at_most(pods));
    };
    CHECK(size(of_groups(16, 1), 2'000).executors.size() == 16);
    const GangSize more = size(of_groups(17, 1), 2'000);
    CHECK(more.executors.empty());
    CHECK(more.problem.find("17 executors in 17 task groups") != std::string::npos);
    CHECK(more.problem.find("the 16 groups of any gang") != std::string::npos);
    CHECK(size(of_groups(3, 3), 10).problem.empty());
    CHECK_FALSE(size(of_groups(2, 5), 10).problem.empty());
}

TEST_CASE("gang size: a declared count up to the size that a gang may have, and one more") {
    using namespace gang_sizes;
    const core::Pod driver = tests::pod("d", 1'000, 1'024);
    Declaration said;
    said.count = gang::DeclaredCount{9, 9, 9, false, false, "label executors", false};
    said.executor.cpu_milli = gang::DeclaredAmount{1'000, "label exec-cpu"};
    said.executor.memory_bytes = gang::DeclaredAmount{1'000, "label exec-mem"};
    CHECK(gang::size_gang(driver, said, nullptr, at_most(10)).executors.front().count == 9);
    const GangSize more = gang::size_gang(driver, said, nullptr, at_most(9));
    CHECK(more.executors.empty());
    CHECK(
        more.problem.find("9 executors and their driver are more than the 9 pods") !=
        std::string::npos);
}

TEST_CASE("gang size: by the object of its group, whatever it names") {
    using namespace gang_sizes;
    Walk walk(9);
    std::string text;
    for (int i = 0; i < 150; ++i) {
        Declaration said = draw_declaration(walk);
        said.count.reset();
        core::Pod driver = tests::pod("d", 1'000, 1'024);
        if (walk.pick(3) == 0) driver.requests.extended = {{"nvidia.com/gpu", 1}};
        if (walk.pick(3) == 0) driver.requests.ephemeral_bytes = 100;
        driver.constraints.edit().node_selector = {{"of", "driver"}};
        core::PodGroup group;
        if (walk.pick(4) > 0)
            group.min_resources.cpu_milli = static_cast<std::int64_t>(walk.pick(13)) * 500;
        if (walk.pick(4) > 0)
            group.min_resources.memory_bytes =
                static_cast<std::int64_t>(walk.pick(9)) * 704 * tests::mebibyte;
        if (walk.pick(3) == 0)
            group.min_resources.ephemeral_bytes = static_cast<std::int64_t>(walk.pick(6)) * 100;
        if (walk.pick(3) == 0)
            group.min_resources.extended = {
                {"nvidia.com/gpu", static_cast<std::int64_t>(1 + walk.pick(5))}};
        if (walk.pick(8) == 0) group.problem = "the group makes no sense";
        const auto limits = at_most(static_cast<std::int64_t>(4 + walk.pick(3)));
        text += std::to_string(i) + " of " + std::to_string(limits.max_gang_size) + ", " +
                core::describe_exactly(group.min_resources) + "\n" +
                told(gang::size_by_group(driver, said, group, limits));
    }
    tests::check_transcript("gang/declare/transcripts/group_sizes", text);
}

TEST_CASE("gang size: room of a group for one executor more, and for as many as a gang may have") {
    using namespace gang_sizes;
    const core::Pod driver = tests::pod("d", 1'000, 0);
    const auto count = [&driver](std::int64_t cpu_milli) {
        core::PodGroup group;
        group.min_resources.cpu_milli = cpu_milli;
        const GangSize size = gang::size_by_group(driver, {}, group, at_most(5));
        return !size.problem.empty()    ? -1
               : size.executors.empty() ? 0
                                        : size.executors.front().count;
    };
    CHECK(count(999) == 0);  // not even the driver's: says nothing
    CHECK(count(1'000) == 0);
    CHECK(count(1'999) == 0);
    CHECK(count(2'000) == 1);
    CHECK(count(5'000) == 4);
    CHECK(count(5'999) == 4);
    CHECK(count(6'000) == -1);
}

TEST_CASE("gang size: executors of a group have the GPUs that are declared, else the driver's") {
    using namespace gang_sizes;
    core::Pod driver = tests::pod("d", 1'000, 0);
    driver.requests.extended = {{"nvidia.com/gpu", 2}};
    core::PodGroup group;
    group.min_resources = {9'000, 0, 0, {{"nvidia.com/gpu", 8}}};
    Declaration said;
    const auto first = [&] {
        return gang::size_by_group(driver, said, group, at_most(100)).executors.at(0);
    };
    CHECK(first().count == 3);
    CHECK(first().requests.extended_amount("nvidia.com/gpu") == 2);
    said.executor.gpus = gang::DeclaredAmount{3, "label"};
    CHECK(first().count == 2);
    said.executor.gpus->value = 1;
    CHECK(first().count == 6);
    said.executor.gpus->value = 0;
    CHECK(first().count == 8);
    CHECK(first().requests.extended.empty());
}
