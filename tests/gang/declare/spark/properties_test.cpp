#include "gang/declare/spark/properties.hpp"

#include "gang/declare/spark/text.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::spark::is_relevant;
using gang::spark::read_properties;

namespace {

core::StringMap read(const std::string& text) {
    auto result = read_properties(text);
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    return *result;
}

/// What the reader makes of a raw value.
std::string value_of(const std::string& raw) {
    const auto map = read("spark.kubernetes.node.selector.x=" + raw);
    REQUIRE(map.size() == 1);
    return map[0].second;
}

std::string problem(const std::string& text) {
    const auto result = read_properties(text);
    REQUIRE(!result.has_value());
    return result.error().message;
}

using Pairs = core::StringMap;

}  // namespace

TEST_CASE("properties: what Spark writes is read, what sizing does not need is forgotten") {
    const auto map = read(
        "#Java properties built from Kubernetes config map with name: spark-drv-1-conf-map\n"
        "#Sat Nov 21 03:28:32 UTC 2026\n"
        "spark.master=k8s\\://https\\://127.0.0.1\\:16443\n"
        "spark.hadoop.fs.s3a.secret.key=hunter2\n"
        "spark.executor.memory=4g\n"
        "spark.kubernetes.driver.master=https\\://127.0.0.1\\:16443\n"
        "spark.submit.pyFiles=\n");
    CHECK(
        map == Pairs{
                   {"spark.executor.memory", "4g"},
                   {"spark.kubernetes.driver.master", "https://127.0.0.1:16443"}});
}

TEST_CASE("properties: comments and blank lines") {
    const auto map = read(
        "  # spark.executor.memory=1g\n"
        "\t! spark.executor.memory=2g\n"
        "\n  \t \r\n"
        "# a comment does not go on \\\n"
        "spark.executor.cores=3\n"
        "spark.executor.instances=5 # not a comment\n");
    CHECK(
        map ==
        Pairs{{"spark.executor.cores", "3"}, {"spark.executor.instances", "5 # not a comment"}});
}

TEST_CASE("properties: equals sign, colon and blanks separate key and value") {
    for (const char* line :
         {"spark.executor.cores=4",
          "spark.executor.cores:4",
          "spark.executor.cores 4",
          "spark.executor.cores\t4",
          "spark.executor.cores\f4",
          "  spark.executor.cores  =  4",
          "spark.executor.cores : 4",
          "spark.executor.cores\t \t=4"}) {
        CAPTURE(std::string(line));
        CHECK(read(line) == Pairs{{"spark.executor.cores", "4"}});
    }
    CHECK(value_of("=b") == "=b");
    CHECK(value_of(" : b ") == ": b ");
    CHECK(read("spark.executor.cores") == Pairs{{"spark.executor.cores", ""}});
    CHECK(read("spark.executor.cores =") == Pairs{{"spark.executor.cores", ""}});
}

TEST_CASE("properties: an escaped separator belongs to the key") {
    CHECK(
        read("spark.kubernetes.node.selector.a\\:b\\=c\\ d=e") ==
        Pairs{{"spark.kubernetes.node.selector.a:b=c d", "e"}});
}

TEST_CASE("properties: line ends of all three kinds") {
    const auto map =
        read("spark.executor.cores=1\rspark.executor.memory=2g\r\nspark.executor.instances=3\n");
    CHECK(map.size() == 3);
    CHECK(map[2].second == "2g");
}

TEST_CASE("properties: a backslash at the end joins the next line without its indent") {
    CHECK(value_of("a\\\n    b") == "ab");
    CHECK(value_of("a\\\r\n\tb") == "ab");
    CHECK(value_of("a\\\n# b") == "a# b");
    CHECK(value_of("a\\\\\n") == "a\\");
    CHECK(value_of("a\\\\\\\nb") == "a\\b");
    CHECK(value_of("a\\\n\nspark.executor.cores.ignored=1") == "a");
    CHECK(value_of("a\\") == "a");
    CHECK(read("spark.executor.\\\n   cores\\\n   = 7") == Pairs{{"spark.executor.cores", "7"}});
}

TEST_CASE("properties: escapes") {
    CHECK(value_of("a\\tb\\nc\\rd\\fe") == "a\tb\nc\rd\fe");
    CHECK(value_of("\\ leading") == " leading");
    CHECK(value_of("\\q\\#\\!") == "q#!");
    CHECK(value_of("\\u0041\\u00e9\\u20AC") == "A\xc3\xa9\xe2\x82\xac");
    CHECK(value_of("\\uD83D\\uDE00") == "\xf0\x9f\x98\x80");
    CHECK(value_of("\\uD83F\\uDFFF\\uD800\\uDC00") == "\xf0\x9f\xbf\xbf\xf0\x90\x80\x80");
    CHECK(value_of("\\uD83D\\uE000") == "\xef\xbf\xbd\xee\x80\x80");
    CHECK(value_of("\\uD83D!") == "\xef\xbf\xbd!");
    CHECK(value_of("\\uDE00\\uD83D") == "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(
        value_of("\xc3\x9c"
                 "ber") ==
        "\xc3\x9c"
        "ber");
}

TEST_CASE("properties: the last of several equal keys counts, however it is written") {
    CHECK(
        read("spark.executor.cores=1\nspark.executor.\\u0063ores=2\n") ==
        Pairs{{"spark.executor.cores", "2"}});
}

TEST_CASE("properties: a malformed unicode escape is an error that does not show the value") {
    for (const char* raw : {"secret\\u12", "secret\\u12g4", "secret\\u", "secret\\u-123"}) {
        const auto text = problem("spark.password=" + std::string(raw));
        CHECK(text.find("spark.password") != std::string::npos);
        CHECK(text.find("secret") == std::string::npos);
    }
}

TEST_CASE("properties: what is not properties is refused") {
    CHECK(problem("").find("no key begins with") != std::string::npos);
    CHECK(problem("{\"a\": 1}\nhello: world\n").find("no key begins with") != std::string::npos);
    CHECK(problem(std::string("spark.executor.cores=1\0", 23)).find("NUL") != std::string::npos);
    CHECK(problem("spark.executor.cores=\xff\xfe").find("UTF-8") != std::string::npos);
    CHECK(problem(std::string(2'000'000, 'x')).find("larger than") != std::string::npos);
    std::string many;
    for (int i = 0; i < 100'001; ++i) {
        many += "a=1\n";
    }
    CHECK(problem(many).find("more than 100000 keys") != std::string::npos);
    CHECK(
        problem("spark.executor.memory=" + std::string(5000, '1')).find("too long") !=
        std::string::npos);
}

TEST_CASE("properties: the relevant keys") {
    for (const char* key :
         {"spark.executor.memory",
          "spark.kubernetes.node.selector.disk",
          "spark.kubernetes.executor.node.selector.pool",
          "spark.executor.resource.gpu.amount",
          "spark.executor.resource.gpu.vendor",
          "spark.dynamicAllocation.maxExecutors"}) {
        CHECK_MESSAGE(is_relevant(key), std::string(key));
    }
    for (const char* key :
         {"",
          "spark.executor",
          "spark.executor.memory2",
          "spark.ssl.keyPassword",
          "spark.kubernetes.driver.node.selector.pool",
          "spark.app.name"}) {
        CHECK_MESSAGE(!is_relevant(key), std::string(key));
    }
}

TEST_CASE("text: only well-formed UTF-8 is UTF-8") {
    using gang::spark::is_utf8;
    CHECK(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    // The first and the last of what is allowed, by length.
    for (const char* text :
         {"\x01",
          "\x7f",
          "\xc2\x80",
          "\xdf\xbf",
          "\xe0\xa0\x80",
          "\xed\x9f\xbf",
          "\xee\x80\x80",
          "\xef\xbf\xbf",
          "\xf0\x90\x80\x80",
          "\xf4\x8f\xbf\xbf"}) {
        CHECK(is_utf8(text));
    }
    for (const char* text :
         {"\xc1\xbf",
          "\xed\xbf\xbf",
          "\xf0\x8f\xbf\xbf",
          "\xc2\xc0",
          "\xe0\xa0\x7f",
          "\xe0\xa0\xc0",
          "\xf0\x90\x80\x7f",
          "\xff",
          "12345678\x80",
          "1234567\x80"}) {
        CHECK(!is_utf8(text));
    }
    for (const char* text :
         {"\x80",
          "\xc0\xaf",
          "\xc3",
          "\xe0\x80\xaf",
          "\xed\xa0\x80",
          "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80",
          "\xe2\x82",
          "\xf0\x9f\x98"}) {
        CHECK(!is_utf8(text));
    }
}

TEST_CASE("text: a code point is written as it is read, and one that is none as U+FFFD") {
    const auto utf8 = [](std::uint32_t code_point) {
        std::string text;
        gang::spark::append_utf8(text, code_point);
        return text;
    };
    CHECK(utf8(0x7f) == "\x7f");
    CHECK(utf8(0x80) == "\xc2\x80");
    CHECK(utf8(0x7ff) == "\xdf\xbf");
    CHECK(utf8(0x800) == "\xe0\xa0\x80");
    CHECK(utf8(0xd7ff) == "\xed\x9f\xbf");
    CHECK(utf8(0xe000) == "\xee\x80\x80");
    CHECK(utf8(0xffff) == "\xef\xbf\xbf");
    CHECK(utf8(0x10000) == "\xf0\x90\x80\x80");
    CHECK(utf8(0x10ffff) == "\xf4\x8f\xbf\xbf");
    for (const std::uint32_t none : {0xd800U, 0xdfffU, 0x110000U}) {
        CHECK(utf8(none) == "\xef\xbf\xbd");
    }
}

TEST_CASE("text: a quoted value is short and cannot draw on a terminal") {
    using gang::spark::quoted;
    CHECK(quoted("a\x1b[2J\nb") == "\"a?[2J?b\"");
    CHECK(quoted(std::string(200, 'a')) == "\"" + std::string(80, 'a') + "...\"");
    CHECK(quoted(std::string(80, 'a')) == "\"" + std::string(80, 'a') + "\"");
    CHECK(quoted("a\x1f \x7f~") == "\"a? ?~\"");
    CHECK(quoted(std::string(79, 'a') + "\xc3\xa9") == "\"" + std::string(79, 'a') + "...\"");
}

TEST_CASE("properties: references to other keys are replaced as Spark does") {
    const auto value = [](const std::string& more) {
        const auto read = read_properties("spark.executor.instances=${spark.own}\n" + more);
        REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
        return *core::find_value(*read, "spark.executor.instances");
    };
    CHECK(value("spark.own=3\n") == "3");
    CHECK(value("spark.own=${spark.more}4\nspark.more=1\n") == "14");
    CHECK(value("") == "${spark.own}");  // Spark leaves it, and then refuses the number
    const auto problem = [](const char* text) {
        const auto read = read_properties(text);
        REQUIRE(!read.has_value());
        return read.error().message;
    };
    CHECK(problem("spark.executor.memory=${env:SIZE}\n").find("environment") != std::string::npos);
    CHECK(
        problem("spark.executor.memory=${spark.a}\nspark.a=${spark.b}\nspark.b=${spark.a}\n")
            .find("themselves") != std::string::npos);
    const auto chain = [](int references) {
        std::string text = "spark.executor.memory=";
        for (int i = 0; i < references; ++i) {
            text += "${spark.k" + std::to_string(i) + "}\nspark.k" + std::to_string(i) + "=";
        }
        return text + "1\n";
    };
    CHECK(read_properties(chain(8)).has_value());
    CHECK_FALSE(read_properties(chain(9)).has_value());
    // A bomb: sixteen levels of ten each.
    std::string bomb = "spark.executor.memory=${spark.k0}\n";
    for (int i = 0; i < 16; ++i) {
        bomb += "spark.k" + std::to_string(i) + "=";
        for (int j = 0; j < 10; ++j) {
            bomb += "${spark.k" + std::to_string(i + 1) + "}";
        }
        bomb += "\n";
    }
    CHECK(problem(bomb.c_str()).find("references") != std::string::npos);
    // Labels and selectors are read by prefix, and such values are not looked into.
    const auto kept = read_properties("spark.kubernetes.node.selector.a=${spark.b}\nspark.b=x\n");
    REQUIRE(kept.has_value());
    CHECK(kept->front().second == "${spark.b}");
}
