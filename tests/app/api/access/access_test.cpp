// Whose names a caller is shown.
#include "gang/app/api/access/callers.hpp"
#include "gang/app/api/access/mask.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace gang::app;

using tests::contains;

namespace {

const Sight own = {false, {"etl"}};
const Sight nobody = {false, {}};

gang::GangView gang_of(const std::string& space, const std::string& driver) {
    gang::GangView view;
    view.namespace_name = space;
    view.driver = driver;
    view.driver_uid = "uid-" + driver;
    view.application = "spark-" + driver;
    view.queue = "root." + space;
    view.code = gang::ReasonCode::waiting_for_capacity;
    view.position = 3;
    view.needs.cpu_milli = 9'000;
    view.message = "0/3 nodes can take gang spark-x now. Behind adhoc/secret, 5 Insufficient nvidia.com/gpu";
    return view;
}

Snapshot picture() {
    Snapshot snapshot;
    snapshot.id = "abc";
    snapshot.gangs = {gang_of("etl", "mine"), gang_of("adhoc", "secret")};
    gang::NodeLedger node;
    node.name = "n1";
    node.units = {{gang::HeldUnit::State::open, "adhoc/secret", "uid-secret", 1, {}, 0}};
    node.bound_by = {{"adhoc/secret", 1, {}}, {"etl/mine", 2, {}}, {"old/gone", 1, {}}};
    snapshot.nodes = {node};
    snapshot.queues = {gang::QueueView()};
    return snapshot;
}

}  // namespace

TEST_CASE("mask: names of others in texts, and nothing else") {
    const auto seen = [](const std::string& text) { return masked_text(text, own); };
    CHECK(seen("Behind adhoc/secret.") == "Behind a pod of another namespace");
    CHECK(seen("Behind etl/mine, 0/5 nodes") == "Behind etl/mine, 0/5 nodes");
    CHECK(seen("4 Insufficient nvidia.com/gpu") == "4 Insufficient nvidia.com/gpu");
    CHECK(seen("(adhoc/a adhoc/b)") == "(a pod of another namespace a pod of another namespace)");
    CHECK(seen("delete pod -n adhoc secret") == "delete pod -n (another) (a pod)");
    CHECK(seen("delete pod -n etl mine; delete pod -n adhoc s") ==
          "delete pod -n etl mine; delete pod -n (another) (a pod)");
    CHECK(seen("a / b /c d/ //") == "a / b /c d/ //");
    CHECK(seen("etlx/a x.etl/a") == "a pod of another namespace x.etl/a");
    CHECK(seen("GET /api/v1/namespaces/adhoc/pods: no") == "GET /a pod of another namespace: no");
    CHECK(seen("etl/mine/secret") == "a pod of another namespace");
    CHECK(seen("0/a") == "a pod of another namespace");
    CHECK(masked_text("adhoc/a", Sight()) == "adhoc/a");
}

TEST_CASE("mask: a picture keeps sizes and places, and loses names") {
    const Snapshot shown = masked(picture(), own);
    CHECK(shown.gangs[0].driver == "mine");
    CHECK(shown.gangs[0].application == "spark-mine");
    CHECK_FALSE(contains(shown.gangs[0].message, "secret"));
    CHECK(contains(shown.gangs[0].message, "nvidia.com/gpu"));
    const gang::GangView& other = shown.gangs[1];
    CHECK(other.namespace_name == hidden_namespace);
    CHECK(other.position == 3);
    CHECK(other.needs.cpu_milli == 9'000);
    for (const std::string* text :
         {&other.driver, &other.application, &other.driver_uid, &other.queue, &other.message}) {
        CHECK_FALSE(contains(*text, "secret"));
        CHECK_FALSE(contains(*text, "adhoc"));
    }
    // One name for one gang, wherever it stands.
    const std::string name = other.namespace_name + "/" + other.driver;
    CHECK(shown.nodes[0].units[0].gang == name);
    CHECK(shown.nodes[0].units[0].driver_uid.empty());
    std::vector<std::string> bound;
    for (const gang::BoundShare& share : shown.nodes[0].bound_by) {
        bound.push_back(share.gang);
    }
    CHECK(std::find(bound.begin(), bound.end(), name) != bound.end());
    CHECK(std::find(bound.begin(), bound.end(), "etl/mine") != bound.end());
    CHECK(std::find(bound.begin(), bound.end(), "old/gone") == bound.end());
    CHECK(shown.nodes[0].name == "n1");
    CHECK(shown.queues.empty());
    CHECK(shown.id != "abc");
    CHECK(shown.id != masked(picture(), nobody).id);
    CHECK(masked(picture(), Sight()).gangs[1].driver == "secret");
}

TEST_CASE("mask: an explanation of one's own gang") {
    gang::Explanation explanation;
    explanation.gang = gang_of("etl", "mine");
    explanation.notes = {"room is held by running gangs: adhoc/secret (13 cpu)"};
    const gang::Explanation shown = masked(explanation, own);
    CHECK(shown.gang.driver == "mine");
    CHECK(shown.notes[0] == "room is held by running gangs: a pod of another namespace (13 cpu)");
    CHECK_FALSE(contains(shown.gang.message, "secret"));
}

TEST_CASE("callers: a token is asked about once a minute, and again for namespaces that are new") {
    std::vector<std::string> asked;
    core::Result<Sight> answer = own;
    Callers callers(
        "key",
        [&](const std::string& token, const std::vector<std::string>& namespaces, const Callers::Seen& seen) {
            asked.push_back(token + ":" + std::to_string(namespaces.size()));
            seen(answer);
        });
    Sight seen;
    std::string wrong;
    const auto ask = [&](const std::string& token, std::vector<std::string> namespaces, std::int64_t now) {
        callers.find(token, namespaces, now, [&](const core::Result<Sight>& sight) {
            seen = sight ? *sight : Sight{};
            wrong = sight ? "" : sight.error().message;
        });
    };
    ask("", {"etl"}, 1'000);
    CHECK(asked.empty());
    CHECK(seen == nobody);
    ask("t1", {"etl", "adhoc"}, 1'000);
    CHECK(seen == own);
    ask("t1", {"adhoc"}, 60'000);
    CHECK(asked == std::vector<std::string>{"t1:2"});
    ask("t1", {"new", "adhoc"}, 60'000);
    ask("t1", {"new"}, 120'000);
    CHECK(asked == std::vector<std::string>{"t1:2", "t1:2", "t1:1"});
    // A token that is refused is asked about each time.
    answer = core::Error{std::string(token_is_nobodys)};
    ask("t2", {}, 120'000);
    ask("t2", {}, 120'000);
    CHECK(asked.size() == 5);
    CHECK(wrong == token_is_nobodys);
    answer = own;
    for (int i = 0; i < 1'000; ++i) {
        ask("many" + std::to_string(i), {}, 120'000);
    }
    CHECK(callers.size() <= Callers::kept_max + 1);
}
