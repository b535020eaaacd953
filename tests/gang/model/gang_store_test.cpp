#include "gang/model/gang_store.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

using gang::Application;
using tests::Known;

TEST_CASE("gang store: what is erased holds nothing any more") {
    Known known;
    known.add_node("n1", 8);
    const std::size_t shapes = known.model.cluster.shapes().references();
    Application& app = known.add_gang("d1", "n1", 3);
    CHECK(known.model.gangs.find("d1") == &app);
    CHECK(known.model.cluster.shapes().references() > shapes);
    known.model.gangs.erase("d1");
    known.model.gangs.erase("d1");  // twice changes nothing
    CHECK(known.model.gangs.find("d1") == nullptr);
    CHECK(known.model.gangs.size() == 0);
    CHECK(known.model.cluster.shapes().references() == shapes);
    CHECK(known.model.ledger.counts().unfilled().empty());
}

TEST_CASE("gang store: an ended gang is known as long as executors of it are") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 3);
    gang::PodEntry& executor = known.add_executor("e1", app, "n1");
    executor.owner = known.model.texts.keep("d1");
    known.model.pods.erase(known.model.pods.id_of("d1"));
    known.model.gangs.forget_if_unused("d1");
    CHECK(known.model.gangs.find("d1") != nullptr);
    known.model.gangs.leave_owner(executor);
    CHECK(known.model.gangs.find("d1") == nullptr);
}

TEST_CASE("gang store: the owner of an executor is a driver of its own namespace") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 3);
    gang::PodEntry& executor = known.add_executor("e1", app, "n1");
    CHECK(known.model.gangs.find_owner(executor) == &app);
    executor.pod.namespace_name = "somewhere-else";
    CHECK(known.model.gangs.find_owner(executor) == nullptr);
}

TEST_CASE("gang store: the same shape again changes nothing, another one is in the line") {
    Known known;
    known.add_node("n1", 8);
    gang::PodEntry& entry = known.add(tests::driver("d1"));
    Application& app = known.model.gangs.ensure(entry, true);
    CHECK(&known.model.gangs.ensure(entry, true) == &app);
    known.model.shapes.set_driver(app, entry.pod);
    known.model.worklist.queue_changed = false;
    known.model.shapes.set_driver(app, entry.pod);
    CHECK_FALSE(known.model.worklist.queue_changed);
    entry.pod.requests.cpu_milli += 500;
    known.model.shapes.set_driver(app, entry.pod);
    CHECK(known.model.worklist.queue_changed);
    CHECK(known.model.cluster.resources(*app.declared.driver_shape) == entry.pod.requests);
    CHECK(known.model.cluster.shapes().references() == 1);
}
