#include "tests/bench/scale/spark_mix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t drawn = 400'000;

std::vector<std::int64_t> sorted_executors() {
    scale::SparkMix mix(1);
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < drawn; ++i) {
        out.push_back(mix.next().executors);
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

TEST_CASE("spark mix: executors per application have the quantiles they are meant to have") {
    const auto sizes = sorted_executors();
    struct Expected {
        double share;
        double executors;
    };
    for (const Expected& expected :
         {Expected{0.10, 3},
          {0.25, 6},
          {0.50, 16},
          {0.75, 47},
          {0.90, 132},
          {0.95, 236},
          {0.99, 571},
          {0.999, 1'290}}) {
        CAPTURE(expected.share);
        const auto found = sizes[static_cast<std::size_t>(expected.share * drawn)];
        CHECK(static_cast<double>(found) == doctest::Approx(expected.executors).epsilon(0.03));
    }
    const double mean =
        std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
    CHECK(mean == doctest::Approx(53.6).epsilon(0.02));
    CHECK(sizes.front() == 1);
    CHECK(sizes.back() <= scale::SparkMix::executors_max);
}

TEST_CASE("spark mix: executors have six shapes, each with Spark's overhead") {
    scale::SparkMix mix(2);
    std::map<std::pair<std::int64_t, std::int64_t>, double> share;
    for (std::size_t i = 0; i < drawn; ++i) {
        const auto executor = mix.next().executor();
        share[{executor.cpu_milli, executor.memory_bytes / (1024 * 1024)}] += 1.0 / drawn;
    }
    REQUIRE(share.size() == 6);
    // 384 MiB is more than a tenth of 1 GiB only; Spark cuts fractions of a MiB.
    CHECK(share[{1'000, 4'505}] == doctest::Approx(0.15).epsilon(0.02));
    CHECK(share[{2'000, 9'011}] == doctest::Approx(0.25).epsilon(0.02));
    CHECK(share[{4'000, 18'022}] == doctest::Approx(0.35).epsilon(0.02));
    CHECK(share[{5'000, 22'528}] == doctest::Approx(0.10).epsilon(0.02));
    CHECK(share[{8'000, 36'044}] == doctest::Approx(0.10).epsilon(0.02));
    CHECK(share[{4'000, 36'044}] == doctest::Approx(0.05).epsilon(0.03));
}

TEST_CASE("spark mix: the same seed gives the same applications") {
    scale::SparkMix one(7);
    scale::SparkMix other(7);
    for (int i = 0; i < 1'000; ++i) {
        const auto a = one.next();
        const auto b = other.next();
        CHECK(a.executors == b.executors);
        CHECK(a.driver == b.driver);
    }
}
