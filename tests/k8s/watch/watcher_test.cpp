#include "k8s/watch/watcher.hpp"

#include "tests/k8s/watch/watch_rig.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

using namespace k8s;
namespace asio = boost::asio;
using namespace watching;

TEST_CASE("watcher: pages, then the watch from the list's version, then events") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) {
            const bool second = request.target.find("continue=t%2F1") != std::string::npos;
            return second ? peer.reply(200, list("50", {pod("b", "2", "9")}))
                          : peer.reply(200, list("50", {pod("a", "1", "7")}, "t/1"));
        }
        peer.begin_chunks();
        const std::string text = event("MODIFIED", pod("a", "1", "51")) +
                                 event("DELETED", pod("b", "2", "52")) +
                                 event("ADDED", pod("c", "3", "53"));
        for (char c : text) peer.chunk(std::string(1, c));  // events know nothing of chunks
        peer.hold();
    });
    rig.until_log(Log{"begin", "+1@7", "+2@9", "end", "+1@51", "-2", "+3@53"});
    const auto requests = rig.server.requests();
    REQUIRE(requests.size() == 3);
    CHECK(requests[0].target == "/api/v1/pods?limit=100");
    // Now it is known that they are small.
    CHECK(requests[1].target == "/api/v1/pods?limit=500&continue=t%2F1");
    CHECK(requests[2].target.find("resourceVersion=50&") != std::string::npos);
    CHECK(requests[2].target.find("allowWatchBookmarks=true") != std::string::npos);
    CHECK(requests[2].target.find("timeoutSeconds=") != std::string::npos);
    for (const fake::Request& request : requests) {
        CHECK(
            request.headers.at("accept") ==
            "application/json;drop=metadata.managedFields, application/json");
    }
    CHECK(rig.watcher->stats().synced);
}

TEST_CASE("watcher: the server makes the next page while this one is read") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) {
            peer.begin_chunks();
            return peer.hold();
        }
        const bool second = request.target.find("continue=t") != std::string::npos;
        peer.reply(
            200, second ? list("50", {pod("b", "2", "9")}) : list("50", {pod("a", "1", "7")}, "t"));
    });
    asio::io_context io;
    Seen seen;
    const auto is_asked_for = [&server] { return server.count("GET", "continue=t") == 1; };
    WatcherOptions options;
    options.sink = [&](WatchEvent event) {
        seen.take(event);
        const bool is_first_item = seen.log.size() == 2;
        asio::io_context other;  // the watcher's own loop stands still in here
        if (is_first_item) fake::run_until(other, is_asked_for);
    };
    Watcher watcher(io, server.endpoint(), options);
    watcher.start();
    fake::run_until(io, [&] { return seen.log.size() == 4; });
    CHECK(seen.log == Log{"begin", "+1@7", "+2@9", "end"});
    CHECK(is_asked_for());
    watcher.stop();
    fake::run_out(io);
}

TEST_CASE("watcher: 410 in the stream lists again and deletes what is gone, by synthesis") {
    std::atomic<int> lists = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) {
            if (++lists == 1) {
                return peer.reply(200, list("50", {pod("a", "1", "7"), pod("b", "2", "8")}));
            }
            return peer.reply(200, list("90", {pod("b", "2", "88")}));
        }
        peer.begin_chunks();
        if (lists == 1) {
            peer.chunk(event("ERROR", fake::status_body(410, "Expired", "too old")));
            return peer.end_chunks();
        }
        peer.hold();
    });
    rig.until_log(Log{"begin", "+1@7", "+2@8", "end", "begin", "+2@88", "-1", "end"});
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "resourceVersion=90") == 1; });
    CHECK(lists == 2);
}

TEST_CASE(
    "watcher: a watch that is cut in the middle of an event goes on from the last whole one") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        if (request.target.find("resourceVersion=50") != std::string::npos) {
            peer.chunk(event("ADDED", pod("a", "1", "51")));
            peer.chunk(event("ADDED", pod("b", "2", "52")).substr(0, 60));
            return peer.reset();
        }
        peer.chunk(event("ADDED", pod("b", "2", "52")));
        peer.hold();
    });
    rig.until_log(Log{"begin", "end", "+1@51", "+2@52"});
    CHECK(rig.server.count("GET", "resourceVersion=51") == 1);
    CHECK(rig.server.count("GET", "limit=100") == 1);
}

TEST_CASE("watcher: a bookmark moves the version and is no object") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        if (request.target.find("resourceVersion=50") == std::string::npos) return peer.hold();
        peer.chunk(event(
            "BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"77"}})"));
        peer.end_chunks();
    });
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "resourceVersion=77") == 1; });
    CHECK(rig.seen.log == Log{"begin", "end"});
}

TEST_CASE("watcher: an expired continue token restarts the list") {
    std::atomic<int> firsts = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return peer.begin_chunks(), peer.hold();
        const bool next = request.target.find("continue=") != std::string::npos;
        if (next && firsts == 1) {
            return peer.reply(410, fake::status_body(410, "Expired", "token"));
        }
        if (next) return peer.reply(200, list("60", {}));
        ++firsts;
        peer.reply(200, list("60", {pod("a", "1", "7")}, "t"));
    });
    rig.until_log(Log{"begin", "+1@7", "+1@7", "end"});
    CHECK(firsts == 2);
}

TEST_CASE("watcher: refused watches go on without a list, garbage lists again") {
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        switch (++watches) {
            case 1:
                return peer.reply(429, fake::status_body(429, "TooManyRequests", "busy"));
            case 2:
                return peer.reply(403, fake::status_body(403, "Forbidden", "no"));
            case 3:
                return peer.reset();
            case 4:
                peer.begin_chunks();
                peer.chunk("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\"}}\n");
                return peer.hold();
            default:
                peer.begin_chunks();
                return peer.hold();
        }
    });
    fake::run_until(rig.io, [&] { return watches == 5; });
    CHECK(rig.server.count("GET", "limit=100") == 2);
    CHECK(rig.seen.log == Log{"begin", "end", "begin", "end"});
}

TEST_CASE("watcher: a list of another kind, or forbidden, is never taken and asked again") {
    std::atomic<int> lists = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return peer.begin_chunks(), peer.hold();
        switch (++lists) {
            case 1:
                return peer.reply(403, fake::status_body(403, "Forbidden", "no"));
            case 2:
                return peer.reply(200, R"({"kind":"Table","metadata":{"resourceVersion":"1"}})");
            case 3:
                return peer.reply(200, "not JSON");
            default:
                return peer.reply(200, list("50", {pod("a", "1", "7")}));
        }
    });
    rig.until_log(Log{"begin", "+1@7", "end"});
    CHECK(rig.watcher->stats().failures == 3);
}

TEST_CASE("watcher: a watch that comes whole in one packet is read, not lost") {
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list(watches == 0 ? "50" : "60", {}));
        if (++watches == 1) return peer.reply(200, event("ADDED", pod("a", "1", "51")));
        if (watches == 2) {
            const auto expired = fake::status_body(410, "Expired", "too old");
            return peer.reply(200, event("ERROR", expired));
        }
        peer.hold();
    });
    rig.until_log(Log{"begin", "end", "+1@51", "begin", "-1", "end"});
}

TEST_CASE("watcher: stopped while paused, it asks for nothing any more") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) { peer.hold(); });
    boost::asio::io_context io;
    Watcher watcher(io, server.endpoint(), WatcherOptions());
    watcher.start();
    watcher.pause();
    io.run_for(std::chrono::milliseconds(20));
    watcher.stop();
    fake::run_out(io);
    CHECK(server.connections() == 0);
}

TEST_CASE("watcher: paused, it reads nothing; resumed, it goes on") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        peer.chunk(event("ADDED", pod("a", "1", "51")));
        peer.hold();
    });
    rig.watcher->pause();
    rig.io.run_for(std::chrono::milliseconds(50));
    CHECK(rig.seen.log.empty());
    rig.watcher->resume();
    rig.until_log(Log{"begin", "end", "+1@51"});
}

TEST_CASE("watcher: the annotation bytes of heavy pods are known, for the others a bound") {
    const std::string heavy =
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"1",)"
        R"("resourceVersion":"5","annotations":{"k":")" +
        std::string(100'000, 'x') + R"("}},"spec":{"containers":[{"name":"c"}]}})";
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return peer.begin_chunks(), peer.hold();
        peer.reply(200, list("50", {heavy, pod("b", "2", "7")}));
    });
    rig.until_log(Log{"begin", "+1@5", "+2@7", "end"});
    CHECK(rig.watcher->annotation_bytes("1") == 100'001);
    CHECK(rig.watcher->annotation_bytes("2") == Watcher::annotation_bytes_kept);
    CHECK(rig.watcher->annotation_bytes("unknown") == Watcher::annotation_bytes_kept);
}

TEST_CASE("watcher: after stop the sink is silent, also from inside the sink") {
    boost::asio::io_context io;
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return peer.begin_chunks(), peer.hold();
        peer.reply(200, list("50", {pod("a", "1", "7"), pod("b", "2", "7")}));
    });
    int calls = 0;
    std::unique_ptr<Watcher> watcher;
    WatcherOptions options;
    options.sink = [&](WatchEvent) {
        if (++calls == 2) watcher->stop();
    };
    watcher = std::make_unique<Watcher>(io, server.endpoint(), options);
    watcher->start();
    fake::run_out(io);
    CHECK(calls == 2);
}
