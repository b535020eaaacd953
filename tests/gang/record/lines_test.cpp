// Lines that are none of a recording, and members that are not what a recording has there.
#include "gang/record/event_log.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {
namespace lines {

std::string problem_of(const std::string& line) {
    const auto decoded = gang::decode_line(line);
    return decoded ? "" : decoded.error().message;
}

std::string not_there(const std::string& member) {
    return "\"" + member + "\" is not what a recording has there";
}

}  // namespace lines
}  // namespace

TEST_CASE("event log: each member that is missing or something else is named") {
    using lines::not_there;
    const std::vector<std::pair<std::string, std::string>> bad = {
        {R"({"recording":"1","program":"v","config":{}})", not_there("recording")},
        {R"({"recording":1,"config":{}})", not_there("program")},
        {R"({"recording":1,"program":7,"config":{}})", not_there("program")},
        {R"({"seq":-1,"ms":2,"event":{"tick":{}}})", not_there("seq")},
        {R"({"after":-1,"digest":"00"})", not_there("after")},
        {R"({"after":1})", not_there("digest")},
        {R"({"after":1,"digest":7})", not_there("digest")},
        {R"({"after":1,"digest":""})", not_there("digest")},
        {R"({"after":1,"digest":"0g"})", not_there("digest")},
        {R"({"after":1,"digest":"10000000000000000"})", not_there("digest")},
        {R"({"after":1,"digest":"00","state":7})", not_there("state")},
        {R"({"after":1,"digest":"00","state":"x"})", not_there("state")},
        {R"({"after":1,"digest":"00","decisions":7})", not_there("decisions")},
        {R"({"end":7})", not_there("end")}};
    for (const auto& [line, problem] : bad) {
        CAPTURE(line);
        CHECK(lines::problem_of(line) == problem);
    }
    CHECK(lines::problem_of(R"({"recording":2,"program":7})") ==
          "the recording has format 2, this program reads format 1");
    CHECK(lines::problem_of(R"({"recording":0})") == "the recording has format 0, this program reads format 1");
}

TEST_CASE("event log: what a check may leave out, and what it says") {
    const auto plain = gang::decode_line(R"({"after":7,"digest":"ff"})");
    REQUIRE(plain);
    const auto& check = std::get<gang::LogCheck>(*plain);
    CHECK(check.after == 7);
    CHECK(check.digest == 255);
    CHECK(check.decisions.empty());
    CHECK_FALSE(check.state);
    const auto full = gang::decode_line(R"({"after":7,"decisions":[],"digest":"ffffffffffffffff","state":"10"})");
    REQUIRE(full);
    CHECK(std::get<gang::LogCheck>(*full).digest == ~std::uint64_t{0});
    CHECK(std::get<gang::LogCheck>(*full).state == 16U);
}
