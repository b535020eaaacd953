// Single values of confs, and single words: all forms on both sides of what Spark accepts.

#include "gang/declare/spark/conf_view.hpp"

#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/memory.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/declare/spark/version.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using gang::spark::ConfView;
using gang::spark::SizeUnit;
using gang::spark::Suffixes;
using tests::told_result;
using tests::told_text;

const std::vector<std::string> conf_numbers = {
    "",
    " ",
    "+",
    "-",
    "1",
    "+1",
    "+-1",
    "++1",
    "-1",
    "-0",
    "0",
    "00",
    "007",
    "12",
    " 12 ",
    "\t12\n",
    "1 2",
    "12x",
    "x12",
    "1_0",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "99999999999999999999",
    "0.0",
    "0.1",
    "1.",
    ".5",
    ".",
    "5d",
    "5D",
    "5f",
    "5F",
    "5g",
    "5.f",
    ".d",
    "d",
    "dd",
    "5dd",
    "ff",
    "5e3",
    "5e3f",
    "5E-3d",
    "1e",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-400",
    "1e308",
    "1.8e308",
    "4.9e-324",
    "1e400x",
    "Infinity",
    "+Infinity",
    "-Infinity",
    "Infinityd",
    "infinity",
    "inf",
    "NaN",
    "nan",
    "0x1p1",
    "0X1P1",
    "0x1",
    "0X1",
    "0x1.8p1",
    "0x1.8p1f",
    "0x1f",
    "0xfp1",
    "0xfp1d",
    "0x",
    "0xp1",
    "0x1p",
    "+0x1p2",
    "0x1p2000",
    "0x1p-2000",
    "x1p1",
    "1p1",
    "true",
    "TRUE",
    " True ",
    "false",
    "FALSE",
    "tru",
    "truee",
    "yes",
    "4g",
    "4G",
    "-4g",
    "--4g",
    "-0g",
    "+4g",
    "4Gi",
    "-4Gi",
    "1048576",
    "1048575b",
    "1b",
    "1kib",
    "1ki",
    "1i",
    "1ib",
    "1bi",
    "1bib",
    "1kii",
    "1xib",
    "1 g",
    " 1g ",
    "1.5g",
    "1mb",
    "1Mb",
    "1tb",
    "1pb",
    "1p",
    "8191p",
    "8192p",
    "8192pb",
    "8388607t",
    "8388608t",
    "8589934591g",
    "8589934592g",
    "8796093022207m",
    "8796093022208m",
    "8796093022207",
    "8796093022208",
    "9007199254740991k",
    "9007199254740992k",
    "9223372036854775807",
    "9223372036854775807b",
    "9223372036854775808b",
    "-9223372036854775809",
    "\x01\x20"
    "7\x20",
    "7\x7f",
    "1gb ",
    "1gbb",
    "1eb",
    "1e"};

std::string told_integer(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "none";
}

std::string told_double(const std::optional<double>& value) {
    return !value               ? "none"
           : std::isinf(*value) ? "infinite"
                                : std::to_string(*value * 1'000) + "/1000";
}

std::string told_whole(std::int64_t value) {
    return std::to_string(value);
}

}  // namespace

TEST_CASE("conf view: every form of a number, a size and a flag") {
    std::string told;
    for (const std::string& text : conf_numbers) {
        const core::StringMap properties = {{"spark.a", text}};
        const ConfView old(properties, {4, 1});
        const ConfView binary(properties, {4, 2});
        told += told_text(text) + "\n";
        const auto integer = old.find_integer("spark.a");
        told += "  integer " + told_result(integer, told_integer) + "\n";
        if (integer) {
            told +=
                "  at least 1 " + told_result(old.integer_or("spark.a", 5, 1), told_whole) + "\n";
        }
        told += "  factor " +
                told_result(old.find_factor("spark.a", gang::spark::Zero::refused), told_double);
        told +=
            old.find_factor("spark.a", gang::spark::Zero::allowed) ? "\n" : ", nor may it be 0\n";
        const auto flag = old.boolean_or("spark.a", false);
        told += flag ? (*flag ? "  true\n" : "  false\n") : "";
        told += "  MiB " + told_result(old.find_mebibytes("spark.a"), told_integer) + "\n";
        told += "  with a sign " +
                told_result(
                    binary.find_mebibytes("spark.a", gang::spark::Sign::any),
                    [](const auto& value) { return told_integer(value); })
                    .substr(0, 30) +
                "\n";
        told += "  of bytes " +
                told_result(binary.find_bytes_in_mebibytes("spark.a"), told_integer).substr(0, 30) +
                "\n";
        for (const SizeUnit unit : {SizeUnit::bytes, SizeUnit::mebibytes}) {
            told += "  " +
                    told_result(
                        gang::spark::parse_bytes(text, unit, Suffixes::jvm_and_binary), told_whole)
                        .substr(0, 30);
        }
        told += "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/conf_values", told);
}

TEST_CASE("conf view: what is not set is the fallback, whatever it is") {
    const core::StringMap none;
    const ConfView view(none);
    CHECK(view.find("spark.a") == nullptr);
    CHECK_FALSE(view.find_integer("spark.a")->has_value());
    CHECK(*view.integer_or("spark.a", 3, 5) == 3);
    CHECK(*view.boolean_or("spark.a", true));
    CHECK_FALSE(*view.boolean_or("spark.a", false));
    CHECK_FALSE(view.find_mebibytes("spark.a")->has_value());
    CHECK_FALSE(view.find_bytes_in_mebibytes("spark.a")->has_value());
    CHECK_FALSE(view.find_factor("spark.a", gang::spark::Zero::refused)->has_value());
    CHECK(view.suffixes() == Suffixes::jvm);
    CHECK(ConfView(none, {4, 1}).suffixes() == Suffixes::jvm);
    CHECK(ConfView(none, {4, 2}).suffixes() == Suffixes::jvm_and_binary);
    CHECK(ConfView(none, {5, 0}).suffixes() == Suffixes::jvm_and_binary);
}

TEST_CASE("conf view: an integer counts from the least that is allowed on") {
    const core::StringMap three = {{"spark.a", "3"}};
    const ConfView view(three);
    CHECK(*view.integer_or("spark.a", 7, 3) == 3);
    const auto more = view.integer_or("spark.a", 7, 4);
    REQUIRE_FALSE(more);
    CHECK(more.error().message == "spark.a = \"3\": expected at least 4");
    const core::StringMap none = {{"spark.a", "x"}};
    CHECK_FALSE(ConfView(none).integer_or("spark.a", 7, 4));
}

TEST_CASE("conf view: a former name counts where the key itself is absent") {
    const core::StringMap old = {
        {"spark.unsafe.offHeap", "true"}, {"spark.yarn.executor.memoryOverhead", "1g"}};
    const ConfView view(old);
    CHECK(*view.boolean_or("spark.memory.offHeap.enabled", false));
    CHECK(**view.find_mebibytes("spark.executor.memoryOverhead") == 1'024);
    CHECK(view.find("spark.memory.offHeap.size") == nullptr);
    const core::StringMap both = {
        {"spark.executor.memoryOverhead", "2g"}, {"spark.yarn.executor.memoryOverhead", "1g"}};
    CHECK(**ConfView(both).find_mebibytes("spark.executor.memoryOverhead") == 2'048);
}

TEST_CASE("conf view: what follows a prefix, and the names of custom resources, each once") {
    const core::StringMap properties = {
        {"spark.executor.resource.", "x"},
        {"spark.executor.resource.fpga.amount", "1"},
        {"spark.executor.resource.gpu", "1"},
        {"spark.executor.resource.gpu.amount", "1"},
        {"spark.executor.resource.gpu.vendor", "v"},
        {"spark.executor.resourceful", "x"}};
    const ConfView view(properties);
    CHECK(view.custom_resources() == std::vector<std::string>{"fpga", "gpu"});
    CHECK(
        view.with_prefix("spark.executor.resource.gpu") ==
        core::StringMap{{".amount", "1"}, {".vendor", "v"}});
    CHECK(view.with_prefix("spark.z").empty());
}

TEST_CASE("labels: keys, values and DNS names, on both sides of each rule") {
    const std::string long_name(63, 'a');
    const std::string subdomain =
        long_name + "." + long_name + "." + long_name + "." + std::string(61, 'a');
    std::string told;
    for (const std::string& text : std::vector<std::string>{
             "",
             "a",
             "A",
             "0",
             "9",
             "z",
             "Z",
             "-",
             ".",
             "_",
             "/",
             ":",
             "@",
             "[",
             "`",
             "{",
             "a-",
             "-a",
             "a.",
             ".a",
             "a_",
             "_a",
             "a-b",
             "a.b",
             "a_b",
             "a/b",
             "a:b",
             "a b",
             "A-b",
             "a.B",
             "a..b",
             "a.-b",
             "a-.b",
             "a--b",
             "a.b.c",
             "1.2",
             "a/",
             "/a",
             "a/b/c",
             "a.b/c",
             "A/b",
             "a-/b",
             "a./b",
             "a.b/-c",
             "a.b/C",
             "\xc3\xa9",
             "a\n",
             long_name,
             long_name + "a",
             "x/" + long_name,
             "x/" + long_name + "a",
             subdomain,
             subdomain + "a",
             subdomain + "/a",
             subdomain + "a/a",
             std::string(253, 'a'),
             std::string(254, 'a'),
             "a" + std::string(61, '-') + "b"}) {
        told += told_text(text) + (gang::spark::is_label_value(text) ? " value" : "") +
                (gang::spark::is_subdomain(text) ? " subdomain" : "") +
                (gang::spark::is_label_key(text) ? " key" : "") + "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/label_words", told);
}

TEST_CASE("labels: of executors, by version, driver and template") {
    std::string told;
    const std::vector<std::string> labels = {
        "team",
        "spark-role",
        "spark-app-name",
        "spark-app-selector",
        "spark-version",
        "spark-exec-id",
        "spark-exec-resourceprofile-id",
        "a/b",
        "not valid",
        "-x",
        "a.b/" + std::string(63, 'c'),
        "a.b/" + std::string(64, 'c')};
    const std::vector<std::string> label_values = {
        "",
        "etl",
        "{{APP_ID}}",
        "{{APP_ID}}-{{APP_ID}}",
        "{{EXECUTOR_ID}}",
        "x {{EXECUTOR_ID}}",
        "a b",
        "{{APP_ID}} {{EXECUTOR_ID}}",
        std::string(63, 'v'),
        std::string(64, 'v')};
    for (const std::string& label : labels) {
        for (const std::string& value : label_values) {
            if (label != "team" && value != "etl") {
                continue;
            }
            gang::spark::Conf conf;
            conf.properties = {{"spark.kubernetes.executor.label." + label, value}};
            core::Pod with_id;
            with_id.labels = {{"spark-app-selector", "spark-1"}, {"spark-version", "4.0.0"}};
            for (const core::Pod& driver : {with_id, core::Pod{}}) {
                for (const gang::spark::Version version :
                     {gang::spark::Version{3, 9}, gang::spark::Version{4, 0}}) {
                    const ConfView view(conf.properties, version);
                    const core::StringMap in_template = {
                        {"spark-app-name", "x"},
                        {"spark-exec-id", "1"},
                        {"team", "old"},
                        {"tier", "t"}};
                    told += told_text(label) + "=" + told_text(value) + " ";
                    told += told_result(
                                gang::spark::executor_labels(
                                    in_template, view, {conf, driver, version}),
                                tests::told_map) +
                            "\n";
                }
            }
        }
    }
    tests::check_transcript("gang/declare/spark/transcripts/executor_labels", told);
}

TEST_CASE("version: the first two numbers, else the way the config map is named") {
    std::string told;
    for (const char* text :
         {"",     ".",    "4",   "4.",    "4.1", "4.1.0", "4.1-SNAPSHOT",  "4.x",           "x.1",
          "-1.2", "1.-2", "0.0", "10.20", "3,2", "3 .2",  "99999999999.1", "3.99999999999", " 3.1",
          "-0.1", "3.-0"}) {
        core::Pod driver;
        told += told_text(text);
        for (const char* map :
             {"", "spark-drv-1-conf-map", "x-driver-conf-map", "x-driver-conf-map-2"}) {
            if (*map != 0) {
                driver.spark_properties = {map, "spark.properties"};
            }
            const gang::spark::Version version = gang::spark::rules_version(text, driver);
            told += " " + std::to_string(version.major) + "." + std::to_string(version.minor);
        }
        told += "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/spark_versions", told);
}

TEST_CASE("text: trimmed, in lower case, quoted") {
    using namespace std::string_view_literals;
    std::string told;
    for (const std::string_view text :
         {""sv,
          " "sv,
          "\0 a \0"sv,
          "!a!"sv,
          "\x1f"
          "a\x1f"sv,
          "a b"sv,
          "AZaz[@`{"sv,
          "\x80\xbf"sv,
          "\t\t"sv,
          "\x7f\x1f x"sv}) {
        told += told_text(text) + " " + told_text(gang::spark::trimmed(text)) + " " +
                told_text(gang::spark::lower_case(text)) + " " +
                told_text(gang::spark::quoted(text)) + "\n";
    }
    // Cut between characters, whatever they are made of.
    for (const std::size_t before : {76U, 77U, 78U, 79U, 80U, 81U}) {
        for (const std::string_view character :
             {"\xc3\xa9"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x98\x80"sv, "\x80\x80\x80\x80\x80"sv}) {
            const std::string text = std::string(before, 'a') + std::string(character) + "z";
            told += told_text(gang::spark::quoted(text).substr(70)) + "\n";
        }
    }
    told += told_text(gang::spark::quoted(std::string(90, '\x80'))) + "\n";
    tests::check_transcript("gang/declare/spark/transcripts/texts", told);
}
