// The table of gangs on terminals.
#include "gang/app/show/report.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang;
using namespace gang::app;

using tests::contains;

namespace {

GangView gang_in(const std::string& space, const std::string& name, GangState state) {
    GangView out;
    out.namespace_name = space;
    out.driver = name;
    out.driver_uid = "uid-" + name;
    out.application = "spark-0123456789abcdef0123456789abcdef";
    out.state = state;
    return out;
}

}  // namespace

TEST_CASE("gangs: D37: a narrow terminal goes without ids, then without the only namespace") {
    GangList list{
        "daemon",
        "s",
        {gang_in("etl", "a", GangState::running), gang_in("etl", "b", GangState::waiting)}};
    const std::string whole = gangs_table(list, 0);
    CHECK(contains(whole, "APPLICATION"));
    CHECK(gangs_table(list, 0, false, {500, false}) == whole);
    const auto width = whole.find('\n');
    const std::string without_ids = gangs_table(list, 0, false, {width - 1, false});
    CHECK_FALSE(contains(without_ids, "APPLICATION"));
    CHECK_FALSE(contains(without_ids, "spark-0123"));
    CHECK(contains(without_ids, "NAMESPACE"));
    CHECK_FALSE(contains(gangs_table(list, 0, false, {20, false}), "NAMESPACE"));
    list.gangs[1].namespace_name = "ml";
    CHECK(contains(gangs_table(list, 0, false, {20, false}), "NAMESPACE"));
    CHECK(contains(gangs_table(list, 0, true, {20, false}), "APPLICATION"));  // wide is wide
}

TEST_CASE("gangs: states have colours, and names bring none") {
    const GangList list{
        "daemon",
        "s",
        {gang_in("etl", "a", GangState::running),
         gang_in("etl", "\x1b[31mred", GangState::parked)}};
    const std::string table = gangs_table(list, 0, false, {0, true});
    CHECK(contains(table, "\x1b[32mRunning\x1b[0m"));
    CHECK(contains(table, "\x1b[31mParked\x1b[0m"));
    CHECK_FALSE(contains(table, "\x1b[31mred"));
    CHECK_FALSE(contains(gangs_table(list, 0), "\x1b"));
}
