// The chart's schema of the configuration has the program's keys and no others, and is closed.
#include "config/loader.hpp"
#include "k8s/json/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void collect(
    const rapidjson::Value& schema, const std::string& path, std::vector<std::string>& out) {
    if (schema.HasMember("properties")) {
        CHECK_MESSAGE(schema["additionalProperties"].IsFalse(), path);
        for (const auto& [name, child] : schema["properties"].GetObject()) {
            collect(child, path + (path.empty() ? "" : ".") + name.GetString(), out);
        }
    } else if (schema.HasMember("items") && schema["items"].HasMember("properties")) {
        collect(schema["items"], path + "[]", out);
    } else {
        out.push_back(path);
    }
}

}  // namespace

TEST_CASE("chart: the schema's configuration is the program's, key by key") {
    std::ifstream in(std::string(TESTS_DIR) + "/../charts/gang-scheduler/values.schema.json");
    REQUIRE(in.good());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    rapidjson::Document schema;
    schema.Parse(text.c_str());
    REQUIRE_FALSE(schema.HasParseError());
    std::vector<std::string> found;
    collect(schema["properties"]["config"], "", found);
    std::vector<std::string> known = config::known_keys();
    std::sort(found.begin(), found.end());
    std::sort(known.begin(), known.end());
    CHECK(found == known);
}
