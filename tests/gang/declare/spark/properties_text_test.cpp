// Texts of properties by chance, the limits of what is read, and references to other keys.

#include "gang/declare/spark/properties.hpp"
#include "gang/declare/spark/references.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace property_texts {

using gang::spark::read_properties;
using tests::Walk;

/// What lines of properties are made of.
const std::vector<std::string> pieces = {
    "spark.executor.cores",
    "spark.executor.memory",
    "spark.app.name",
    "spark.kubernetes.node.selector.a",
    "=",
    "=",
    ":",
    " ",
    "\t",
    "\f",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\\",
    "\\\n",
    "\\\r\n",
    "\\\r",
    "\\\\",
    "#",
    "!",
    "1",
    "2g",
    "value",
    "\\u0041",
    "\\u00e9",
    "\\uD83D\\uDE00",
    "\\uD83D",
    "\\uDBFF",
    "\\uDC00",
    "\\uDFFF",
    "\\uE000",
    "\\uD7FF",
    "\\n",
    "\\t",
    "\\f",
    "\\r",
    "\\=",
    "\\:",
    "\\ ",
    "\\q",
    "${spark.own}",
    "${spark.executor.cores}",
    "spark.own=7\n",
    "\nspark.executor.cores=",
    "\nspark.executor.memory="};

std::string draw(Walk& walk) {
    std::string text = walk.pick(4) > 0 ? "spark.executor.instances=3\n" : "";
    for (std::size_t i = walk.pick(14); i > 0; --i) {
        text += walk.of(pieces);
    }
    return text;
}

/// Empty: it is read.
std::string problem_of(const std::string& text) {
    const auto read = read_properties(text);
    return read ? std::string() : read.error().message;
}

bool is_refused(const std::string& text, const char* why) {
    return problem_of(text).find(why) != std::string::npos;
}

}  // namespace property_texts

}  // namespace

TEST_CASE("properties: texts of all pieces, in any order") {
    using namespace property_texts;
    Walk walk(10);
    std::string told;
    for (int i = 0; i < 700; ++i) {
        const std::string text = draw(walk);
        told += tests::told_text(text) + "\n  " +
                tests::told_result(read_properties(text), tests::told_map) + "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/properties", told);
}

TEST_CASE("properties: as many bytes as may be, and one more") {
    using namespace property_texts;
    const std::string first = "spark.executor.cores=1\n#";
    const std::string most =
        first + std::string(gang::spark::properties_bytes_max - first.size(), 'x');
    CHECK(problem_of(most).empty());
    CHECK(is_refused(most + "x", "larger than 1572864 bytes"));
}

TEST_CASE("properties: as many keys as may be") {
    using namespace property_texts;
    std::string text = "spark.executor.cores=1\n";
    for (std::size_t i = 1; i < gang::spark::properties_keys_max; ++i) {
        text += "a\n";
    }
    CHECK(problem_of(text).empty());  // one more: properties_test.cpp
}

TEST_CASE("properties: as many keys about executors as may be, and one more") {
    using namespace property_texts;
    std::string text;
    for (std::size_t i = 0; i < gang::spark::relevant_keys_max; ++i) {
        text += "spark.kubernetes.node.selector.k" + std::to_string(i) + "=1\n";
    }
    CHECK(read_properties(text)->size() == 1'000);
    CHECK(problem_of(text + "spark.kubernetes.node.selector.k0=2\nspark.app.name=x\n").empty());
    CHECK(is_refused(text + "spark.executor.cores=1\n", "more than 1000 keys about executors"));
}

TEST_CASE("properties: a value as long as may be, and one byte longer") {
    using namespace property_texts;
    const std::string longest =
        "spark.executor.cores=" + std::string(gang::spark::relevant_value_max, '1');
    CHECK(problem_of(longest).empty());
    CHECK(is_refused(longest + "1", "the value of \"spark.executor.cores\" is too long"));
    CHECK(problem_of("spark.app.name=" + std::string(5'000, '1')).empty());
}

TEST_CASE("properties: a value with its references replaced is as long as may be, or too long") {
    using namespace property_texts;
    const auto grown = [](std::size_t more) {
        return "spark.executor.memory=" + std::string(more, 'a') +
               "${spark.own}\nspark.own=" + std::string(2'000, 'b') + "\n";
    };
    CHECK(problem_of(grown(2'096)).empty());
    CHECK(is_refused(grown(2'097), "too long once its references are replaced"));
}

TEST_CASE("references: what is replaced, what stays, and what is refused") {
    std::string told;
    const gang::spark::LookUp look_up = [](std::string_view name) -> std::optional<std::string> {
        if (name == "spark.a") return "1";
        if (name == "spark.b") return "x${spark.a}y${spark.a}";
        if (name == "spark.self") return "${spark.self}";
        if (name == "spark.left") return "${spark.right}";
        if (name == "spark.right") return "${spark.left}";
        if (name == "spark.env") return "${env:HOME}";
        if (name == "spark.empty") return "";
        if (name == "own") return "never";
        return std::nullopt;
    };
    for (const char* value :
         {"",
          "plain",
          "$",
          "${",
          "${}",
          "${spark.a",
          "${spark.a}",
          "x${spark.a}",
          "${spark.a}y",
          "x${spark.a}y${spark.a}z",
          "${spark.b}",
          "${spark.b}${spark.b}",
          "${spark.self}",
          "${spark.left}",
          "${spark.env}",
          "${env:HOME}",
          "${system:x}",
          "${own}",
          "${spark.none}",
          "a${spark.none}b${spark.a}",
          "${spark.empty}",
          "${${spark.a}}",
          "}${spark.a}{",
          "$spark.a",
          "${environment}",
          "${ spark.a}",
          "${spark.a}${"}) {
        told += tests::told_text(value) + " " +
                tests::told_result(
                    gang::spark::expanded("spark.executor.memory", value, look_up),
                    [](const std::string& text) { return tests::told_text(text); }) +
                "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/references", told);
}

TEST_CASE("references: they lead so far, and no farther") {
    const auto depth = [](std::size_t most) {
        const gang::spark::LookUp look_up =
            [most](std::string_view name) -> std::optional<std::string> {
            const std::size_t at = std::stoul(std::string(name.substr(7)));
            return at == most ? "end" : "${spark.k" + std::to_string(at + 1) + "}";
        };
        return gang::spark::expanded("spark.executor.memory", "${spark.k1}", look_up).has_value();
    };
    CHECK(depth(16));
    CHECK_FALSE(depth(17));
}

TEST_CASE(
    "references: keys that Spark knows by name are expanded, those that it finds by a prefix are "
    "not") {
    using gang::spark::is_expanded;
    CHECK(is_expanded("spark.executor.memory"));
    CHECK(is_expanded("spark.unsafe.offHeap"));
    CHECK_FALSE(is_expanded("spark.executor.memory2"));
    CHECK_FALSE(is_expanded("spark.kubernetes.node.selector.a"));
    CHECK_FALSE(is_expanded(""));
}
