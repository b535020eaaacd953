#include "gang/app/exposition.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace gang::app;

TEST_CASE("exposition: a family is its help, its type and its values") {
    Exposition to;
    to.counter("a_total", "What a is.", 3);
    to.begin("b", "What b is.", MetricType::gauge);
    to.add(0.25, {{"x", "1"}, {"y", "two"}});
    to.add(-7, {{"x", "2"}, {"y", ""}});
    CHECK(
        to.take() ==
        "# HELP a_total What a is.\n# TYPE a_total counter\na_total 3\n"
        "# HELP b What b is.\n# TYPE b gauge\n"
        "b{x=\"1\",y=\"two\"} 0.25\nb{x=\"2\",y=\"\"} -7\n");
    CHECK(to.take().empty());
}

TEST_CASE("exposition: what would end a label's value or its line is escaped") {
    Exposition to;
    to.begin("a", "h", MetricType::gauge);
    to.add(1, {{"x", "q\"b\\n\nend"}});
    CHECK(to.take().ends_with("\na{x=\"q\\\"b\\\\n\\nend\"} 1\n"));
}

TEST_CASE("exposition: numbers keep sixteen digits, and those without any have names") {
    const auto text_of = [](double number) {
        Exposition to;
        to.begin("a", "h", MetricType::gauge);
        to.add(number);
        const std::string text = to.take();
        return text.substr(text.find("\na ") + 3);
    };
    CHECK(text_of(0.1) == "0.1\n");
    CHECK(text_of(1795317808.89) == "1795317808.89\n");
    CHECK(text_of(274'877'906'944) == "274877906944\n");
    CHECK(text_of(0.00001) == "1e-05\n");
    CHECK(text_of(std::numeric_limits<double>::infinity()) == "+Inf\n");
    CHECK(text_of(-std::numeric_limits<double>::infinity()) == "-Inf\n");
    CHECK(text_of(std::numeric_limits<double>::quiet_NaN()) == "NaN\n");
}

TEST_CASE("exposition: buckets of a histogram add up, and a bound is part of its bucket") {
    Histogram histogram({0.5, 1, 10});
    for (const double value : {0.5, 0.75, 1.0, 3.0, 11.0, 12.0}) {
        histogram.observe(value);
    }
    Exposition to;
    to.begin("a", "h", MetricType::histogram);
    to.add(histogram, {{"x", "1"}});
    CHECK(
        to.take() ==
        "# HELP a h\n# TYPE a histogram\n"
        "a_count{x=\"1\"} 6\na_sum{x=\"1\"} 28.25\n"
        "a_bucket{x=\"1\",le=\"0.5\"} 1\na_bucket{x=\"1\",le=\"1\"} 3\n"
        "a_bucket{x=\"1\",le=\"10\"} 4\na_bucket{x=\"1\",le=\"+Inf\"} 6\n");
}

TEST_CASE("exposition: a histogram that saw nothing has all its buckets") {
    Exposition to;
    to.begin("a", "h", MetricType::histogram);
    to.add(Histogram({2}));
    CHECK(to.take().ends_with(
        "\na_count 0\na_sum 0\na_bucket{le=\"2\"} 0\na_bucket{le=\"+Inf\"} 0\n"));
}
