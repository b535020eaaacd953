// Values that people write into labels and annotations by hand.
#include "gang/declare/declaration_values.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace gang;

namespace {

constexpr std::int64_t one_gibibyte = std::int64_t{1} << 30;

void check_memory(const char* text, BareMemory bare, std::int64_t bytes) {
    const auto read = read_memory(text, bare);
    REQUIRE_MESSAGE(read, text, ": ", (read ? "" : read.error().message));
    CHECK_MESSAGE(*read == bytes, text);
}

}  // namespace

TEST_CASE("declared values: two GiB in every form") {
    for (const char* text : {"2g", "2gb", "2048m", "2048mb", "2Gi", "2048Mi", "2097152k"}) {
        check_memory(text, BareMemory::bytes, 2 * one_gibibyte);
        check_memory(text, BareMemory::gibibytes, 2 * one_gibibyte);
    }
    check_memory("2147483648", BareMemory::bytes, 2 * one_gibibyte);
    check_memory("2", BareMemory::gibibytes, 2 * one_gibibyte);
}

TEST_CASE("declared values: small letters are binary, Kubernetes' capitals are not") {
    check_memory("1k", BareMemory::bytes, 1024);
    check_memory("1K", BareMemory::bytes, 1000);
    check_memory("3M", BareMemory::bytes, 3'000'000);
    check_memory("1t", BareMemory::bytes, std::int64_t{1} << 40);
    check_memory("1.5Gi", BareMemory::bytes, one_gibibyte + one_gibibyte / 2);
    check_memory("500m", BareMemory::bytes, 500 << 20);
}

TEST_CASE("declared values: what is no memory is refused, with the accepted forms") {
    for (const char* text :
         {"", " ", "lots", "-1", "+1", "0", "0g", "0Gi", "NaN", "nan", "inf", "1e400", "1e9", "0x10",
          "1.5g", "2 g", "2g ", " 2g", "2gg", "2GB", "2Gib", "2n", "2u", "g", "Gi", ".", "1.", ".5Gi",
          "1.2.3Gi", "\xD9\xA2", "2\xE2\x80\x8Bg", "2g;rm", "--", "9223372036854775807g",
          "99999999999999999999999", "9223372036854775807Gi"}) {
        for (const BareMemory bare : {BareMemory::bytes, BareMemory::gibibytes}) {
            const auto read = read_memory(text, bare);
            REQUIRE_FALSE_MESSAGE(read, text);
            const std::string& why = read.error().message;
            const bool helps = why.find("4Gi") != std::string::npos ||
                               why.find("too large") != std::string::npos ||
                               why.find("64 bits") != std::string::npos;
            CHECK_MESSAGE(helps, why);
        }
    }
}

TEST_CASE("declared values: a number of bytes that must be a forgotten unit") {
    CHECK_FALSE(read_memory("2", BareMemory::bytes));
    CHECK_FALSE(read_memory("4096", BareMemory::bytes));
    CHECK(read_memory("1048576", BareMemory::bytes));
    // 2^33 GiB does not fit 64 bits of bytes.
    CHECK(read_memory("8589934591", BareMemory::gibibytes));
    CHECK_FALSE(read_memory("8589934592", BareMemory::gibibytes));
}

TEST_CASE("declared values: cores") {
    CHECK(*read_cpu("1") == 1000);
    CHECK(*read_cpu("500m") == 500);
    CHECK(*read_cpu("0.5") == 500);
    CHECK(*read_cpu("2.25") == 2250);
    CHECK(*read_cpu("1000000000") == 1'000'000'000'000);
    for (const char* text :
         {"", "0", "0m", "0.0", "-1", "+1", "lots", "1k", "1e3", "0x10", "NaN", "1.5m", ".5", "1.",
          "1 ", "\xEF\xBC\x91", "99999999999999999999", "1m m", "m"}) {
        const auto read = read_cpu(text);
        CHECK_FALSE_MESSAGE(read, text);
    }
}

TEST_CASE("declared values: counts, flags, devices and priorities") {
    CHECK(*read_count("0") == 0);
    CHECK(*read_count("999999999") == 999'999'999);
    for (const char* text :
         {"", "-1", "+1", "1.0", "1e3", "NaN", "ten", "1000000000", "99999999999999999999", " 1",
          "\xD9\xA1"}) {
        CHECK_FALSE_MESSAGE(read_count(text), text);
    }
    CHECK(*read_flag("TRUE"));
    CHECK_FALSE(*read_flag("false"));
    CHECK_FALSE(read_flag(""));
    CHECK_FALSE(read_flag("yes"));
    CHECK(*read_devices("0") == 0);
    CHECK_FALSE(read_devices("500m"));
    CHECK(*read_priority("-2147483648") == std::numeric_limits<std::int32_t>::min());
    CHECK_FALSE(read_priority("2147483648"));
    CHECK_FALSE(read_priority("1x"));
    CHECK_FALSE(read_priority(""));
}

TEST_CASE("declared values: tolerations, as kubectl writes taints") {
    const auto read = read_tolerations("dedicated=spark:NoSchedule, gpu ,*,spot=:NoExecute");
    REQUIRE(read);
    REQUIRE(read->size() == 4);
    CHECK(
        (*read)[0] ==
        core::Toleration{"dedicated", false, "spark", false, core::TaintEffect::no_schedule, -1});
    CHECK((*read)[1] == core::Toleration{"gpu", true, "", true, {}, -1});
    CHECK((*read)[2] == core::Toleration{"", true, "", true, {}, -1});
    CHECK(
        (*read)[3] ==
        core::Toleration{"spot", false, "", false, core::TaintEffect::no_execute, -1});
    for (const char* text : {"", "a,", ":NoSchedule", "=x", "a b", "**"}) {
        const auto refused = read_tolerations(text);
        REQUIRE_MESSAGE(!refused, text);
        CHECK(
            refused.error().message.find("expected taints such as dedicated") != std::string::npos);
    }
    CHECK(
        read_tolerations("dedicated=spark:Noschedule").error().message ==
        "\"dedicated=spark:Noschedule\", expected an effect NoSchedule, PreferNoSchedule or "
        "NoExecute");
}
