#include "gang/app/serve/served_http.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang::app;

namespace {

Health healthy() {
    Health health;
    health.pods_synced = true;
    health.nodes_synced = true;
    health.leads = true;
    return health;
}

HttpReply ask(const std::string& target, const Health& health = healthy()) {
    const ServedSource source{[&health] { return health; }, [] { return std::string("metrics"); }};
    return served_reply(HttpAsk{target, "h"}, source);
}

/// Whether exactly this check of readiness fails.
bool only_fails(const Health& health, const std::string& name) {
    const std::string text = ask("/readyz", health).body;
    const auto at = text.find("[-]");
    return at != std::string::npos && text.substr(at + 3).starts_with(name + " failed: ") &&
           text.find("[-]", at + 1) == std::string::npos;
}

}  // namespace

TEST_CASE("served: health is one word, or one line per check") {
    CHECK(ask("/livez") == HttpReply{200, "ok"});
    CHECK(ask("/readyz") == HttpReply{200, "ok"});
    CHECK(ask("/healthz") == HttpReply{200, "ok"});
    CHECK(
        ask("/livez?verbose").body == "[+]ping ok\n[+]loop ok\n[+]lease ok\nlivez check passed\n");
    CHECK(ask("/readyz?a=b&verbose=1").body.ends_with("readyz check passed\n"));
    CHECK(ask("/readyz?verboser").body == "ok");
}

TEST_CASE("served: a standby that knows its leader is ready") {
    Health health = healthy();
    health.leads = false;
    CHECK(ask("/readyz", health).status == 503);
    CHECK(only_fails(health, "leader-election"));
    health.leader_known = true;
    CHECK(ask("/readyz", health).status == 200);
}

TEST_CASE("served: not listed, cut off for too long, or ending: not ready, but alive") {
    Health health = healthy();
    health.pods_synced = false;
    CHECK(only_fails(health, "pods-synced"));
    health = healthy();
    health.nodes_synced = false;
    CHECK(only_fails(health, "nodes-synced"));
    health = healthy();
    health.pods_interrupted_ms = interrupted_ms_max;
    health.nodes_interrupted_ms = interrupted_ms_max;
    CHECK(ask("/readyz", health).status == 200);
    ++health.pods_interrupted_ms;
    CHECK(only_fails(health, "pods-watch"));
    health = healthy();
    health.nodes_interrupted_ms = interrupted_ms_max + 1;
    CHECK(only_fails(health, "nodes-watch"));
    health = healthy();
    health.stopping = true;
    CHECK(only_fails(health, "shutdown"));
    CHECK(ask("/readyz", health).status == 503);
    CHECK(ask("/livez", health).status == 200);
}

TEST_CASE("served: events that nobody works on, and an end that does not come, are no life") {
    Health health = healthy();
    health.overdue_ms = turn_ms_max;
    CHECK(ask("/livez", health).status == 200);
    ++health.overdue_ms;
    CHECK(ask("/livez", health).status == 503);
    CHECK(ask("/livez", health).body.find("[-]loop failed") != std::string::npos);
    health = healthy();
    health.lease_lost = true;
    CHECK(ask("/livez", health).status == 503);
    CHECK(only_fails(health, "shutdown"));
}

TEST_CASE("served: what does not exist is not repeated") {
    CHECK(ask("/metrics").body == "metrics");
    const HttpReply reply = ask("/<script>?<b>");
    CHECK(reply.status == 404);
    CHECK(reply.body.find('<') == std::string::npos);
}
