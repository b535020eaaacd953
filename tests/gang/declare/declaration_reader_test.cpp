#include "gang/declare/declaration_reader.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

using gang::DeclarationReader;

namespace {

config::Schema schema(config::Discovery discovery) {
    config::Schema made;
    made.gang.discovery = discovery;
    return made;
}

/// A driver that says itself how many executors it has.
core::Pod by_hand() {
    core::Pod pod = tests::pod("d1", 1000, 1024);
    pod.labels = {{"spark-role", "driver"}};
    pod.annotations = {{"gang-scheduler/executors", "3"}};
    return pod;
}

}  // namespace

TEST_CASE("declaration reader: ours is what names one of our scheduler names") {
    config::Schema named;
    named.profiles.emplace_back().scheduler_name = "gang-binpack";
    const DeclarationReader reader(named);
    core::Pod pod = tests::pod("p1", 1000, 1024);
    CHECK(reader.is_ours(pod));
    pod.scheduler_name = "gang-binpack";
    CHECK(reader.is_ours(pod));
    pod.scheduler_name = "default-scheduler";
    CHECK_FALSE(reader.is_ours(pod));
}

TEST_CASE("declaration reader: what the configuration leaves out declares nothing") {
    const core::Pod spark = tests::driver("d1");
    const auto starts = [](config::Discovery discovery, const core::Pod& pod) {
        const config::Schema made = schema(discovery);
        return DeclarationReader(made).is_driver(pod);
    };
    CHECK(starts(config::Discovery::automatic, spark));
    CHECK(starts(config::Discovery::spark_conf, spark));
    CHECK_FALSE(starts(config::Discovery::annotations, spark));
    CHECK_FALSE(starts(config::Discovery::none, spark));
    CHECK(starts(config::Discovery::automatic, by_hand()));
    CHECK(starts(config::Discovery::annotations, by_hand()));
    CHECK_FALSE(starts(config::Discovery::spark_conf, by_hand()));
    CHECK_FALSE(starts(config::Discovery::none, by_hand()));
}

TEST_CASE("declaration reader: a gang's size by its conf, and by what the driver says alone") {
    const config::Schema made;
    const DeclarationReader reader(made);
    const gang::spark::Conf conf = tests::conf(4);
    const gang::GangSize by_conf = reader.size_of(tests::driver("d1"), &conf);
    REQUIRE(by_conf.executors.size() == 1);
    CHECK(by_conf.executors.front().count == 4);
    CHECK(by_conf.problem.empty());
    const gang::GangSize by_itself = reader.size_of(by_hand(), nullptr);
    REQUIRE(by_itself.executors.size() == 1);
    CHECK(by_itself.executors.front().count == 3);
}

TEST_CASE("declaration reader: only a change of what is read makes another gang") {
    const config::Schema made;
    const DeclarationReader reader(made);
    const core::Pod before = by_hand();
    core::Pod now = before;
    now.phase = core::PodPhase::running;
    CHECK_FALSE(reader.says_other(before, now));
    now.annotations = {{"gang-scheduler/executors", "5"}};
    CHECK(reader.says_other(before, now));
}
