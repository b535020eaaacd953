#include "gang/app/api/host_rule.hpp"

#include <doctest/doctest.h>

using namespace gang::app;

namespace {

int status(const std::string& host, const std::string& origin = "", const char* passed_on = "") {
    const HostRule rule({"gangs.example.com"});
    const auto refusal = rule.refuse(HttpAsk{"/", host, origin, "", "", passed_on});
    return refusal ? refusal->status : 200;
}

}  // namespace

TEST_CASE("host rule: addresses, localhost and the names of api.hosts, whatever the port") {
    for (const char* host :
         {"localhost",
          "LOCALHOST:8080",
          "127.0.0.1:10353",
          "10.1.2.3",
          "[::1]:10353",
          "[fd00::12]",
          "gangs.example.com",
          "Gangs.Example.Com:443",
          "gangs.example.com.:443"}) {
        CHECK_MESSAGE(status(host) == 200, host);
    }
}

TEST_CASE("host rule: a name that somebody else may point at us is not ours") {
    for (const char* host :
         {"",
          ":10353",
          "evil.example",
          "evil.example:10353",
          "127.0.0.1.evil.example",
          "localhost.evil.example:80",
          "gangs.example.com.evil.example",
          "xgangs.example.com",
          "example.com",
          "1.2.3",
          "0x7f.0.0.1",
          "[evil.example]",
          "[::1",
          "[]",
          "localhost@evil.example"}) {
        CHECK_MESSAGE(status(host) == 421, host);
    }
}

TEST_CASE("host rule: another page may not ask, even where it knows our name") {
    CHECK(status("127.0.0.1:1", "http://127.0.0.1:1") == 200);
    CHECK(status("10.0.0.1", "https://gangs.example.com") == 200);
    for (const char* origin :
         {"null", "http://evil.example", "https://127.0.0.1.evil.example:1", "http://", "x"}) {
        CHECK_MESSAGE(status("127.0.0.1:1", origin) == 403, origin);
    }
}

TEST_CASE("host rule: what `ui` passes on was looked at there") {
    CHECK(status("api.cluster.example:6443", "", "ui") == 200);
}

TEST_CASE(
    "host rule: the refusal says what to do, and repeats nothing that could be markup or lines") {
    const auto refusal = HostRule({}).refuse(HttpAsk{"/", "evil\nexample<script>"});
    REQUIRE(refusal.has_value());
    CHECK(refusal->why.find("api.hosts") != std::string::npos);
    CHECK(refusal->why.find('\n') == std::string::npos);
}
