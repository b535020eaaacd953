#include "k8s/watch/watch_health.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s;

namespace {

protocol::Trouble trouble_with(int status) {
    protocol::Trouble trouble;
    trouble.status = status;
    trouble.message = "no";
    return trouble;
}

}  // namespace

TEST_CASE("watch health: a refusal is a denial until a page comes or a watch opens") {
    const WatcherOptions options;
    WatchHealth health(options);
    health.refused("list", trouble_with(500));
    CHECK_FALSE(health.is_denied());
    for (const int status : {401, 403, 404}) {
        health.refused("list", trouble_with(status));
        CHECK(health.is_denied());
        health.page_came();
        CHECK_FALSE(health.is_denied());
    }
    health.refused("watch", trouble_with(403));
    health.watch_opened(7);
    CHECK_FALSE(health.is_denied());
}

TEST_CASE("watch health: problems are told with the kind and forgotten when all is well") {
    std::vector<std::string> told;
    WatcherOptions options;
    options.kind = WatchKind::nodes;
    options.notice = [&told](NoticeLevel, const std::string& text) { told.push_back(text); };
    WatchHealth health(options);
    health.refused("watch", trouble_with(503));
    CHECK(health.stats().failures == 1);
    CHECK(health.stats().last_problem == "watch: no (503)");
    health.list_complete(3, 1'000);
    CHECK(health.stats().last_problem.empty());
    CHECK(health.stats().heard_ms == 1'000);
    CHECK(
        told == std::vector<std::string>{
                    "watch=nodes problem=\"watch: no (503)\"", "watch=nodes listed=3"});
}

TEST_CASE("watch health: a watch that is open is not interrupted") {
    const WatcherOptions options;
    WatchHealth health(options);
    health.watch_ended(5);
    CHECK(health.stats().interrupted_ms == 5);
    health.watch_opened(9);
    CHECK(health.stats().interrupted_ms == 0);
    CHECK(health.stats().watches == 1);
    CHECK(health.stats().heard_ms == 9);
}
