// A life recorded, and lived again.
#include "gang/record/recording.hpp"

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>

namespace {

using tests::World;

/// Three applications on a cluster for one and a half: admitted, waiting, ended, and a restart's
/// worth of everything in between.
std::string record_a_life(config::Schema schema = {}) {
    std::string text;
    World world(std::move(schema));
    world.recording = &text;
    world.restart();
    for (int i = 0; i < 3; ++i) {
        world.add_node(tests::node("n" + std::to_string(i), 4, 16 * 1024));
    }
    std::vector<std::string> drivers;
    for (int i = 0; i < 3; ++i) {
        drivers.push_back(world.submit("app-" + std::to_string(i), 5, 1'000 + i));
    }
    world.advance(2'000);
    for (const std::string& driver : drivers) {
        if (!world.is_bound(driver)) {
            continue;
        }
        world.set_phase(driver, core::PodPhase::running);
        world.create_executors(driver, 5);
        world.advance(11'000);
        world.set_phase(driver, core::PodPhase::succeeded);
        world.remove_application(driver);
        world.advance(11'000);
    }
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// The first error, empty if there is none.
std::string feed(gang::Replay& replay, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const auto fed = replay.feed(line);
        if (!fed) {
            return fed.error().message;
        }
    }
    return {};
}

std::size_t find_line(const std::vector<std::string>& lines, const std::string& part) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(part) != std::string::npos) {
            return i;
        }
    }
    FAIL("no line with " << part);
    return 0;
}

}  // namespace

TEST_CASE("recording: the same events give the same decisions, digests and ledger") {
    const auto lines = lines_of(record_a_life());
    gang::Replay replay;
    CHECK(feed(replay, lines) == "");
    CHECK_FALSE(replay.difference());
    CHECK(replay.header()->program == "test");
    CHECK(replay.counts().events > 50);
    CHECK(replay.counts().ticks >= 10);
    CHECK(replay.counts().decisions > 20);
    CHECK(replay.counts().checks >= replay.counts().ticks);
    CHECK(replay.counts().states >= 2);
    CHECK(replay.counts().states <= 8);  // one in ten seconds, of 68
    CHECK(replay.last_sequence() == replay.counts().events);
}

TEST_CASE("recording: it is replayed under the configuration that it was made with") {
    config::Schema schema;
    schema.gang.max_gang_size = 3;  // the applications are larger
    const auto lines = lines_of(record_a_life(schema));
    gang::Replay replay;
    CHECK(feed(replay, lines) == "");
    CHECK_FALSE(replay.difference());
    CHECK(replay.header()->config == schema);
}

TEST_CASE("replay: a decision that differs is shown as it was and as it is now") {
    auto lines = lines_of(record_a_life());
    const std::size_t at = find_line(lines, "\"bind\"");
    const std::size_t node = lines[at].find("\"node\":\"n") + 9;
    lines[at][node] = '9';
    gang::Replay replay;
    CHECK(feed(replay, lines) == "");
    REQUIRE(replay.difference());
    CHECK(replay.difference()->what.find("decision 1: recorded {\"bind\"") == 0);
    CHECK(replay.difference()->what.find("\"node\":\"n9\"") != std::string::npos);
    CHECK(replay.difference()->what.find(", replayed {\"bind\"") != std::string::npos);
    CHECK(lines[at].find("{\"after\":" + std::to_string(replay.difference()->sequence) + ",") == 0);
}

TEST_CASE("replay: decisions too many or too few are found") {
    auto lines = lines_of(record_a_life());
    const std::size_t at = find_line(lines, "\"bind\"");
    const std::size_t begin = lines[at].find("\"decisions\"");
    auto fewer = lines;
    fewer[at].erase(begin, lines[at].find("\"digest\"") - begin);
    gang::Replay replay;
    CHECK(feed(replay, fewer) == "");
    REQUIRE(replay.difference());
    CHECK(replay.difference()->what.find("decision 1: recorded none, replayed {\"bind\"") == 0);

    auto more = lines;
    more[at].insert(lines[at].find("[") + 1, "{\"wakeAt\":{\"ms\":1}},");
    gang::Replay second;
    CHECK(feed(second, more) == "");
    REQUIRE(second.difference());
    CHECK(second.difference()->what.find("decision 1: recorded {\"wakeAt\"") == 0);
}

TEST_CASE("replay: an event that was changed is found at the latest by the state's digest") {
    // Nobody waits for a cordoned node here: only the ledger shows that it has become smaller.
    std::string text;
    World world;
    world.recording = &text;
    world.restart();
    world.add_node(tests::node("n0", 4, 1'024));
    world.advance(30'000);
    auto lines = lines_of(text);
    const std::size_t at = find_line(lines, "\"cpu\":4000");
    lines[at].replace(lines[at].find("\"cpu\":4000"), 10, "\"cpu\":3000");
    gang::Replay replay;
    CHECK(feed(replay, lines) == "");
    REQUIRE(replay.difference());
    CHECK(replay.difference()->what.find("the ledger or the queue: recorded ") == 0);
}

TEST_CASE("replay: a wrong digest is found though the decisions are the same") {
    auto lines = lines_of(record_a_life());
    const std::size_t at = find_line(lines, "\"bind\"");
    char& digit = lines[at][lines[at].find("\"digest\":\"") + 10];
    digit = digit == '0' ? '1' : '0';
    gang::Replay replay;
    CHECK(feed(replay, lines) == "");
    REQUIRE(replay.difference());
    CHECK(replay.difference()->what.find("the digest of all decisions so far differs") == 0);
}

TEST_CASE("replay: lines that are missing, doubled or out of place are said to be") {
    const auto lines = lines_of(record_a_life());
    const auto refused = [](std::vector<std::string> changed) {
        gang::Replay replay;
        return feed(replay, changed);
    };
    auto changed = lines;
    changed.erase(changed.begin());
    CHECK(refused(changed) == "a recording begins with its header");
    changed = lines;
    changed.insert(changed.begin() + 3, lines[0]);
    CHECK(refused(changed) == "a second header: two recordings in one file");
    changed = lines;
    changed.erase(changed.begin() + 2);
    CHECK(refused(changed) == "event 3 follows event 1: lines are missing");
    const std::size_t tick = find_line(lines, "\"tick\"");
    changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(tick) + 1);
    CHECK(refused(changed).find("what event ") == 0);
    changed = lines;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(tick), lines[tick + 1]);
    CHECK(refused(changed).find(" stands behind event ") != std::string::npos);
    changed = lines;
    changed.insert(changed.begin() + 3, "{\"end\":\"full\"}");
    CHECK(refused(changed) == "a line after the end of the recording");
}

TEST_CASE("recording: the state's digest tells apart what differs in one value alone") {
    gang::NodeLedger node;
    node.name = "n1";
    node.units.emplace_back();
    node.free.extended.push_back({"example.com/card", 1});
    const auto of_node = [&](auto&& change) {
        gang::NodeLedger changed = node;
        change(changed);
        return gang::state_digest({changed}, {});
    };
    const auto of_gang = [](auto&& change) {
        gang::GangView changed;
        change(changed);
        return gang::state_digest({}, {changed});
    };
    const auto nothing = [](auto&) {};
    const std::set<std::uint64_t> digests = {
        of_node(nothing),
        of_node([](auto& of) { of.name = "n2"; }),
        of_node([](auto& of) { of.allocatable.cpu_milli = 1; }),
        of_node([](auto& of) { of.bound.cpu_milli = 1; }),
        of_node([](auto& of) { of.held.cpu_milli = 1; }),
        of_node([](auto& of) { of.free.cpu_milli = 1; }),
        of_node([](auto& of) { of.free.memory_bytes = 1; }),
        of_node([](auto& of) { of.free.ephemeral_bytes = 1; }),
        of_node([](auto& of) { of.free.extended[0].name = "example.com/cord"; }),
        of_node([](auto& of) { of.free.extended[0].amount = 2; }),
        of_node([](auto& of) { of.pods_free = 1; }),
        of_node([](auto& of) { of.pods_free = std::int64_t{1} << 56; }),
        of_node([](auto& of) { of.units[0].state = gang::HeldUnit::State::leaving; }),
        of_node([](auto& of) { of.units[0].driver_uid = "d"; }),
        of_node([](auto& of) { of.units[0].slot = 7; }),
        of_node([](auto& of) { of.units[0].requests.cpu_milli = 1; }),
        of_node([](auto& of) { of.units.emplace_back(); }),
        of_gang(nothing),
        of_gang([](auto& of) { of.driver_uid = "d"; }),
        of_gang([](auto& of) { of.state = gang::GangState::admitted; }),
        of_gang([](auto& of) { of.code = gang::ReasonCode::backing_off; }),
        of_gang([](auto& of) { of.position = 1; }),
        of_gang([](auto& of) { of.slots_open = 1; }),
        of_gang([](auto& of) { of.slots_assumed = 1; }),
        of_gang([](auto& of) { of.slots_bound = 1; }),
        of_gang([](auto& of) { of.message = "no room"; })};
    CHECK(digests.size() == 26);
    CHECK(digests.contains(of_node(nothing)));
    CHECK(digests.contains(of_gang(nothing)));
}
