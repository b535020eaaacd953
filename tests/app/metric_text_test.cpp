#include "gang/app/metric_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>

using namespace gang::app;

TEST_CASE("metric text: numbers, labels and help as Prometheus reads them") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::vector<MetricFamily> families = {
        {"a_total", "Back\\slash, a \"quote\",\nanother line.", MetricType::counter, {{{}, 3, {}}}},
        {"b",
         "B.",
         MetricType::gauge,
         {{{{"x", "1"}, {"y", "a\"b\\c\nd"}}, 0.1 + 0.2, {}},
          {{{"x", "2"}}, 1e-5, {}},
          {{{"x", "3"}}, -infinite, {}},
          {{{"x", "4"}}, std::numeric_limits<double>::quiet_NaN(), {}},
          {{{"x", "5"}}, 12'345'678'901'234, {}}}},
        {"nothing", "Left out.", MetricType::gauge, {}},
    };
    CHECK(
        to_text(families) ==
        "# HELP a_total Back\\\\slash, a \"quote\",\\nanother line.\n"
        "# TYPE a_total counter\n"
        "a_total 3\n"
        "# HELP b B.\n"
        "# TYPE b gauge\n"
        "b{x=\"1\",y=\"a\\\"b\\\\c\\nd\"} 0.3\n"
        "b{x=\"2\"} 1e-05\n"
        "b{x=\"3\"} -Inf\n"
        "b{x=\"4\"} NaN\n"
        "b{x=\"5\"} 12345678901234\n");
}

TEST_CASE("metric text: a histogram's buckets add up, and a bound is inside") {
    constexpr std::array bounds = {0.5, 1.0};
    Histogram histogram(bounds);
    for (const double value : {0.5, 0.75, 1.0, 1.5}) {
        histogram.observe(value);
    }
    CHECK(
        to_text({{"h", "H.", MetricType::histogram, {{{{"v", "w"}}, 0, histogram.seen()}}}}) ==
        "# HELP h H.\n"
        "# TYPE h histogram\n"
        "h_bucket{v=\"w\",le=\"0.5\"} 1\n"
        "h_bucket{v=\"w\",le=\"1\"} 3\n"
        "h_bucket{v=\"w\",le=\"+Inf\"} 4\n"
        "h_sum{v=\"w\"} 3.75\n"
        "h_count{v=\"w\"} 4\n");
}
