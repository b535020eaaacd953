// The parts of the queue, each alone: searches and what they cost, binds, and what is remembered of
// refusals.

#include "tests/gang/parts.hpp"

#include "gang/model/cluster/fit_cache.hpp"
#include "gang/queue/bind_sender.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/placer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

using gang::Application;
using tests::Known;

namespace {

/// A gang of one driver and so many executors of 1 cpu that waits, and its class.
gang::KeyedClass& add_waiting(Known& known, const std::string& name, int executors) {
    gang::PodEntry& entry = known.add(tests::driver(name));
    Application& app = known.model.gangs.ensure(entry, true);
    app.declared.conf_needed = false;
    const core::Pod like = tests::pod("like", 1000, 1408);
    known.model.shapes.set_driver(app, entry.pod);
    known.model.shapes.add(app, {0, executors, 0, {}, false}, like.requests, like.constraints);
    known.model.waiting.insert(app, false);
    gang::EquivalenceKey key;
    key.shapes = {*app.declared.driver_shape, app.declared.shapes.front().id};
    known.model.waiting.classify(app, key, executors);
    return *known.model.waiting.find_entry(app)->gang_class;
}

}  // namespace

TEST_CASE("placer: as many as there is room for, and each search costs work") {
    Known known;
    known.add_node("n1", 3);
    add_waiting(known, "d1", 1);
    Application& app = *known.model.gangs.find("d1");
    gang::Placer placer(known.model, known.step);
    known.step.work_left = 1'000'000;
    const auto found = placer.find_free_capacity(app, app.declared.shapes.front().id, 5);
    REQUIRE(found.size() == 1);
    CHECK(found.front().count == 3);
    CHECK(known.step.work_left < 1'000'000);
    CHECK(known.step.counters.placements == 2);
    CHECK(placer.fits(placer.request_of(app, core::View::free)));
}

TEST_CASE("class verdicts: the smallest that was refused answers for all larger ones") {
    Known known;
    known.add_node("n1", 4);
    gang::KeyedClass& gang_class = add_waiting(known, "d1", 4);
    add_waiting(known, "d2", 9);
    add_waiting(known, "d3", 2);
    gang::Placer placer(known.model, known.step);
    gang::ClassVerdicts verdicts(known.model, placer);
    const auto is_refused = [&](const std::string& name, std::int64_t size) {
        return verdicts.is_refused(
            *known.model.gangs.find(name), gang_class, size, core::View::free);
    };
    CHECK(is_refused("d1", 4));  // 5 cpu of 4
    const auto searches = known.step.counters.placements;
    CHECK(is_refused("d2", 9));
    CHECK(known.step.counters.placements == searches);
    CHECK_FALSE(is_refused("d3", 2));

    // A node that could take one of its pods ends the refusal.
    known.add_node("n2", 8);
    verdicts.keep_refusal(gang_class, core::View::free);
    CHECK_FALSE(is_refused("d1", 4));
}

TEST_CASE("class verdicts: a node with new room that no pod of the class can use ends nothing") {
    Known known;
    known.add_node("n1", 4);
    gang::KeyedClass& gang_class = add_waiting(known, "d1", 4);
    gang::Placer placer(known.model, known.step);
    gang::ClassVerdicts verdicts(known.model, placer);
    Application& app = *known.model.gangs.find("d1");
    CHECK(verdicts.is_refused(app, gang_class, 4, core::View::free));
    const auto searches = known.step.counters.placements;
    core::Node closed = tests::node("n2", 8, 65'536);
    closed.unschedulable = true;
    known.model.cluster_model.upsert_node(closed);
    verdicts.keep_refusal(gang_class, core::View::free);
    CHECK(verdicts.is_refused(app, gang_class, 4, core::View::free));
    CHECK(known.step.counters.placements == searches);
}

TEST_CASE("fit cache: another version of the view, or the end of a shape, forgets") {
    gang::FitCache cache;
    const core::ShapeId small{1};
    const core::ShapeId large{2};
    cache.memo_of(core::View::free, 7)
        .gangs.try_emplace(gang::MemoKey{{}, {{small, 1}, {large, 3}}});
    cache.memo_of(core::View::free, 7).gangs.try_emplace(gang::MemoKey{{}, {{small, 1}}});
    cache.forget(large);
    CHECK(cache.memo_of(core::View::free, 7).gangs.size() == 1);
    CHECK(cache.memo_of(core::View::free, 8).gangs.empty());
}

TEST_CASE("fit cache: who fitted may not fit when room was taken, who did not fit still does not") {
    gang::FitCache cache;
    gang::Memo& memo = cache.memo_of(core::View::free, 7);
    memo.gangs.try_emplace(gang::MemoKey{{}, {{core::ShapeId{1}, 1}}});
    memo.gangs.try_emplace(gang::MemoKey{{}, {{core::ShapeId{2}, 1}}}, core::Rejection{});
    memo.has_fits = true;
    cache.forget_fits();
    CHECK(memo.gangs.size() == 1);
    CHECK(memo.gangs.begin()->second.has_value());
}

TEST_CASE("bind sender: the pod counts as on its way, with the version that was decided on") {
    Known known;
    known.add_node("n1");
    core::Pod made = tests::pod("p1", 1000, 1024);
    made.resource_version = "41";
    gang::PodEntry& entry = known.add(made);
    gang::BindSender binder(known.model, known.step, known.reporter);
    known.step.work_left = 1'000'000;
    binder.send_bind(entry, "n1", {{"a", "b"}});
    CHECK(entry.bind_in_flight);
    CHECK(entry.node() == "n1");
    CHECK(entry.bound_version == "41");
    REQUIRE(known.step.decisions.size() == 1);
    const auto& bind = std::get<gang::BindPod>(known.step.decisions.front());
    CHECK(bind.node == "n1");
    CHECK(bind.resource_version == "41");
    CHECK(known.step.work_left < 1'000'000);
}
