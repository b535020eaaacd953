// The small pieces of the edge: times, tokens, annotations, status texts, URLs.
#include "k8s/base/http.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_lease.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_watch.hpp"
#include "k8s/credentials/token.hpp"
#include "k8s/write/annotations.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

using namespace k8s;

TEST_CASE("time: both formats, around the corners of the calendar") {
    CHECK(format_time(0) == "1970-01-01T00:00:00Z");
    CHECK(format_time(951'782'399'999) == "2000-02-28T23:59:59Z");
    CHECK(format_time(951'782'400'000) == "2000-02-29T00:00:00Z");
    CHECK(format_time(4'102'444'799'000) == "2099-12-31T23:59:59Z");
    CHECK(format_time(-1) == "1969-12-31T23:59:59Z");
    CHECK(format_micro_time(1'782'909'000'007) == "2026-07-01T12:30:00.007000Z");
}

TEST_CASE("time: parsing gives back what was formatted, fractions and offsets too") {
    for (std::int64_t ms :
         {0LL, 951'782'400'000LL, 1'782'909'000'000LL, 4'102'444'799'000LL, -86'400'000LL}) {
        CHECK(parse_time(format_time(ms)) == ms);
        CHECK(parse_time(format_micro_time(ms + 123)) == ms + 123);
    }
    CHECK(parse_time("2026-07-01T14:30:00.5+02:00") == 1'782'909'000'500);
    CHECK(parse_time("2026-07-01T12:30:00.123456789Z") == 1'782'909'000'123);
    for (const char* bad :
         {"",
          "2026-07-01",
          "2026-07-01 12:30:00Z",
          "2026-13-01T12:30:00Z",
          "2026-07-01T24:30:00Z",
          "2026-07-01T12:30:00",
          "2026-07-01T12:30:00.Z",
          "2026-07-01T12:30:00+2:00",
          "x026-07-01T12:30:00Z"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_time(bad));
    }
}

TEST_CASE("C2: the token's file is read anew, an empty or broken one keeps the old") {
    const std::string file = std::tmpnam(nullptr);
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    write("  first\n");
    Token token("unused", file);
    CHECK(token.current(0) == "first");
    write("second");
    CHECK(token.current(59'999) == "first");
    CHECK(token.current(60'000) == "second");
    for (const std::string& broken :
         {std::string(),
          std::string("\n"),
          std::string("a\r\nX-Evil: 1"),
          std::string(70'000, 'a')}) {
        write(broken);
        CHECK_FALSE(token.refused(60'001));
        CHECK(token.current(60'002) == "second");
    }
    std::remove(file.c_str());
    CHECK(token.current(1'000'000) == "second");
    write("third");
    CHECK(token.refused(1'000'001));
    CHECK(token.current(1'000'002) == "third");
    std::remove(file.c_str());
}

TEST_CASE("token: without a file it never changes") {
    Token token("fixed", "");
    CHECK(token.current(0) == "fixed");
    CHECK_FALSE(token.refused(0));
    CHECK(Token("", "").current(0).empty());
}

TEST_CASE("annotations: keys as Kubernetes checks them") {
    for (const char* good :
         {"a", "gang-scheduler/slot", "example.com/a.b_c-D", "x1.y-2.z/Name", "A"}) {
        CAPTURE(good);
        CHECK(is_qualified_name(good));
    }
    for (const char* bad :
         {"",
          "/",
          "a/",
          "/a",
          "a b",
          "-a",
          "a-",
          "a/b/c",
          "a..b/c",
          "a-.b/c",
          ".a/b",
          "a./b",
          "\xC3\xA9",
          "a_b/c"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_qualified_name(bad));
    }
    CHECK(is_qualified_name(std::string(63, 'a')));
    CHECK_FALSE(is_qualified_name(std::string(64, 'a')));
    CHECK_FALSE(is_qualified_name(std::string(254, 'a') + "/b"));
}

TEST_CASE("annotations: the sum with what the pod has counts, to the byte") {
    const core::StringMap ours = {{"a/b", "1234567"}};  // 10 bytes
    CHECK(check_annotations(ours, annotation_bytes_max - 10));
    CHECK_FALSE(check_annotations(ours, annotation_bytes_max - 9));
}

TEST_CASE("annotations: values are text") {
    CHECK(check_annotations({{"a", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"}}, 0));
    for (const std::string& bad :
         {std::string("\xFF"),
          std::string("\xC3"),
          std::string("\xC0\x80"),
          std::string("\xED\xA0\x80"),
          std::string("a\0b", 3),
          std::string("\xF5\x80\x80\x80")}) {
        CHECK_FALSE(check_annotations({{"a", bad}}, 0));
    }
}

TEST_CASE("http: percent encoding") {
    CHECK(percent_encode("abc-._~09") == "abc-._~09");
    CHECK(percent_encode("a/b c?&=%\xC3\xA9") == "a%2Fb%20c%3F%26%3D%25%C3%A9");
}

TEST_CASE("status: a Status object, another body, none") {
    const Status status = decode_status(
        409, R"({"kind":"Status","reason":"Conflict","message":"already\n\u001b[31massigned"})");
    CHECK(status.reason == "Conflict");
    CHECK(status.message == "already  [31massigned");
    CHECK(
        decode_status(502, "<html>bad gateway</html>").message ==
        "HTTP 502: <html>bad gateway</html>");
    CHECK(decode_status(500, "").message == "HTTP 500");
    CHECK(decode_status(500, std::string(5'000, 'x')).message.size() < 600);
}

TEST_CASE("status: a body that ends inside a character is not read past its end") {
    // Found by tests/fuzz: the sanitizer is what judges here.
    for (const std::string end : {"\xF1", "\xF1.", "\xE1", "\xC3"}) {
        const std::string body = "{\"kind\":\"Status\",\"message\":\"" + end;
        CHECK(decode_status(500, body).message.find("HTTP 500: {") == 0);
        CHECK_FALSE(decode_pod_state(body).has_value());
    }
}

TEST_CASE("status: a line is cut between characters") {
    CHECK(one_line("ab\xC3\xA9", 3) == "ab");
    CHECK(one_line("ab\xC3\xA9", 4) == "ab\xC3\xA9");
}

TEST_CASE("status: what a pod says about a bind") {
    const auto pod = decode_pod_state(
        R"({"metadata":{"uid":"u","resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z"},)"
        R"("spec":{"nodeName":"n1","schedulingGates":[{"name":"g"}]}})");
    REQUIRE(pod);
    CHECK(pod->uid == "u");
    CHECK(pod->resource_version == "7");
    CHECK(pod->node == "n1");
    CHECK(pod->deleting);
    CHECK(pod->gated);
    CHECK_FALSE(decode_pod_state("{}"));
    CHECK_FALSE(decode_pod_state("nonsense"));
    CHECK_FALSE(decode_pod_state(R"({"metadata":{"uid":"u"},"spec":{"nodeName":7}})"));
}

TEST_CASE("lease: written and read back, foreign fields kept, a released one has no holder") {
    LeaseWrite write;
    write.namespace_name = "ns";
    write.name = "l";
    write.holder = "me";
    write.duration_ms = 15'000;
    write.transitions = 4;
    write.resource_version = "9";
    write.unix_time_ms = 1'782'909'000'000;
    const std::string seen =
        R"({"metadata":{"name":"l","labels":{"a":"b"},"resourceVersion":"8"},)"
        R"("spec":{"acquireTime":"2026-01-01T00:00:00.000000Z","holderIdentity":"x"}})";
    const std::string json = encode_lease(write, seen);
    CHECK(json.find(R"("labels":{"a":"b"})") != std::string::npos);
    CHECK(json.find(R"("acquireTime":"2026-01-01T00:00:00.000000Z")") != std::string::npos);
    const auto lease = decode_lease(json);
    REQUIRE(lease);
    CHECK(*lease == protocol::Lease{"me", 15'000, 4, "2026-07-01T12:30:00.000000Z", "9", {}});
    write.holder.clear();
    CHECK(encode_lease(write, json).find("holderIdentity") == std::string::npos);
    // Where its API is: with the Lease, until somebody else takes it.
    write.acquired = true;
    write.api = "10.1.2.3:10353";
    const std::string with_api = encode_lease(write, json);
    CHECK(decode_lease(with_api)->api == "10.1.2.3:10353");
    write.acquired = false;
    write.api = "10.9.9.9:1";
    CHECK(decode_lease(encode_lease(write, with_api))->api == "10.1.2.3:10353");
    write.acquired = true;
    write.api.clear();
    CHECK(decode_lease(encode_lease(write, with_api))->api.empty());
    CHECK_FALSE(decode_lease(R"({"kind":"Pod","metadata":{}})"));
    CHECK_FALSE(decode_lease("x"));
}

TEST_CASE("lease: settled is said of the leadership term that ended so, and of no other") {
    LeaseWrite write;
    write.holder = "me";
    write.duration_ms = 15'000;
    write.acquired = true;
    write.epoch = 7;
    const std::string held = encode_lease(write, "");
    write.acquired = false;
    write.holder.clear();
    write.duration_ms = protocol::lease_released_ms;
    const std::string released = encode_lease(write, held);
    CHECK_FALSE(decode_lease(released)->settled);
    write.settled = true;
    const std::string settled = encode_lease(write, held);
    CHECK(settled.find(R"("gang-scheduler/settled":"7")") != std::string::npos);
    CHECK(decode_lease(settled)->settled);
    CHECK(decode_lease(settled)->epoch == 7);
    // The next holder takes it away; one that does not know it makes it void by its own epoch.
    write.settled = false;
    write.acquired = true;
    write.epoch = 9;
    CHECK(encode_lease(write, settled).find("settled") == std::string::npos);
    std::string kept = settled;
    kept.replace(kept.find(R"(epoch":"7)"), 9, R"(epoch":"9)");
    CHECK(decode_lease(kept)->epoch == 9);
    CHECK_FALSE(decode_lease(kept)->settled);
    // Nobody knows of which leadership term it speaks.
    write.acquired = false;
    write.settled = true;
    CHECK_FALSE(decode_lease(encode_lease(write, ""))->settled);
}

TEST_CASE("watch line: errors, bookmarks, and what is none of them") {
    const auto error = decode_watch_line(
        WatchKind::pods,
        R"({"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests",)"
        R"("message":"wait","details":{"retryAfterSeconds":3}}})");
    REQUIRE(error);
    CHECK(error->type == LineType::error);
    CHECK(error->trouble.status == 429);
    CHECK(error->trouble.retry_after_ms == 3'000);
    const auto bookmark = decode_watch_line(
        WatchKind::nodes,
        R"({"type":"BOOKMARK","object":{"kind":"Node","apiVersion":"v1","metadata":{"resourceVersion":"5"}}})");
    REQUIRE(bookmark);
    CHECK(bookmark->type == LineType::bookmark);
    CHECK(bookmark->object.key.version == "5");
    for (
        const char* bad :
        {"",
         "{}",
         "[]",
         R"({"type":"ADDED"})",
         R"({"type":"ADDED","object":[]})",
         R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v2","metadata":{"name":"a"}}})",
         R"({"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}})",
         R"({"type":"STRANGE","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})",
         R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})"}) {
        CAPTURE(bad);
        CHECK_FALSE(decode_watch_line(WatchKind::pods, bad));
    }
}

TEST_CASE("list page: one bad item, another kind, or no version makes it no list") {
    for (
        const char* bad :
        {"x",
         "{}",
         R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})",
         R"({"kind":"PodList","apiVersion":"v2","metadata":{"resourceVersion":"1"},"items":[]})",
         R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})",
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{}]})",
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["a"]})"}) {
        CAPTURE(bad);
        CHECK_FALSE(decode_page(WatchKind::pods, bad));
    }
    const auto empty = decode_page(
        WatchKind::pods,
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":null})");
    REQUIRE(empty);
    CHECK(empty->items.empty());
}

TEST_CASE(
    "LEASE-7: the times of a Lease have six fractional digits, or the API server refuses them") {
    k8s::LeaseWrite write;
    write.holder = "me";
    write.duration_ms = 2'000;
    write.unix_time_ms = 1'782'909'000'000;
    write.acquired = true;
    write.epoch = 7;
    const std::string made = k8s::encode_lease(write, "");
    for (const char* field : {"renewTime", "acquireTime"}) {
        const std::string expected =
            std::string("\"") + field + "\":\"2026-07-01T12:30:00.000000Z\"";
        CHECK_MESSAGE(made.find(expected) != std::string::npos, made);
    }
    CHECK(made.find("\"leaseDurationSeconds\":2") != std::string::npos);
    CHECK(made.find("\"gang-scheduler/epoch\":\"7\"") != std::string::npos);
}
