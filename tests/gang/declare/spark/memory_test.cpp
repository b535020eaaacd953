#include "gang/declare/spark/memory.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::spark::parse_mebibytes;
using gang::spark::SizeUnit;

namespace {

std::int64_t mebibytes(std::string_view text, SizeUnit unit = SizeUnit::mebibytes) {
    const auto size = parse_mebibytes(text, unit);
    REQUIRE_MESSAGE(size.has_value(), std::string(text));
    return *size;
}

}  // namespace

TEST_CASE("memory: every suffix is a power of 1024, in any case") {
    CHECK(mebibytes("1g") == 1024);
    CHECK(mebibytes("1GB") == 1024);
    CHECK(mebibytes(" 8G ") == 8192);
    CHECK(mebibytes("2048k") == 2);
    CHECK(mebibytes("3kb") == 0);
    CHECK(mebibytes("512m") == 512);
    CHECK(mebibytes("512Mb") == 512);
    CHECK(mebibytes("1t") == 1024 * 1024);
    CHECK(mebibytes("2tb") == 2 * 1024 * 1024);
    CHECK(mebibytes("1p") == 1024LL * 1024 * 1024);
    CHECK(mebibytes("1pb") == 1024LL * 1024 * 1024);
    CHECK(mebibytes("1048577b") == 1);
    CHECK(mebibytes("007m") == 7);
}

TEST_CASE("memory: a number without suffix has the key's own unit") {
    CHECK(mebibytes("3000") == 3000);
    CHECK(mebibytes("1073741823", SizeUnit::bytes) == 1023);
    CHECK(mebibytes("1536m", SizeUnit::bytes) == 1536);
    CHECK(mebibytes("1048575", SizeUnit::bytes) == 0);
}

TEST_CASE("memory: what Spark refuses is refused, with the value and the accepted forms") {
    for (const char* text :
         {"1.5g",
          "4Gi",
          "1 g",
          "",
          " ",
          "g",
          "-1g",
          "-0",
          "+1g",
          "0x10",
          "1e3",
          "1gg",
          "2g;rm",
          "1_000m",
          "NaN",
          "\xd9\xa1g"}) {
        const auto size = parse_mebibytes(text, SizeUnit::mebibytes);
        REQUIRE_MESSAGE(!size.has_value(), std::string(text));
        CHECK(size.error().message.find(std::string("\"") + text) != std::string::npos);
        CHECK(size.error().message.find("such as 1536m or 4g") != std::string::npos);
    }
}

TEST_CASE("memory: overflow is an error, never a wrapped number") {
    for (const char* text :
         {"9223372036854775808",
          "99999999999999999999999999g",
          "9223372036854775807g",
          "9007199254740992p"}) {
        const auto size = parse_mebibytes(text, SizeUnit::mebibytes);
        REQUIRE_MESSAGE(!size.has_value(), std::string(text));
        CHECK(size.error().message.find("too large") != std::string::npos);
    }
    CHECK(mebibytes("8191p") == 8191LL * 1024 * 1024 * 1024);
    CHECK(mebibytes("9223372036854775807", SizeUnit::bytes) == (1LL << 43) - 1);
    CHECK(!parse_mebibytes("8192p", SizeUnit::mebibytes).has_value());
    CHECK(!parse_mebibytes("8192p", SizeUnit::bytes).has_value());
    CHECK(!parse_mebibytes("9223372036854775807", SizeUnit::mebibytes).has_value());
}
