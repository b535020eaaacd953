// Rules A1 to A20 over real sockets; what needs hours of virtual time is in
// protocol/reflector_test.cpp, A4 also in protocol/version_test.cpp, A18 in core/cluster_test.cpp.
#include "k8s/watch/watcher.hpp"
#include "tests/k8s/watch/watch_rig.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace k8s;
using namespace watching;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool is_list(const fake::Request& request) {
    return request.method == "GET" && !is_watch(request);
}

std::vector<std::string> targets_of(const fake::Server& server, bool watches) {
    std::vector<std::string> found;
    for (const auto& request : server.requests()) {
        if (is_watch(request) == watches) found.push_back(request.target);
    }
    return found;
}

void open_watch(fake::Peer& peer) {
    peer.begin_chunks();
    peer.hold();
}

const std::string gone = fake::status_body(410, "Expired", "too old resource version");

}  // namespace

TEST_CASE("A1: a restarted client that reaches a replica far behind starts from the newest state") {
    // The replica answers from its own old memory whatever names a version; without one it must ask
    // the quorum, as a real API server does.
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return open_watch(peer);
        const bool from_memory = has(request.target, "resourceVersion");
        peer.reply(
            200,
            from_memory ? list("500", {pod("a", "1", "400"), pod("gone", "9", "300")})
                        : list("1000", {pod("a", "1", "990")}));
    });
    rig.until_log(Log{"begin", "+1@990", "end"});
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "watch=true") == 1; });
    CHECK(has(targets_of(rig.server, true).front(), "resourceVersion=1000&"));
}

TEST_CASE("A2: a relist that answers an older state is asked again, the view does not go back") {
    std::atomic<int> lists = 0;
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) {
            peer.begin_chunks();
            if (++watches > 1) return peer.hold();
            peer.chunk(event("MODIFIED", pod("a", "1", "90")) + event("ERROR", gone));
            return peer.end_chunks();
        }
        switch (++lists) {
            case 1:
                return peer.reply(200, list("50", {pod("a", "1", "7")}));
            case 2:
            case 3:
                return peer.reply(200, list("60", {pod("a", "1", "7"), pod("old", "2", "8")}));
            default:
                return peer.reply(200, list("95", {pod("a", "1", "90")}));
        }
    });
    rig.until_log(Log{"begin", "+1@7", "end", "+1@90", "begin", "+1@90", "end"});
    CHECK(lists == 4);
}

TEST_CASE("A3: the watch starts at the version of the list, whatever its items' versions are") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return open_watch(peer);
        const bool second = has(request.target, "continue=");
        peer.reply(
            200,
            second ? list("50", {pod("c", "3", "12")})
                   : list("50", {pod("a", "1", "49"), pod("b", "2", "7")}, "t"));
    });
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "watch=true") == 1; });
    CHECK(has(targets_of(rig.server, true).front(), "resourceVersion=50&"));
}

TEST_CASE("A4: a version that is no number is carried as it came, and its stream's order counts") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("v1/é&x=1", {pod("a", "1", "zz")}));
        peer.begin_chunks();
        if (has(request.target, "resourceVersion=v1%2F%C3%A9%26x%3D1&")) {
            peer.chunk(event("MODIFIED", pod("a", "1", "aa")));
            return peer.end_chunks();
        }
        if (has(request.target, "resourceVersion=aa&")) {
            peer.chunk(event("MODIFIED", pod("a", "1", "123456789012345678901234567890")));
            return peer.end_chunks();
        }
        peer.hold();
    });
    rig.until_log(Log{"begin", "+1@zz", "end", "+1@aa", "+1@123456789012345678901234567890"});
    fake::run_until(rig.io, [&] {
        return rig.server.count("GET", "resourceVersion=123456789012345678901234567890&") == 1;
    });
}

TEST_CASE("A5: no list names a version or how to match one, first, next, restarted or repeated") {
    std::atomic<int> requests = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        switch (++requests) {
            case 1:
                return peer.reply(200, list("50", {}, "t1"));
            case 2:
                return peer.reply(410, gone);
            case 3:
                return peer.reply(200, list("60", {}, "t2"));
            case 4:
                return peer.reply(200, list("60", {}));
            case 5:
                return peer.reply(410, gone);
            case 6:
                return peer.reply(200, list("70", {}));
            default:
                CHECK(is_watch(request));
                open_watch(peer);
        }
    });
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "resourceVersion=70&") == 1; });
    const auto lists = targets_of(rig.server, false);
    REQUIRE(lists.size() == 5);
    for (const std::string& target : lists) {
        CAPTURE(target);
        CHECK_FALSE(has(target, "resourceVersion"));
        CHECK(has(target, "limit="));
    }
    for (const std::string& target : targets_of(rig.server, true)) {
        CHECK_FALSE(has(target, "resourceVersionMatch"));
    }
}

TEST_CASE("A6: 410 as an answer to a watch is a new list at the empty version, body or not") {
    std::string body;
    SUBCASE("a Status") {
        body = gone;
    }
    SUBCASE("no body") {}
    SUBCASE("another body") {
        body = "Gone\n";
    }
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list(watches == 0 ? "50" : "60", {}));
        if (++watches == 1) return peer.reply(410, body);
        open_watch(peer);
    });
    fake::run_until(rig.io, [&] { return watches == 2; });
    CHECK(targets_of(rig.server, false) == std::vector<std::string>(2, "/api/v1/pods?limit=100"));
    CHECK(has(targets_of(rig.server, true).back(), "resourceVersion=60&"));
}

TEST_CASE("A6: 410 as an answer to a list is the same list again, from its beginning") {
    std::string body;
    SUBCASE("a Status") {
        body = gone;
    }
    SUBCASE("no body") {}
    std::atomic<int> lists = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return open_watch(peer);
        if (++lists == 1) return peer.reply(410, body);
        peer.reply(200, list("50", {pod("a", "1", "7")}));
    });
    rig.until_log(Log{"begin", "+1@7", "end"});
    CHECK(targets_of(rig.server, false) == std::vector<std::string>(2, "/api/v1/pods?limit=100"));
}

TEST_CASE("A7: an ERROR in the stream is a Status, never an object, and each code has its answer") {
    struct Case {
        int code;
        std::string reason;
        int lists;    ///< until the third watch is open
        int watches;  ///< that ended in the error, before a list came
    };
    for (const Case& one :
         {Case{410, "Expired", 2, 1},
          Case{429, "TooManyRequests", 1, 2},
          Case{500, "InternalError", 2, 3},
          Case{400, "BadRequest", 2, 1},
          Case{422, "Invalid", 2, 1}}) {
        CAPTURE(one.code);
        std::atomic<int> errors = 0;
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (!is_watch(request)) return peer.reply(200, list(errors == 0 ? "50" : "60", {}));
            peer.begin_chunks();
            if (errors == one.watches) return peer.hold();
            ++errors;
            peer.chunk(event("ERROR", fake::status_body(one.code, one.reason, "why")));
            peer.end_chunks();
        });
        const auto opened = static_cast<std::size_t>(one.watches) + 1;
        fake::run_until(rig.io, [&] { return rig.server.count("GET", "watch=true") == opened; });
        CHECK(rig.server.count("GET", "limit=") == static_cast<std::size_t>(one.lists));
        CHECK(rig.seen.pods.empty());
        CHECK(rig.watcher->stats().events == 0);
        CHECK(rig.watcher->stats().failures == static_cast<std::uint64_t>(one.watches));
    }
}

TEST_CASE("A8: a version too large for the server is a list at the empty version, not a loop") {
    std::string body;
    SUBCASE("said by the cause") {
        body = R"({"kind":"Status","code":504,"reason":"Timeout","message":"not yet","details":)"
               R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]}})";
    }
    SUBCASE("said in words only, by an old server") {
        body = fake::status_body(504, "Timeout", "Too large resource version: 50, current: 40");
    }
    std::atomic<int> errors = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        if (errors++ < 3) return peer.reply(504, body);
        open_watch(peer);
    });
    fake::run_until(rig.io, [&] { return errors == 4; });
    CHECK(targets_of(rig.server, false) == std::vector<std::string>(4, "/api/v1/pods?limit=100"));
}

TEST_CASE("A8: the same in the stream") {
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        if (++watches > 1) return peer.hold();
        peer.chunk(event(
            "ERROR",
            R"({"kind":"Status","code":504,"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})"));
        peer.end_chunks();
    });
    fake::run_until(rig.io, [&] { return watches == 2; });
    CHECK(rig.server.count("GET", "limit=") == 2);
}

TEST_CASE("A9: a bookmark moves the version and is no object") {
    std::string metadata;
    SUBCASE("as the API server sends it") {
        metadata = R"({"resourceVersion":"77","creationTimestamp":null})";
    }
    SUBCASE("with empty names") {
        metadata = R"({"resourceVersion":"77","name":"","namespace":"","uid":""})";
    }
    SUBCASE("with the mark of a streamed list, which this one is not") {
        metadata = R"({"resourceVersion":"77","annotations":{"k8s.io/initial-events-end":"true"}})";
    }
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_list(request)) return peer.reply(200, list("50", {pod("a", "1", "7")}));
        peer.begin_chunks();
        if (!has(request.target, "resourceVersion=50&")) return peer.hold();
        peer.chunk(
            event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":)" + metadata + "}"));
        peer.end_chunks();
    });
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "resourceVersion=77&") == 1; });
    CHECK(rig.seen.log == Log{"begin", "+1@7", "end"});
    CHECK(rig.server.count("GET", "limit=") == 1);
    CHECK(rig.server.count("GET", "allowWatchBookmarks=true") == 2);
}

TEST_CASE("A12: a watch asks the server to end it, and goes on at once where it ended") {
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_list(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        if (++watches == 4) return peer.hold();
        peer.chunk(event("ADDED", pod("p", "1", std::to_string(50 + watches))));
        peer.end_chunks();
    });
    fake::run_until(rig.io, [&] { return watches == 4; });
    CHECK(rig.server.count("GET", "limit=") == 1);
    CHECK(rig.watcher->stats().failures == 0);
    for (const std::string& target : targets_of(rig.server, true)) {
        const auto at = target.find("timeoutSeconds=");
        REQUIRE(at != std::string::npos);
        const int seconds = std::stoi(target.substr(at + 15));
        CHECK(seconds >= 300);
        CHECK(seconds < 600);
    }
}

TEST_CASE("A13: a token that expires on any page restarts the list, and nothing of it is lost") {
    constexpr int pages = 5;
    for (int expires = 2; expires <= pages; ++expires) {
        CAPTURE(expires);
        std::atomic<bool> armed = true;
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (is_watch(request)) return open_watch(peer);
            const auto at = request.target.find("continue=opaque%2F");
            const int page =
                at == std::string::npos ? 1 : std::stoi(request.target.substr(at + 18));
            if (page == expires && armed.exchange(false)) {
                // The server offers to go on inconsistently. We must not.
                return peer.reply(
                    410,
                    R"({"kind":"Status","code":410,"reason":"Expired","message":"token",)"
                    R"("metadata":{"continue":"inconsistent"}})");
            }
            const std::string version = armed ? "50" : "60";
            const std::string name = "p" + std::to_string(page);
            const bool empty = page == 3;  // a page may be empty and still have a token
            peer.reply(
                200,
                list(
                    page == 1 ? version : "999",  // the list's version is the first page's
                    empty ? std::vector<std::string>{} : std::vector{pod(name, name, "7")},
                    page == pages ? "" : "opaque/" + std::to_string(page + 1)));
        });
        fake::run_until(rig.io, [&] { return rig.server.count("GET", "watch=true") == 1; });
        CHECK(has(targets_of(rig.server, true).front(), "resourceVersion=60&"));
        CHECK(rig.seen.pods.size() == pages - 1);
        CHECK(rig.server.count("GET", "inconsistent") == 0);
        CHECK(
            rig.server.count("GET", "limit=") ==
            static_cast<std::size_t>(expires - 1 + 1 + pages));
    }
}

TEST_CASE("A14: what was deleted while we were away is deleted once, by its uid alone") {
    std::atomic<int> lists = 0;
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_list(request)) {
            const bool before = ++lists == 1;
            return peer.reply(
                200,
                before ? list("50", {pod("a", "1", "7"), pod("b", "2", "8")})
                       : list(lists == 2 ? "60" : "70", {pod("a", "1", "7")}));
        }
        peer.begin_chunks();
        if (++watches == 3) return peer.hold();
        peer.chunk(event("ERROR", gone));
        peer.end_chunks();
    });
    fake::run_until(rig.io, [&] { return watches == 3; });
    // PodDeleted has no field but the uid: there is no last state that could be believed.
    CHECK(
        rig.seen.log ==
        Log{"begin", "+1@7", "+2@8", "end", "begin", "+1@7", "-2", "end", "begin", "+1@7", "end"});
}

TEST_CASE("A15: the same name with another uid is a deletion and an addition") {
    SUBCASE("seen as MODIFIED, or as ADDED, or whole") {
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (is_list(request)) return peer.reply(200, list("50", {pod("a", "1", "7")}));
            peer.begin_chunks();
            peer.chunk(event("MODIFIED", pod("a", "2", "51")));
            peer.chunk(event("DELETED", pod("a", "1", "49")));  // late, of the one before
            peer.chunk(event("ADDED", pod("a", "3", "52")));
            peer.chunk(event("DELETED", pod("a", "3", "53")) + event("ADDED", pod("a", "4", "54")));
            peer.hold();
        });
        rig.until_log(Log{"begin", "+1@7", "end", "-1", "+2@51", "-2", "+3@52", "-3", "+4@54"});
    }
    SUBCASE("inside one gap between two lists") {
        std::atomic<int> lists = 0;
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (is_list(request)) {
                const bool before = ++lists == 1;
                return peer.reply(
                    200,
                    before ? list("50", {pod("a", "1", "7")}) : list("60", {pod("a", "2", "58")}));
            }
            if (lists == 1) return peer.reply(410, gone);
            open_watch(peer);
        });
        rig.until_log(Log{"begin", "+1@7", "end", "begin", "-1", "+2@58", "end"});
    }
}

TEST_CASE(
    "A17: all pods are watched, without a selector, and foreign ones come with what they take") {
    boost::asio::io_context io;
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (is_watch(request)) return open_watch(peer);
        peer.reply(
            200,
            list(
                "50",
                {R"({"metadata":{"name":"f","namespace":"theirs","uid":"7","resourceVersion":"5"},)"
                 R"("spec":{"schedulerName":"default-scheduler","nodeName":"n1","containers":)"
                 R"([{"name":"c","resources":{"requests":{"cpu":"3"}}}]}})"}));
    });
    std::optional<core::Pod> other_pod;
    WatcherOptions options;
    options.sink = [&](WatchEvent event) {
        if (auto* upserted = std::get_if<PodUpserted>(&event)) other_pod = std::move(upserted->pod);
    };
    Watcher watcher(io, server.endpoint(), options);
    watcher.start();
    fake::run_until(io, [&] { return server.count("GET", "watch=true") == 1; });
    watcher.stop();
    fake::run_out(io);
    REQUIRE(other_pod);
    CHECK(other_pod->node_name == "n1");
    CHECK(other_pod->requests.cpu_milli == 3'000);
    for (const auto& request : server.requests()) {
        CHECK_FALSE(has(request.target, "elector="));  // fieldSelector, labelSelector
        CHECK(request.target.rfind("/api/v1/pods?", 0) == 0);
    }
}

TEST_CASE("A19: a denied or missing kind is a state with a reason, and ends by itself") {
    int status = 0;
    SUBCASE("the right is taken away") {
        status = 403;
    }
    SUBCASE("the API is taken away") {
        status = 404;
    }
    SUBCASE("who we are is taken away") {
        status = 401;
    }
    std::atomic<bool> denied = false;
    std::atomic<bool> cut = false;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (denied) return peer.reply(status, fake::status_body(status, "No", "you may not"));
        if (is_list(request)) return peer.reply(200, list("50", {pod("a", "1", "7")}));
        peer.begin_chunks();
        if (cut) return peer.hold();
        while (!denied) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        peer.end_chunks();
    });
    const auto stats = [&] { return rig.watcher->stats(); };
    fake::run_until(rig.io, [&] { return stats().watches == 1; });
    CHECK(stats().synced);
    denied = true;
    fake::run_until(rig.io, [&] { return stats().failures >= 3; });
    CHECK_FALSE(stats().synced);
    CHECK(has(stats().last_problem, "you may not (" + std::to_string(status) + ")"));
    CHECK(rig.seen.pods.size() == 1);  // nothing is forgotten meanwhile
    cut = true;
    denied = false;
    fake::run_until(rig.io, [&] { return stats().watches == 2; });
    CHECK(stats().synced);
    CHECK(stats().last_problem.empty());
}

TEST_CASE("A20: only objects of the kind and version that was asked for are stored") {
    const std::string table =
        R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"50"},)"
        R"("rows":[]})";
    SUBCASE("in a list") {
        for (const std::string& strange :
             {table,
              std::string(R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":)"
                          R"("50"},"items":[]})"),
              std::string(R"({"kind":"PodList","apiVersion":"v9","metadata":{"resourceVersion":)"
                          R"("50"},"items":[]})"),
              std::string("[]"),
              std::string("not JSON")}) {
            CAPTURE(strange);
            std::atomic<int> lists = 0;
            Rig rig([&](fake::Peer& peer, const fake::Request& request) {
                if (is_watch(request)) return open_watch(peer);
                peer.reply(200, ++lists == 1 ? strange : list("60", {pod("a", "1", "7")}));
            });
            rig.until_log(Log{"begin", "+1@7", "end"});
            CHECK(rig.watcher->stats().failures == 1);
        }
    }
    SUBCASE("in a watch") {
        std::string other = pod("x", "9", "51");
        other.replace(other.find("Pod"), 3, "Job");
        std::string version = pod("x", "9", "51");
        version.replace(version.find("v1"), 2, "v9");
        for (const std::string& strange : {table, other, version, std::string("{}")}) {
            CAPTURE(strange);
            std::atomic<int> watches = 0;
            Rig rig([&](fake::Peer& peer, const fake::Request& request) {
                if (is_list(request)) return peer.reply(200, list("50", {}));
                peer.begin_chunks();
                if (++watches == 1) peer.chunk(event("ADDED", strange));
                peer.hold();
            });
            fake::run_until(rig.io, [&] { return watches == 2; });
            CHECK(rig.seen.log == Log{"begin", "end", "begin", "end"});
        }
    }
}

TEST_CASE("D1: a server whose cache lags behind is waited for, never asked for its old state") {
    std::atomic<int> behind = 0;
    std::atomic<bool> moved = false;  // to another server, which has seen less
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (is_list(request)) {
            // A list without a version is answered from the quorum by whichever server.
            CHECK_FALSE(has(request.target, "resourceVersion"));
            return peer.reply(200, list("100", {pod("a", "1", "90")}));
        }
        if (!moved.exchange(true)) {
            peer.begin_chunks();
            peer.chunk(event("MODIFIED", pod("a", "1", "100")));
            return peer.reset();
        }
        if (++behind <= 3) {
            return peer.reply(
                504,
                R"({"kind":"Status","code":504,"reason":"Timeout","message":"Too large resource )"
                R"(version: 100, current: 60","details":{"retryAfterSeconds":1}})");
        }
        peer.begin_chunks();
        peer.chunk(event("MODIFIED", pod("a", "1", "95")));  // what it has not seen before
        peer.chunk(event("MODIFIED", pod("a", "1", "101")));
        peer.hold();
    });
    fake::run_until(rig.io, [&] { return rig.seen.pods["1"] == "101"; });
    for (const std::string& target : targets_of(rig.server, true)) {
        CHECK(has(target, "resourceVersion=100&"));
    }
    CHECK(rig.seen.log.back() == "+1@101");
}
