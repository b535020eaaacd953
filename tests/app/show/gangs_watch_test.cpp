#include "gang/app/show/gangs_watch.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang;
using app::GangList;
using app::GangsWatch;
using tests::contains;

namespace {

GangView gang_named(const std::string& name) {
    GangView out;
    out.namespace_name = "etl";
    out.driver = name;
    out.driver_uid = "uid-" + name;
    out.application = name;
    out.waiting_since_ms = 1'000;
    return out;
}

}  // namespace

TEST_CASE("gangs --watch: all at first, then what has changed") {
    GangsWatch watch(false, false);
    GangList list{"daemon", "s", {gang_named("first-with-a-long-name"), gang_named("second")}};
    const std::string all = watch.update(list, 61'000);
    CHECK(contains(all, "NAMESPACE"));
    CHECK(contains(all, "second"));
    CHECK(watch.update(list, 200'000).empty());  // only older

    list.gangs[1].state = GangState::running;
    const std::string changed = watch.update(list, 200'000);
    CHECK_FALSE(contains(changed, "NAMESPACE"));
    CHECK_FALSE(contains(changed, "first"));
    CHECK(changed.find("Running") == all.find("Waiting", all.find("second")) - all.rfind("etl"));

    list.gangs.erase(list.gangs.begin());
    const std::string gone = watch.update(list, 200'000);
    CHECK(contains(gone, "first-with-a-long-name"));
    CHECK(contains(gone, "Ended"));
    CHECK(watch.update(list, 200'000).empty());

    list.gangs.push_back(gang_named("third"));
    CHECK(contains(watch.update(list, 200'000), "third"));
}

TEST_CASE("gangs --watch -o name: names alone; nothing yet is nothing") {
    GangsWatch watch(false, true);
    CHECK(watch.update(GangList{"daemon", "s", {}}, 1).empty());
    CHECK(watch.update(GangList{"daemon", "s", {gang_named("a")}}, 1) == "pod/a\n");
}
