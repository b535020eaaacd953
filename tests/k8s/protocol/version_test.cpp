#include "k8s/protocol/version.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using k8s::protocol::compare_versions;

TEST_CASE("A4: version: decimals of any length are ordered as numbers") {
    CHECK(compare_versions("9", "10") == std::partial_ordering::less);
    CHECK(compare_versions("10", "9") == std::partial_ordering::greater);
    CHECK(compare_versions("123", "123") == std::partial_ordering::equivalent);
    CHECK(
        compare_versions("99999999999999999999998", "99999999999999999999999") ==
        std::partial_ordering::less);
    CHECK(
        compare_versions(std::string(40, '9'), "1" + std::string(40, '0')) ==
        std::partial_ordering::less);
}

TEST_CASE("A4: version: what is no real version is never ordered") {
    for (const char* bad : {"", "0", "01", "1a", "-1", " 1", "latest"}) {
        CAPTURE(bad);
        CHECK(compare_versions(bad, "5") == std::partial_ordering::unordered);
        CHECK(compare_versions("5", bad) == std::partial_ordering::unordered);
    }
}

TEST_CASE("A4: version: the order is that of big integers") {
    // The oracle adds from the last digit on and never compares texts: a > b if a - b has no
    // borrow.
    const auto is_less = [](const std::string& a, const std::string& b) {
        const std::size_t size = std::max(a.size(), b.size());
        const std::string left = std::string(size - a.size(), '0') + a;
        const std::string right = std::string(size - b.size(), '0') + b;
        int borrow = 0;
        for (std::size_t i = size; i-- > 0;) borrow = left[i] - right[i] - borrow < 0 ? 1 : 0;
        return borrow == 1;
    };
    std::mt19937 random(20260913);
    const auto draw = [&] {
        std::string text(1, static_cast<char>('1' + random() % 9));
        const std::size_t size = 1 + random() % 30;
        while (text.size() < size) text += static_cast<char>('0' + random() % 10);
        return text;
    };
    for (int i = 0; i < 5'000; ++i) {
        const std::string a = draw();
        std::string b = draw();
        if (i % 3 == 0) b = a;
        if (i % 6 == 0) b.back() = static_cast<char>('0' + random() % 10);
        if (b.front() == '0') continue;
        CAPTURE(a);
        CAPTURE(b);
        CHECK((compare_versions(a, b) == std::partial_ordering::less) == is_less(a, b));
        CHECK((compare_versions(b, a) == std::partial_ordering::less) == is_less(b, a));
        CHECK((compare_versions(a, b) == std::partial_ordering::equivalent) == (a == b));
    }
}
