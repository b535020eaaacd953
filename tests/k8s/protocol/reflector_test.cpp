#include "k8s/protocol/reflector.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace k8s::protocol;

namespace {

ObjectKey key(std::string name, std::string uid, std::string version) {
    return ObjectKey{std::move(name), std::move(uid), std::move(version)};
}

bool asks_list(const ReflectorAction& action, const std::string& token = "") {
    const auto* ask = std::get_if<AskList>(&action);
    return ask != nullptr && ask->continue_token == token;
}

std::string watch_version(const ReflectorAction& action) {
    const auto* ask = std::get_if<AskWatch>(&action);
    return ask == nullptr ? "no watch" : ask->version;
}

std::int64_t pause_ms(const ReflectorAction& action) {
    const auto* pause = std::get_if<Pause>(&action);
    return pause == nullptr ? -1 : pause->ms;
}

Trouble trouble(int status, std::string message = "") {
    Trouble made;
    made.status = status;
    made.message = std::move(message);
    return made;
}

// Lists these in one page.
std::vector<ObjectKey> list(
    Reflector& reflector, const std::string& version, const std::vector<ObjectKey>& items) {
    REQUIRE(asks_list(reflector.next(0)));
    REQUIRE(reflector.on_page(version, "") != PageVerdict::refused);
    for (const ObjectKey& item : items) reflector.on_item(item);
    auto missing = reflector.end_page();
    REQUIRE(missing);
    return *missing;
}

Reflector watching(const std::string& version, const std::vector<ObjectKey>& items) {
    Reflector reflector{ReflectorOptions{}};
    REQUIRE(list(reflector, version, items).empty());
    REQUIRE(watch_version(reflector.next(0)) == version);
    reflector.on_watch_opened(0);
    return reflector;
}

}  // namespace

TEST_CASE("A3: reflector: the watch starts at the list's version, not at an item's") {
    Reflector reflector{ReflectorOptions{}};
    list(reflector, "50", {key("a", "1", "49"), key("b", "2", "7")});
    CHECK(watch_version(reflector.next(0)) == "50");
    CHECK(reflector.is_synced());
}

TEST_CASE("A12: reflector: the watch's timeout is random between the minimum and twice of it") {
    Reflector reflector{ReflectorOptions{}};
    list(reflector, "50", {});
    for (std::uint32_t random : {0u, 299u, 300u, 0xFFFFFFFFu}) {
        const auto action = reflector.next(random);
        const auto seconds = std::get<AskWatch>(action).timeout_seconds;
        CHECK(seconds >= 300);
        CHECK(seconds < 600);
    }
}

TEST_CASE("A13: reflector: pages follow the token, an empty page with a token too") {
    Reflector reflector{ReflectorOptions{}};
    REQUIRE(asks_list(reflector.next(0)));
    CHECK(reflector.on_page("50", "t1") == PageVerdict::first);
    CHECK(reflector.on_item(key("a", "1", "3")).upsert);
    CHECK_FALSE(reflector.end_page());
    REQUIRE(asks_list(reflector.next(0), "t1"));
    CHECK(reflector.on_page("50", "t2") == PageVerdict::more);
    CHECK_FALSE(reflector.end_page());
    REQUIRE(asks_list(reflector.next(0), "t2"));
    CHECK(reflector.on_page("50", "") == PageVerdict::more);
    CHECK(reflector.on_item(key("b", "2", "4")).upsert);
    CHECK(reflector.end_page());
    CHECK(watch_version(reflector.next(0)) == "50");
}

TEST_CASE("A13: reflector: a token that expires restarts the list, what it gave is kept right") {
    Reflector reflector{ReflectorOptions{}};
    REQUIRE(asks_list(reflector.next(0)));
    CHECK(reflector.on_page("50", "t1") == PageVerdict::first);
    reflector.on_item(key("a", "1", "3"));
    reflector.end_page();
    REQUIRE(asks_list(reflector.next(0), "t1"));
    reflector.on_list_failed(trouble(410), 0, 0);
    REQUIRE(pause_ms(reflector.next(0)) > 0);
    REQUIRE(asks_list(reflector.next(0)));
    CHECK(reflector.on_page("60", "") == PageVerdict::more);  // the receiver is in a list already
    CHECK(reflector.on_item(key("b", "2", "55")).upsert);
    const auto missing = reflector.end_page();
    REQUIRE(missing);
    REQUIRE(missing->size() == 1);
    CHECK(missing->front().uid == "1");
    CHECK(watch_version(reflector.next(0)) == "60");
}

TEST_CASE("A13: reflector: a list that never ends, or is without measure, is given up") {
    ReflectorOptions options;
    SUBCASE("pages") {
        options.pages_max = 3;
    }
    SUBCASE("bytes") {
        options.list_bytes_max = 3'000;
    }
    Reflector reflector(options);
    for (int page = 0; page < 3; ++page) {
        reflector.next(0);
        REQUIRE(reflector.on_page("5", "more", 1'000) != PageVerdict::refused);
        reflector.end_page();
    }
    CHECK(reflector.on_page("5", "more", 1'000) == PageVerdict::refused);
    CHECK(pause_ms(reflector.next(0)) == 30'000);
    CHECK(asks_list(reflector.next(0)));
}

TEST_CASE("A16: reflector: known ADDED, unknown MODIFIED and DELETED, duplicates, older ones") {
    Reflector reflector = watching("10", {key("a", "1", "5")});
    CHECK_FALSE(reflector.on_event(WatchEventType::added, key("a", "1", "5")).upsert);
    CHECK(reflector.on_event(WatchEventType::added, key("a", "1", "11")).upsert);
    CHECK_FALSE(reflector.on_event(WatchEventType::modified, key("a", "1", "11")).upsert);
    CHECK_FALSE(reflector.on_event(WatchEventType::modified, key("a", "1", "9")).upsert);
    CHECK(reflector.on_event(WatchEventType::modified, key("b", "2", "12")).upsert);
    const auto deleted = reflector.on_event(WatchEventType::deleted, key("a", "1", "13"));
    REQUIRE(deleted.deleted);
    CHECK(deleted.deleted->uid == "1");
    CHECK_FALSE(reflector.on_event(WatchEventType::deleted, key("a", "1", "13")).deleted);
    CHECK_FALSE(reflector.on_event(WatchEventType::deleted, key("x", "9", "14")).deleted);
    CHECK(reflector.size() == 1);
}

TEST_CASE("A16: reflector: a deleted uid does not come back by a late event") {
    Reflector reflector = watching("10", {key("a", "1", "5")});
    REQUIRE(reflector.on_event(WatchEventType::deleted, key("a", "1", "12")).deleted);
    CHECK_FALSE(reflector.on_event(WatchEventType::modified, key("a", "1", "11")).upsert);
    CHECK(reflector.size() == 0);
}

TEST_CASE("A15: reflector: the same name with a new uid is a deletion and an addition") {
    Reflector reflector = watching("10", {key("a", "1", "5")});
    const auto verdict = reflector.on_event(WatchEventType::modified, key("a", "2", "11"));
    CHECK(verdict.upsert);
    REQUIRE(verdict.deleted);
    CHECK(verdict.deleted->uid == "1");
    CHECK_FALSE(reflector.on_event(WatchEventType::deleted, key("a", "1", "10")).deleted);
    CHECK(reflector.size() == 1);

    reflector.on_watch_failed(trouble(410), 0, 0);
    while (pause_ms(reflector.next(0)) > 0) {
    }
    REQUIRE(reflector.on_page("20", "") == PageVerdict::first);
    const auto across = reflector.on_item(key("a", "3", "19"));
    CHECK(across.upsert);
    REQUIRE(across.deleted);
    CHECK(across.deleted->uid == "2");
    const auto missing = reflector.end_page();
    REQUIRE(missing);
    CHECK(missing->empty());
}

TEST_CASE("A14: reflector: a relist deletes what is missing, once") {
    Reflector reflector = watching("10", {key("a", "1", "5"), key("b", "2", "6")});
    reflector.on_garbage(0, 0);
    CHECK_FALSE(reflector.is_synced());
    REQUIRE(pause_ms(reflector.next(0)) > 0);
    const auto missing = list(reflector, "30", {key("b", "2", "6")});
    REQUIRE(missing.size() == 1);
    CHECK(missing.front().uid == "1");
    reflector.on_garbage(0, 0);
    REQUIRE(pause_ms(reflector.next(0)) > 0);
    CHECK(list(reflector, "31", {key("b", "2", "6")}).empty());
}

TEST_CASE("A9: reflector: a bookmark moves only the version") {
    Reflector reflector = watching("10", {key("a", "1", "5")});
    reflector.on_bookmark("99");
    CHECK(reflector.size() == 1);
    reflector.on_watch_closed(true, 400'000, 0);
    CHECK(watch_version(reflector.next(0)) == "99");
}

TEST_CASE("A12: reflector: a clean end is watched on at once from the last version") {
    Reflector reflector = watching("10", {});
    reflector.on_event(WatchEventType::added, key("a", "1", "17"));
    reflector.on_watch_closed(true, 500, 0);
    CHECK(watch_version(reflector.next(0)) == "17");
}

TEST_CASE("reflector: a late event does not turn the version back") {
    Reflector reflector = watching("10", {});
    reflector.on_event(WatchEventType::added, key("a", "1", "17"));
    reflector.on_event(WatchEventType::added, key("b", "2", "15"));
    reflector.on_watch_closed(true, 500, 0);
    CHECK(watch_version(reflector.next(0)) == "17");
}

TEST_CASE("A12: reflector: very short watches without events are failures") {
    Reflector reflector = watching("10", {});
    std::int64_t now = 0;
    int watches = 0;
    while (now < 3'600'000) {
        const auto action = reflector.next(500);
        if (const auto* pause = std::get_if<Pause>(&action)) {
            now += pause->ms;
            continue;
        }
        REQUIRE(watch_version(action) == "10");
        ++watches;
        reflector.on_watch_opened(now);
        reflector.on_watch_closed(true, now + 10, 500);
    }
    CHECK(watches < 3'600 / 4);
}

TEST_CASE("reflector: events of the watch before do not excuse a very short one") {
    Reflector reflector = watching("10", {});
    reflector.on_event(WatchEventType::added, key("a", "1", "17"));
    reflector.on_watch_closed(true, 10, 0);
    REQUIRE(watch_version(reflector.next(0)) == "17");  // at once
    reflector.on_watch_opened(20);
    reflector.on_watch_closed(true, 30, 0);
    CHECK(pause_ms(reflector.next(0)) > 0);
}

TEST_CASE("reflector: a cut watch backs off and goes on without a list") {
    Reflector reflector = watching("10", {});
    reflector.on_watch_closed(false, 60'000, 0);
    CHECK(pause_ms(reflector.next(0)) == 800);
    CHECK(watch_version(reflector.next(0)) == "10");
    CHECK(reflector.is_synced());
}

TEST_CASE(
    "reflector: a watch that is cut again and again, but brings something, is soon open again") {
    bool brings_event = false;
    bool brings_bookmark = false;
    std::int64_t lasts_ms = 0;
    SUBCASE("an event") {
        brings_event = true;
    }
    SUBCASE("a bookmark") {
        brings_bookmark = true;
    }
    SUBCASE("nothing, but it lasted") {
        lasts_ms = 5'000;
    }
    auto reflector = watching("50", {});
    std::int64_t now = 0;
    for (int i = 0; i < 20; ++i) {
        const std::string version = std::to_string(51 + i);
        if (brings_event) reflector.on_event(WatchEventType::added, key("a", "1", version));
        if (brings_bookmark) reflector.on_bookmark(version);
        now += lasts_ms;
        reflector.on_watch_closed(false, now, 0);
        CHECK(pause_ms(reflector.next(0)) == 800);
        now += 800;
        REQUIRE(watch_version(reflector.next(0)) != "no watch");
        reflector.on_watch_opened(now);
    }
}

TEST_CASE("reflector: events between them do not shorten the pauses between lists after garbage") {
    auto reflector = watching("50", {});
    std::int64_t now = 0;
    std::int64_t longest = 0;
    for (int i = 0; i < 8; ++i) {
        reflector.on_event(WatchEventType::added, key("a", "1", "50"));
        reflector.on_garbage(now, 0);
        longest = std::max(longest, pause_ms(reflector.next(0)));
        now += longest;
        list(reflector, "50", {});
        REQUIRE(watch_version(reflector.next(0)) == "50");
        reflector.on_watch_opened(now);
    }
    CHECK(longest == 30'000);
}

TEST_CASE("A7: reflector: what follows each error") {
    Reflector reflector = watching("10", {});
    SUBCASE("410: list") {
        reflector.on_event(WatchEventType::added, key("a", "1", "11"));
        reflector.on_watch_failed(trouble(410), 0, 0);
        CHECK(asks_list(reflector.next(0)));
    }
    SUBCASE("Expired by reason alone: list") {
        Trouble expired = trouble(500);
        expired.reason = "Expired";
        reflector.on_watch_failed(expired, 0, 0);
        CHECK(pause_ms(reflector.next(0)) > 0);
        CHECK(asks_list(reflector.next(0)));
    }
    SUBCASE("no connection, 401, 403, 429, 503: the same watch, however often") {
        for (int status : {0, 401, 403, 429, 503}) {
            for (int i = 0; i < 10; ++i) {
                reflector.on_watch_failed(trouble(status), 0, 0);
                REQUIRE(pause_ms(reflector.next(0)) > 0);
                REQUIRE(watch_version(reflector.next(0)) == "10");
            }
        }
    }
    SUBCASE("500: the same watch twice, then a list") {
        for (int i = 0; i < 2; ++i) {
            reflector.on_watch_failed(trouble(500), 0, 0);
            REQUIRE(pause_ms(reflector.next(0)) > 0);
            REQUIRE(watch_version(reflector.next(0)) == "10");
        }
        reflector.on_watch_failed(trouble(500), 0, 0);
        REQUIRE(pause_ms(reflector.next(0)) > 0);
        CHECK(asks_list(reflector.next(0)));
    }
    SUBCASE("anything else, a refusal of the request itself: a list") {
        for (int status : {400, 404, 409, 422}) {
            reflector.on_watch_failed(trouble(status), 0, 0);
            REQUIRE(pause_ms(reflector.next(0)) > 0);
            REQUIRE(list(reflector, "10", {}).empty());
            reflector.next(0);
            reflector.on_watch_opened(0);
        }
    }
    SUBCASE("too large resource version by its cause: list") {
        Trouble ahead = trouble(504, "the cache is behind");
        ahead.version_too_large = true;
        reflector.on_watch_failed(ahead, 0, 0);
        REQUIRE(pause_ms(reflector.next(0)) > 0);
        CHECK(asks_list(reflector.next(0)));
    }
    SUBCASE("too large resource version: list") {
        reflector.on_watch_failed(
            trouble(504, "Timeout: Too large resource version: 10, current: 9"), 0, 0);
        REQUIRE(pause_ms(reflector.next(0)) > 0);
        CHECK(asks_list(reflector.next(0)));
    }
}

TEST_CASE("B6: reflector: what is asked for is waited, and something of our own on top") {
    Reflector reflector = watching("10", {});
    Trouble busy = trouble(429);
    busy.retry_after_ms = 9'000;
    reflector.on_watch_failed(busy, 0, 0);
    CHECK(pause_ms(reflector.next(0)) == 9'800);
    reflector.on_watch_failed(busy, 0, 1'000);
    CHECK(pause_ms(reflector.next(0)) == 9'000 + 3'200);
    busy.retry_after_ms = 0;
    reflector.on_list_failed(busy, 0, 0);
    CHECK(pause_ms(reflector.next(0)) == 3'200);
}

TEST_CASE("reflector: a server that expires every watch is not hammered") {
    Reflector reflector{ReflectorOptions{}};
    std::int64_t now = 0;
    int requests = 0;
    while (now < 3'600'000) {
        const auto action = reflector.next(0);
        if (const auto* pause = std::get_if<Pause>(&action)) {
            now += pause->ms;
            continue;
        }
        REQUIRE(++requests < 10'000);
        if (asks_list(action)) {
            reflector.on_page("10", "");
            reflector.end_page();
        } else {
            reflector.on_watch_failed(trouble(410), now, 0);
        }
    }
    CHECK(requests < 600);
}

TEST_CASE("A8: reflector: a server that stays behind is asked a bounded number of times") {
    Reflector reflector{ReflectorOptions{}};
    std::int64_t now = 0;
    int requests = 0;
    while (now < 3'600'000) {
        const auto action = reflector.next(0);
        if (const auto* pause = std::get_if<Pause>(&action)) {
            now += pause->ms;
            continue;
        }
        REQUIRE(++requests < 10'000);
        if (asks_list(action)) {
            reflector.on_page("10", "");
            reflector.end_page();
        } else {
            reflector.on_watch_failed(trouble(504, "Too large resource version"), now, 0);
        }
    }
    CHECK(requests < 600);
}

TEST_CASE("A10: reflector: an hour without bookmarks, with compactions, loses nothing") {
    // A server that forgets events after five minutes, ends each watch in time and says nothing
    // else. One pod changes every twenty minutes: most watches end without any event.
    std::int64_t now = 0;
    int version = 100;
    int compacted = 0;
    struct Change {
        std::int64_t at;
        int version;
    };
    std::vector<Change> changes;
    const auto live_until = [&](std::int64_t end) {
        for (; now < end; now += 1'000) {
            ++version;  // of other kinds
            if (now % 1'200'000 == 0) changes.push_back({now, version});
            if (now % 300'000 == 0) compacted = version - 300;
        }
    };
    live_until(1'000);
    Reflector reflector{ReflectorOptions{}};
    std::string seen;
    int lists = 0;
    while (now < 3'600'000) {
        const auto action = reflector.next(static_cast<std::uint32_t>(now));
        if (const auto* pause = std::get_if<Pause>(&action)) {
            live_until(now + pause->ms);
        } else if (asks_list(action)) {
            ++lists;
            const std::string newest = std::to_string(changes.back().version);
            reflector.on_page(std::to_string(version), "");
            if (reflector.on_item(key("a", "1", newest)).upsert) seen = newest;
            REQUIRE(reflector.end_page());
        } else {
            const auto& ask = std::get<AskWatch>(action);
            const int from = std::stoi(ask.version);
            if (from < compacted) {
                reflector.on_watch_failed(trouble(410), now, 0);
                continue;
            }
            reflector.on_watch_opened(now);
            live_until(now + ask.timeout_seconds * 1'000);
            for (const Change& change : changes) {
                const std::string at = std::to_string(change.version);
                if (change.version <= from) continue;
                if (reflector.on_event(WatchEventType::modified, key("a", "1", at)).upsert)
                    seen = at;
            }
            reflector.on_watch_closed(true, now, 0);
        }
        if (reflector.is_synced()) {
            CHECK(seen == std::to_string(changes.back().version));
        }
    }
    CHECK(changes.size() >= 3);
    CHECK(lists > 1);
    CHECK(lists < 20);
}

TEST_CASE("A11: reflector: what a watch from no version replays says nothing about where it is") {
    Reflector reflector = watching("0", {});
    CHECK(reflector.on_event(WatchEventType::added, key("a", "1", "70")).upsert);
    CHECK(reflector.on_event(WatchEventType::added, key("b", "2", "20")).upsert);
    CHECK(reflector.on_event(WatchEventType::added, key("c", "3", "90")).upsert);
    SUBCASE("cut meanwhile, it begins anew") {
        reflector.on_watch_closed(true, 60'000, 0);
        CHECK(watch_version(reflector.next(0)) == "0");
    }
    SUBCASE("a change is from the stream itself") {
        reflector.on_event(WatchEventType::modified, key("b", "2", "95"));
        reflector.on_watch_closed(true, 60'000, 0);
        CHECK(watch_version(reflector.next(0)) == "95");
    }
    SUBCASE("so is a bookmark, and then ADDED counts") {
        reflector.on_bookmark("91");
        reflector.on_event(WatchEventType::added, key("d", "4", "92"));
        reflector.on_watch_closed(true, 60'000, 0);
        CHECK(watch_version(reflector.next(0)) == "92");
    }
}

TEST_CASE("A2: reflector: a list older than what was seen is refused, but not for ever") {
    Reflector reflector = watching("100", {key("a", "1", "90")});
    reflector.on_garbage(0, 0);
    int refused = 0;
    for (;;) {
        while (pause_ms(reflector.next(0)) > 0) {
        }
        if (reflector.on_page("40", "") != PageVerdict::refused) break;
        REQUIRE(++refused < 10);
    }
    CHECK(refused == 4);
    // A cluster restored from a backup: its lower versions are the truth now.
    CHECK(reflector.on_item(key("a", "1", "30")).upsert);
    REQUIRE(reflector.end_page());
    CHECK(watch_version(reflector.next(0)) == "40");
}

TEST_CASE("A16: reflector: a shuffled and repeated event log ends in the truth") {
    std::mt19937 random(20260701);
    for (int round = 0; round < 200; ++round) {
        struct Logged {
            WatchEventType type;
            ObjectKey object;
        };
        std::vector<Logged> log;
        std::map<std::string, ObjectKey> truth;
        int version = 100;
        int uid = 0;
        for (int i = 0; i < 30; ++i) {
            const std::string name = std::string(1, static_cast<char>('a' + random() % 4));
            auto it = truth.find(name);
            const std::string now = std::to_string(++version);
            if (it == truth.end()) {
                const ObjectKey made = key(name, std::to_string(++uid), now);
                truth[name] = made;
                log.push_back({WatchEventType::added, made});
            } else if (random() % 2 == 0) {
                it->second.version = now;
                log.push_back({WatchEventType::modified, it->second});
            } else {
                log.push_back({WatchEventType::deleted, key(name, it->second.uid, now)});
                truth.erase(it);
            }
        }
        const std::size_t size = log.size();
        for (std::size_t i = 0; i < size; ++i) {
            if (random() % 3 == 0) log.push_back(log[i]);
        }
        std::shuffle(log.begin(), log.end(), random);

        Reflector reflector = watching("100", {});
        std::map<std::string, std::string> seen;  // uid -> version, as a receiver would hold it
        for (const Logged& one : log) {
            const Verdict verdict = reflector.on_event(one.type, one.object);
            if (verdict.deleted) {
                CHECK(seen.erase(verdict.deleted->uid) == 1);
            }
            if (verdict.upsert) seen[one.object.uid] = one.object.version;
        }
        std::map<std::string, std::string> expected;
        for (const auto& [name, object] : truth) expected[object.uid] = object.version;
        CHECK(seen == expected);
    }
}

TEST_CASE("reflector: a repeat means what the event would have meant, and is one only if told") {
    std::mt19937 random(20261122);
    int repeats = 0;
    for (int round = 0; round < 200; ++round) {
        Reflector plain = watching(round % 2 == 0 ? "100" : "0", {});
        Reflector quick = watching(round % 2 == 0 ? "100" : "0", {});
        std::map<std::string, std::pair<std::string, std::uint64_t>> told;  // by name
        for (int i = 0; i < 60; ++i) {
            const std::string uid = "u" + std::to_string(random() % 3);
            const ObjectKey object = key("p" + std::to_string(random() % 2), uid, "");
            const std::string version = std::to_string(100 + random() % 40);
            ObjectView view(object);
            view.version = version;
            view.fingerprint = random() % 3;
            view.for_good = view.fingerprint == 0 && random() % 8 == 0;
            const auto type = random() % 8 == 0   ? WatchEventType::deleted
                              : random() % 2 == 0 ? WatchEventType::added
                                                  : WatchEventType::modified;
            const Verdict wanted = plain.on_event(type, view);
            const auto repeat = type == WatchEventType::deleted ? std::optional<Verdict>()
                                                                : quick.on_repeat(type, view);
            CHECK((repeat ? *repeat : quick.on_event(type, view)) == wanted);
            if (repeat) {
                ++repeats;
                CHECK(told[object.name] == std::pair(uid, view.fingerprint));
            } else if (wanted.upsert) {
                told[object.name] = {uid, view.fingerprint};
            }
            CHECK(watch_version(plain.next(0)) == watch_version(quick.next(0)));
        }
    }
    CHECK(repeats > 300);
}

TEST_CASE(
    "reflector: lists that are never finished hide no deletion when their numbers come round") {
    for (std::uint32_t broken = KnownObjects::lists_max - 4; broken <= KnownObjects::lists_max;
         ++broken) {
        CAPTURE(broken);
        Reflector reflector{ReflectorOptions{}};
        list(reflector, "1", {key("a", "1", "1"), key("b", "2", "1")});
        for (std::uint32_t i = 0; i < broken; ++i) {
            reflector.ask_for_list();
            REQUIRE(asks_list(reflector.next(0)));
            REQUIRE(reflector.on_page(std::to_string(i + 2), "more") != PageVerdict::refused);
            REQUIRE_FALSE(reflector.end_page());
        }
        reflector.ask_for_list();
        CHECK(
            list(reflector, "9999", {key("b", "2", "1")}) ==
            std::vector<ObjectKey>{key("a", "1", "1")});
    }
}
