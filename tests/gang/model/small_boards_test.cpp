// Small classes that remember one thing each: times, crash loops, held binds, what an autoscaler was asked for, rooms
// that are kept, which gangs fit, and nodes in quarantine.
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/model/cluster/node_quarantine.hpp"
#include "gang/model/crash_loop.hpp"
#include "gang/model/demand/bought_rooms.hpp"
#include "gang/model/demand/demand_board.hpp"
#include "gang/model/held_binds.hpp"
#include "gang/model/timers.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

TEST_CASE("timers: a pause doubles with each time, up to the longest and no further") {
    const std::vector<std::pair<int, std::int64_t>> expected = {
        {0, 3}, {1, 6}, {2, 12}, {15, 98'304}, {16, 196'608}, {17, 196'608}, {100, 196'608}};
    for (const auto& [times, pause_ms] : expected) CHECK(gang::doubled(3, times, 1'000'000) == pause_ms);
    CHECK(gang::doubled(100, 3, 800) == 800);
    CHECK(gang::doubled(100, 3, 799) == 799);
    CHECK(gang::doubled(100, 3, 801) == 800);
}

TEST_CASE("timers: a time is over when it has come, and counts as past when a tick should have ended it") {
    gang::Timers timers;
    for (const std::int64_t at_ms : {10, 20, 30}) timers.add(at_ms);
    CHECK(timers.count_past(20) == 1);
    CHECK(timers.count_past(21) == 2);
    CHECK(timers.count_past(100) == 3);
    timers.forget_past(9);
    CHECK(timers.next_ms() == 10);
    timers.forget_past(20);
    CHECK(timers.next_ms() == 30);
    timers.forget_past(30);
    CHECK_FALSE(timers.next_ms());
    CHECK(timers.count_past(100) == 0);
}

TEST_CASE("crash loop: the bucket empties by the time that passed, and not below nothing") {
    gang::CrashLoop loop;
    loop.note_failure(1, 1'000);
    CHECK(loop.level_ms == 5'000);
    loop.note_failure(1, 5'999);
    CHECK(loop.level_ms == 5'001);
    CHECK(loop.at_ms == 5'999);
    loop.note_failure(1, 5'999 + 5'001);
    CHECK(loop.level_ms == 5'000);
    loop.note_failure(1, 11'000 + 50'000);
    CHECK(loop.level_ms == 5'000);
}

TEST_CASE("crash loop: a gang may lose ten at once, or twice its executors where that is more") {
    const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {
        {0, 10}, {1, 10}, {5, 10}, {6, 12}, {50, 100}};
    for (const auto& [executors, failures] : expected) {
        CAPTURE(executors);
        gang::CrashLoop loop;
        for (std::int64_t i = 0; i < failures; ++i) loop.note_failure(executors, 7);
        CHECK(loop.crash_backoff_until_ms(executors) == 7);
        loop.note_failure(executors, 7);
        CHECK(loop.crash_backoff_until_ms(executors) == 5'007);
        for (int i = 0; i < 11; ++i) loop.note_failure(executors, 7);
        CHECK(loop.crash_backoff_until_ms(executors) == 7 + 60'000);
        loop.note_failure(executors, 7);
        CHECK(loop.crash_backoff_until_ms(executors) == 7 + 60'000);
    }
}

TEST_CASE("crash loop: the driver is told again after ten minutes") {
    gang::CrashLoop loop;
    CHECK(loop.is_to_be_told(5));
    CHECK_FALSE(loop.is_to_be_told(600'004));
    CHECK(loop.is_to_be_told(600'005));
    CHECK_FALSE(loop.is_to_be_told(1'200'004));
    CHECK(loop.is_to_be_told(1'200'005));
}

TEST_CASE("held binds: a text is stored or refused once the last of its writes is answered") {
    gang::HeldBinds binds;
    gang::BindPod bind;
    bind.pod.uid = "u1";
    binds.hold(bind, 5);
    using Text = gang::HeldBind::Text;
    REQUIRE(binds.find("u1") != nullptr);
    CHECK(binds.find("u2") == nullptr);
    CHECK(binds.find("u1")->since_ms == 5);
    CHECK(binds.find("u1")->text == Text::none);
    binds.answered("u1", true);  // to nobody's write
    CHECK(binds.find("u1")->text == Text::none);
    binds.writes(*binds.find("u1"), "7");
    CHECK(binds.size() == 2);
    CHECK(binds.find("u1")->written_on == "7");
    binds.hold(bind, 6);  // another bind of the same pod
    CHECK(binds.find("u1")->text == Text::none);
    binds.writes(*binds.find("u1"), "8");
    binds.answered("u1", true);  // that of the first
    CHECK(binds.find("u1")->text == Text::writing);
    CHECK(binds.size() == 2);
    binds.answered("u1", false);
    CHECK(binds.find("u1")->text == Text::refused);
    CHECK(binds.size() == 1);
    binds.writes(*binds.find("u1"), "9");
    binds.answered("u1", true);
    CHECK(binds.find("u1")->text == Text::stored);
    binds.writes(*binds.find("u1"), "10");
    const auto taken = binds.take("u1");
    REQUIRE(taken);
    CHECK(taken->written_on == "10");
    CHECK_FALSE(binds.take("u1"));
    CHECK(binds.size() == 1);
    binds.answered("u1", true);
    CHECK(binds.size() == 0);
    binds.hold(bind, 7);
    binds.writes(*binds.find("u1"), "11");
    binds.hold(bind, 8);  // nothing is written for this one
    binds.answered("u1", true);
    CHECK(binds.find("u1")->text == Text::none);
    binds.writes(*binds.find("u1"), "12");
    binds.forget("u1");
    CHECK(binds.size() == 0);
    CHECK(binds.all().empty());
}

namespace {

gang::Application gang_wanting(const std::string& uid, const std::vector<std::int64_t>& counts) {
    gang::Application app;
    app.uid = uid;
    app.is_driver = true;
    for (const std::int64_t count : counts) app.declared.shapes.emplace_back().count = count;
    return app;
}

gang::MemoKey memo_key_of(const std::vector<std::uint32_t>& shapes) {
    gang::MemoKey key;
    for (const std::uint32_t shape : shapes) key.shapes.push_back({core::ShapeId{shape}, 1});
    return key;
}

}  // namespace

TEST_CASE("demand board: nodes are asked for drivers with executors, each once, and up to a limit") {
    gang::DemandBoard off(config::AutoscalingMode::none);
    off.note(gang_wanting("u", {1}), 1);
    CHECK(off.remembered() == 0);
    CHECK(off.code_for("u", gang::ReasonCode::waiting_for_capacity) == gang::ReasonCode::waiting_for_capacity);
    gang::DemandBoard board(config::AutoscalingMode::provisioning_request);
    board.note(gang_wanting("none", {}), 1);
    board.note(gang_wanting("zero", {0, 0}), 1);
    gang::Application lone = gang_wanting("lone", {1});
    lone.is_driver = false;
    board.note(lone, 1);
    gang::Application surplus = gang_wanting("surplus", {1});
    surplus.is_surplus = true;
    board.note(surplus, 1);
    CHECK(board.remembered() == 0);
    board.note(gang_wanting("u", {0, 2}), 7);
    board.note(gang_wanting("u", {0, 2}), 9);
    CHECK(board.remembered() == 1);
    CHECK(board.all().at("u").since_ms == 7);
    CHECK(board.all().at("u").driver.uid == "u");
    for (int i = 0; i < 300; ++i) board.note(gang_wanting("u" + std::to_string(i), {1}), 1);
    CHECK(board.remembered() == 200);
}

TEST_CASE("demand board: who is about to be asked for is so for five seconds, and until it is asked or answered") {
    gang::DemandBoard board(config::AutoscalingMode::provisioning_request);
    board.note(gang_wanting("u", {1}), 1'000);
    board.note(gang_wanting("v", {1}), 1'000);
    CHECK(board.is_about_to_ask("u", 1'000));
    CHECK(board.is_about_to_ask("u", 5'999));
    CHECK_FALSE(board.is_about_to_ask("u", 6'000));
    CHECK_FALSE(board.is_about_to_ask("w", 1'000));
    gang::CapacityRequest& request = board.all().at("u");
    CHECK_FALSE(board.is_asked("u"));
    CHECK_FALSE(board.is_asked("w"));
    CHECK(board.count_asked() == 0);
    request.is_answered = true;
    CHECK_FALSE(board.is_about_to_ask("u", 1'000));
    request.is_answered = false;
    request.asked_ms = 1;
    CHECK_FALSE(board.is_about_to_ask("u", 1'000));
    CHECK(board.find_asked("u") == &request);
    CHECK(board.count_asked() == 1);
    board.all().at("v").is_beyond_quota = true;
    CHECK(board.is_beyond_quota("v"));
    CHECK_FALSE(board.is_beyond_quota("u"));
    CHECK_FALSE(board.is_beyond_quota("w"));
    using gang::ReasonCode;
    for (const ReasonCode code :
         {ReasonCode::waiting_for_capacity,
          ReasonCode::waiting_for_nodes,
          ReasonCode::exceeds_cluster,
          ReasonCode::constraints_unsatisfiable}) {
        CHECK(gang::DemandBoard::is_about_room(code));
        CHECK(board.code_for("u", code) == ReasonCode::waiting_for_nodes);
        CHECK(board.code_for("v", code) == ReasonCode::waiting_for_quota);
        CHECK(board.code_for("w", code) == code);
    }
    CHECK_FALSE(gang::DemandBoard::is_about_room(ReasonCode::waiting_for_volumes));
    CHECK(board.code_for("u", ReasonCode::waiting_for_volumes) == ReasonCode::waiting_for_volumes);
}

TEST_CASE("bought rooms: what is kept for a gang is counted by shape, and free again when it is given back") {
    core::Cluster cluster;
    cluster.upsert_node(tests::node("n1", 8, 1'024));
    const core::NodeIndex node = cluster.node_or_placeholder("n1");
    const auto take = [&] { return cluster.allocations().allocate(node, {1'000, 0, 0, {}}, core::UsedBy::gang); };
    gang::BoughtRooms rooms;
    CHECK(rooms.find("g") == nullptr);
    rooms.hold("g", {take(), 0}, 10);
    rooms.hold("g", {take(), 1}, 20);
    rooms.hold("g", {take(), 1}, 15);
    rooms.hold("h", {take(), 2}, 5);
    REQUIRE(rooms.find("g") != nullptr);
    CHECK(rooms.find("g")->until_ms == 15);
    CHECK(rooms.find("g")->count(0) == 1);
    CHECK(rooms.find("g")->count(1) == 2);
    CHECK(rooms.find("g")->count(2) == 0);
    CHECK(rooms.size() == 2);
    CHECK(rooms.held_count() == 4);
    CHECK(cluster.allocations().count() == 4);
    rooms.give_back_if(cluster, [](const gang::BoughtRoom::Place& place) { return place.shape == 1; });
    CHECK(cluster.allocations().count() == 2);
    CHECK(rooms.held_count() == 2);
    CHECK(rooms.size() == 2);
    rooms.give_back_if(cluster, [](const gang::BoughtRoom::Place& place) { return place.shape == 2; });
    CHECK(rooms.size() == 1);
    CHECK(rooms.all().contains("g"));
    rooms.give_back("h", cluster);
    CHECK(cluster.allocations().count() == 1);
    rooms.give_back("g", cluster);
    CHECK(cluster.allocations().count() == 0);
    CHECK(rooms.size() == 0);
}

TEST_CASE("fit cache: what is known of a view is forgotten with its version, or with a shape") {
    gang::FitCache cache;
    const core::Rejection no;
    gang::Memo& memo = cache.memo_of(core::View::free, 3);
    memo.gangs[memo_key_of({1, 2})] = no;
    memo.gangs[memo_key_of({2, 3})] = std::nullopt;
    memo.gangs[memo_key_of({3})] = no;
    memo.if_open[core::ShapeId{1}] = {1, 2, 3};
    memo.if_open[core::ShapeId{3}] = {1, 2, 3};
    CHECK(cache.memo_of(core::View::free, 3).gangs.size() == 3);
    CHECK(cache.memo_of(core::View::allocatable, 3).gangs.empty());
    cache.forget(core::ShapeId{1});
    CHECK(memo.gangs.size() == 2);
    CHECK_FALSE(memo.gangs.contains(memo_key_of({1, 2})));
    CHECK(memo.if_open.size() == 1);
    CHECK(memo.if_open.contains(core::ShapeId{3}));
    cache.forget_fits();  // nobody has said that there are any
    CHECK(memo.gangs.size() == 2);
    memo.has_fits = true;
    cache.forget_fits();
    CHECK_FALSE(memo.has_fits);
    CHECK(memo.gangs.size() == 1);
    CHECK(memo.gangs.contains(memo_key_of({3})));
    CHECK(cache.memo_of(core::View::free, 4).gangs.empty());
    CHECK(cache.memo_of(core::View::free, 4).version == 4);
    CHECK(memo.if_open.empty());
    memo.gangs[memo_key_of({3})] = no;
    cache.forget_all();
    CHECK(memo.gangs.empty());
}

TEST_CASE("node quarantine: each reason ends half a minute after its last refusal") {
    gang::NodeQuarantine quarantine;
    CHECK(quarantine.refused("n1", false, 1'000) == 31'000);
    CHECK(quarantine.refused("n1", true, 2'000) == 32'000);
    CHECK(quarantine.refused("n2", true, 500) == 30'500);
    CHECK(quarantine.state("n1", 30'999).pods);
    CHECK_FALSE(quarantine.state("n1", 31'000).pods);
    CHECK(quarantine.state("n1", 31'999).host_ports);
    CHECK_FALSE(quarantine.state("n1", 32'000).host_ports);
    CHECK(quarantine.expire(30'499).empty());
    CHECK(quarantine.expire(30'500) == std::vector<std::string>{"n2"});
    CHECK(quarantine.size() == 1);
    CHECK(quarantine.expire(40'000) == std::vector<std::string>{"n1"});
    CHECK(quarantine.size() == 0);
}
