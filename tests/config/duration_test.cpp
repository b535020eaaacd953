#include "config/duration.hpp"

#include <doctest/doctest.h>

TEST_CASE("duration: Go's forms") {
    CHECK(*config::parse_duration("15s") == 15'000);
    CHECK(*config::parse_duration("1m30s") == 90'000);
    CHECK(*config::parse_duration("500ms") == 500);
    CHECK(*config::parse_duration("1.5h") == 5'400'000);
    CHECK(*config::parse_duration(".5s") == 500);
    CHECK(*config::parse_duration("2000us") == 2);
    CHECK(*config::parse_duration("1000000ns") == 1);
    CHECK(*config::parse_duration("3000\xC2\xB5s") == 3);
    CHECK(*config::parse_duration("0") == 0);
}

TEST_CASE("duration: everything else is an error that says why") {
    const auto why = [](const char* text) {
        const auto result = config::parse_duration(text);
        return result ? "" : result.error().message;
    };
    CHECK(why("15").find("no unit") != std::string::npos);
    CHECK(why("").find("empty") != std::string::npos);
    CHECK(why("-5s").find("negative") != std::string::npos);
    CHECK(why("5 s").find("unknown unit") != std::string::npos);
    CHECK(why("5d").find("unknown unit") != std::string::npos);
    CHECK(why("s").find("not a number") != std::string::npos);
    CHECK(why(".s").find("not a number") != std::string::npos);
    CHECK(why("1.5.s").find("unknown unit") != std::string::npos);
    CHECK(why("1500us").find("finer than a millisecond") != std::string::npos);
    CHECK(why("1ns").find("finer than a millisecond") != std::string::npos);
    CHECK(why("999999999999h").find("too long") != std::string::npos);
    CHECK(why("1000000h").find("longer than a century") != std::string::npos);
    CHECK(why("99999999999999999999999999s").find("too long") != std::string::npos);
}

TEST_CASE("duration: formatting gives text that reads back") {
    CHECK(config::format_duration(90'000) == "1m30s");
    CHECK(config::format_duration(500) == "500ms");
    CHECK(config::format_duration(0) == "0s");
    for (const std::int64_t ms : {1LL, 999LL, 60'000LL, 3'661'001LL, 86'400'000LL}) {
        CHECK(*config::parse_duration(config::format_duration(ms)) == ms);
    }
}
