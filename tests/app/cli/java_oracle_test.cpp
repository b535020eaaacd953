// What Java and Spark themselves read from random texts (tests/spark/oracle made the vectors; set
// GANG_ORACLE to a larger file of them): our readers must agree.

#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/memory.hpp"
#include "gang/declare/spark/properties.hpp"
#include "k8s/json/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace {

using gang::spark::ConfView;
using gang::spark::SizeUnit;

struct Vector {
    std::string kind;
    std::string input;
    rapidjson::Document json;

    bool is_refused() const { return json["answer"].IsNull(); }
    std::int64_t number() const { return std::stoll(json["answer"].GetString()); }
};

Vector read_vector(const std::string& line) {
    Vector vector;
    vector.json.Parse(line.c_str());
    REQUIRE_MESSAGE(vector.json.IsObject(), line);
    vector.kind = vector.json["kind"].GetString();
    const auto& input = vector.json["input"];
    vector.input.assign(input.GetString(), input.GetStringLength());
    return vector;
}

core::StringMap pairs(const rapidjson::Value& object) {
    core::StringMap result;
    for (const auto& member : object.GetObject()) {
        result.emplace_back(
            std::string(member.name.GetString(), member.name.GetStringLength()),
            std::string(member.value.GetString(), member.value.GetStringLength()));
    }
    return result;
}

void hold_properties(const Vector& vector) {
    const auto read = gang::spark::read_properties(vector.input);
    REQUIRE(read.has_value() != vector.is_refused());
    if (!read) {
        return;
    }
    core::StringMap kept;
    for (const auto& pair : *read) {
        if (pair.first.starts_with("spark.kubernetes.node.selector.")) {
            kept.push_back(pair);
        }
    }
    // Java sorts by UTF-16, we by bytes.
    core::StringMap java = pairs(vector.json["answer"]);
    std::sort(java.begin(), java.end());
    CHECK(kept == java);
}

void hold_size(const Vector& vector) {
    const bool in_bytes = vector.kind == "bytes";
    const auto ours = in_bytes ? gang::spark::parse_bytes(vector.input, SizeUnit::bytes)
                               : gang::spark::parse_mebibytes(vector.input, SizeUnit::mebibytes);
    // What is too large in bytes is an error here, whatever its unit: no pod could ask for it.
    const std::int64_t max = std::numeric_limits<std::int64_t>::max() >> (in_bytes ? 0 : 20);
    if (vector.is_refused() || vector.number() > max) {
        CHECK_FALSE(ours.has_value());
        return;
    }
    REQUIRE(ours.has_value());
    CHECK(*ours == vector.number());
}

core::StringMap one(const Vector& vector) {
    return {{"key", vector.input}};
}

void hold_integer(const Vector& vector) {
    const core::StringMap conf = one(vector);
    const auto ours = ConfView(conf, {4, 1}).find_integer("key");
    REQUIRE(ours.has_value() != vector.is_refused());
    if (ours) {
        CHECK(**ours == vector.number());
    }
}

void hold_double(const Vector& vector) {
    const core::StringMap conf = one(vector);
    const auto ours = ConfView(conf, {4, 1}).find_factor("key", gang::spark::Zero::allowed);
    const double java = vector.is_refused() ? -1 : std::bit_cast<double>(vector.number());
    // Negative numbers and NaN are no factors.
    REQUIRE(ours.has_value() == (java >= 0));
    if (ours) {
        CHECK(**ours == java);
    }
}

}  // namespace

TEST_CASE("java_oracle: properties, sizes and numbers are read as Java and Spark read them") {
    const char* more = std::getenv("GANG_ORACLE");
    std::ifstream in(more ? more : std::string(TESTS_DIR) + "/fixtures/java/readings.jsonl");
    const std::map<std::string, void (*)(const Vector&)> readers = {
        {"properties", hold_properties},
        {"mebibytes", hold_size},
        {"bytes", hold_size},
        {"integer", hold_integer},
        {"double", hold_double}};
    std::size_t held = 0;
    for (std::string line; std::getline(in, line);) {
        CAPTURE(line);
        const Vector vector = read_vector(line);
        readers.at(vector.kind)(vector);
        ++held;
    }
    CHECK(held >= 2000);
}
