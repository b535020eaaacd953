#include "core/value/quantity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

using core::format_bytes;
using core::format_cpu;
using core::parse_milli;
using core::parse_whole;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t whole(std::string_view text) {
    const auto parsed = parse_whole(text);
    REQUIRE_MESSAGE(parsed.has_value(), std::string(text));
    return *parsed;
}

std::int64_t milli(std::string_view text) {
    const auto parsed = parse_milli(text);
    REQUIRE_MESSAGE(parsed.has_value(), std::string(text));
    return *parsed;
}

}  // namespace

TEST_CASE("quantity: every suffix has its factor") {
    CHECK(whole("1") == 1);
    CHECK(whole("3k") == 3'000);
    CHECK(whole("3M") == 3'000'000);
    CHECK(whole("3G") == 3'000'000'000);
    CHECK(whole("3T") == 3'000'000'000'000);
    CHECK(whole("3P") == 3'000'000'000'000'000);
    CHECK(whole("3E") == 3'000'000'000'000'000'000);
    CHECK(whole("3Ki") == 3LL << 10);
    CHECK(whole("3Mi") == 3LL << 20);
    CHECK(whole("3Gi") == 3LL << 30);
    CHECK(whole("3Ti") == 3LL << 40);
    CHECK(whole("3Pi") == 3LL << 50);
    CHECK(whole("3Ei") == 3LL << 60);
    CHECK(milli("3m") == 3);
    CHECK(milli("3000u") == 3);
    CHECK(milli("3000000n") == 3);
}

TEST_CASE("quantity: CPU in thousandths") {
    CHECK(milli("100m") == 100);
    CHECK(milli("0.1") == 100);
    CHECK(milli("2") == 2000);
    CHECK(milli("1.5") == 1500);
    CHECK(milli("1k") == 1'000'000);
    CHECK(milli("1Ki") == 1'024'000);
}

TEST_CASE("quantity: unusual but legal numbers") {
    CHECK(milli(".5") == 500);
    CHECK(milli("5.") == 5000);
    CHECK(whole("5.G") == 5'000'000'000);
    CHECK(whole("+12") == 12);
    CHECK(whole("-12") == -12);
    CHECK(whole("0007") == 7);
    CHECK(whole("000.5Ki") == 512);
    CHECK(whole("0") == 0);
    CHECK(whole("-0") == 0);
    CHECK(whole("0.000Ei") == 0);
    CHECK(whole("1.000000000000000000000000000000000000") == 1);
}

TEST_CASE("quantity: decimal exponents") {
    CHECK(whole("1e3") == 1000);
    CHECK(whole("1E3") == 1000);
    CHECK(whole("1e+3") == 1000);
    CHECK(whole("12.5e1") == 125);
    CHECK(whole("1500e-2") == 15);
    CHECK(milli("1e-3") == 1);
    CHECK(whole("0e99999999999999999999") == 0);
    CHECK(whole("1e0") == 1);
}

TEST_CASE("quantity: E alone is an exa, E with digits an exponent, Ei binary") {
    CHECK(whole("1E") == 1'000'000'000'000'000'000);
    CHECK(whole("1E1") == 10);
    CHECK(whole("1Ei") == 1LL << 60);
    CHECK_FALSE(parse_whole("1e").has_value());
    CHECK_FALSE(parse_whole("1e+").has_value());
    CHECK_FALSE(parse_whole("1Ei1").has_value());
    CHECK_FALSE(parse_whole("1e1.5").has_value());
    CHECK_FALSE(parse_whole("1e1Ki").has_value());
}

TEST_CASE("quantity: fractions of the unit are rounded up, negative ones away from zero") {
    CHECK(whole("1500m") == 2);
    CHECK(whole("1n") == 1);
    CHECK(milli("1n") == 1);
    CHECK(milli("1.0001") == 1001);
    CHECK(whole("0.1Ki") == 103);
    CHECK(whole("1.1Gi") == 1'181'116'007);
    CHECK(whole("-1500m") == -2);
    CHECK(whole("1e-10000") == 1);
    CHECK(whole("1e-99999999999999999999") == 1);
    CHECK(whole("0.00000000000000000001Ei") == 1);
    CHECK(whole("0.000000000000000001Ei") == 2);  // 1.15 bytes
}

TEST_CASE("quantity: digits beyond 64 bits are exact as long as the value fits") {
    CHECK(whole("9223372036854775807") == most);
    CHECK(whole("-9223372036854775807") == -most);
    CHECK(whole("9223372036854775806.5") == most);
    CHECK(whole("9223372036854775807000000n") == 9'223'372'036'854'776);
    CHECK(whole("7.999999999999999999Ei") == most);  // 2^63 - 1.15
    CHECK(milli("9223372036854775807m") == most);
    CHECK(whole("00000000000000000000000000000000000000000000000000000000001") == 1);
}

TEST_CASE("quantity: what does not fit is an error, never a wrapped or capped number") {
    for (const char* text :
         {"9223372036854775808",
          "-9223372036854775808",
          "8Ei",
          "7.9999999999999999999Ei",
          "10E",
          "1e19",
          "1e99999999999999999999",
          "9223372036854775807.1",
          "9223372036854775807k",
          "99999999999999999999999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_whole(text).has_value());
    }
    CHECK_FALSE(parse_milli("9223372036854776").has_value());
    CHECK_FALSE(parse_milli("7Ei").has_value());
    CHECK(parse_whole("8Ei").error().message == "\"8Ei\" does not fit in 64 bits");
}

TEST_CASE("quantity: what is not a quantity is an error") {
    for (const char* text :
         {"",      "+",     "-",    ".",   "+.",    "Ki",     "m",   "1.1.M", "1+1.0M",
          "0.1mi", "0.1am", "aoeu", ".5i", "1i",    "-3.01i", " 1",  "1 ",    "1 Gi",
          "1K",    "1ki",   "1KI",  "1B",  "0x10",  "--1",    "+-1", "1,5",   "1_000",
          "NaN",   "Inf",   "1GiB", "4g",  "512mb", "1mm",    "١",   "1\n",   "-3.01e-"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_whole(text).has_value());
        CHECK_FALSE(parse_milli(text).has_value());
    }
}

TEST_CASE("quantity: hostile text is refused quickly and quoted harmlessly") {
    CHECK_FALSE(parse_whole(std::string(1'000'000, '9')).has_value());
    CHECK_FALSE(parse_whole("0." + std::string(1'000'000, '0') + "1Ei").has_value());
    CHECK_FALSE(parse_whole("1e" + std::string(1'000'000, '9')).has_value());
    const auto with_nul = parse_whole(std::string_view("1\0Gi", 4));
    REQUIRE_FALSE(with_nul.has_value());
    CHECK(with_nul.error().message.find('\0') == std::string::npos);
    CHECK(parse_whole(std::string(1'000'000, 'x')).error().message.size() < 200);
}

TEST_CASE("quantity: amounts as people write them") {
    CHECK(format_cpu(0) == "0");
    CHECK(format_cpu(1500) == "1500m");
    CHECK(format_cpu(2000) == "2");
    CHECK(format_cpu(-500) == "-500m");
    CHECK(format_bytes(0) == "0");
    CHECK(format_bytes(1) == "1");
    CHECK(format_bytes(1476395008) == "1408Mi");
    CHECK(core::format_bytes_short(1476395008) == "1408Mi");
    CHECK(core::format_bytes_short(0) == "0");
    CHECK(core::format_bytes_short(1000) == "1000");
    CHECK(core::format_bytes_short(24369LL << 20) == "23.8Gi");  // D38
    CHECK(core::format_bytes_short(230793LL << 20) == "225.4Gi");
    CHECK(core::format_bytes_short((16LL << 30) + 1) == "16.0Gi");
    CHECK(core::format_bytes_short(1234567) == "1.2Mi");
    CHECK(core::format_bytes_short(std::numeric_limits<std::int64_t>::max()) == "8.0Ei");
    CHECK(format_bytes(1LL << 30) == "1Gi");
    CHECK(format_bytes(1LL << 60) == "1Ei");
    CHECK(format_bytes(-(1LL << 20)) == "-1Mi");
    CHECK(format_bytes(1000) == "1000");
    CHECK(format_bytes(std::numeric_limits<std::int64_t>::min()) == "-8Ei");
}
