#include "gang/app/show/size.hpp"

#include "k8s/json/json.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

using tests::contains;

namespace {

namespace fs = std::filesystem;

const std::string captured = std::string(TESTS_DIR) + "/fixtures/spark/4.1.4/";

struct Printed {
    int code = -1;
    std::string out;
    std::string err;
};

Printed size(std::vector<std::string> files, bool json = false, const std::string& driver = "") {
    gang::app::SizeOptions options;
    options.files = std::move(files);
    options.driver = driver;
    options.json = json;
    std::ostringstream out;
    std::ostringstream err;
    const int code = gang::app::run_size(options, out, err);
    return {code, out.str(), err.str()};
}

Printed size_of(const std::string& name, bool json = false) {
    return size({captured + name + "/driver.json", captured + name + "/configmaps.json"}, json);
}

/// A file that goes away with the object.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text) {
        std::string pattern = (fs::temp_directory_path() / "gang-size-XXXXXX").string();
        const int descriptor = mkstemp(pattern.data());
        REQUIRE(descriptor >= 0);
        path_ = pattern;
        std::ofstream(path_, std::ios::binary) << text;
        ::close(descriptor);
    }
    ~TemporaryFile() { fs::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("size: JSON shows driver and executors as Kubernetes writes them") {
    const auto printed = size_of("template-sidecar", true);
    CHECK(printed.code == 0);
    CHECK(printed.err.empty());
    rapidjson::Document json;
    json.Parse(printed.out);
    REQUIRE(json.IsObject());
    CHECK(std::string(json["driver"]["requests"]["memory"].GetString()) == "1408Mi");
    CHECK(json["driver"]["memoryBytes"].GetInt64() == 1408 * 1024 * 1024);  // D32
    CHECK(printed.out.find('\n') == printed.out.size() - 1);
    CHECK(!json.HasMember("problem"));
    REQUIRE(json["executors"].Size() == 1);
    const auto& shape = json["executors"][0];
    CHECK(shape["resourceProfileId"].GetInt() == 0);
    CHECK(shape["count"].GetInt() == 2);
    CHECK(shape["max"].GetInt() == 2);
    // The init container's 2 cores are more than Spark's one and the sidecar's tenth.
    CHECK(std::string(shape["requests"]["cpu"].GetString()) == "2");
    CHECK(std::string(shape["requests"]["memory"].GetString()) == "1472Mi");
    CHECK(std::string(shape["nodeSelector"]["pool"].GetString()) == "spark");
    REQUIRE(shape["tolerations"].Size() == 1);
    CHECK(std::string(shape["tolerations"][0]["effect"].GetString()) == "NoSchedule");
    CHECK(shape["affinity"].ObjectEmpty());
    CHECK(shape["topologySpreadConstraints"].Empty());
    CHECK(std::string(shape["schedulerName"].GetString()) == "gang-scheduler");
    CHECK(std::string(shape["priorityClassName"].GetString()) == "system-node-critical");
}

TEST_CASE("size: JSON carries the template's own affinity and spread") {
    rapidjson::Document json;
    json.Parse(size_of("template-affinity", true).out);
    REQUIRE(json.IsObject());
    const auto& shape = json["executors"][0];
    CHECK(shape["affinity"].HasMember("podAntiAffinity"));
    CHECK(shape["topologySpreadConstraints"][0]["maxSkew"].GetInt() == 2);
}

TEST_CASE("size: the table is for people") {
    const auto printed = size_of("gpu");
    CHECK(printed.code == 0);
    CHECK(contains(printed.out, "ROLE"));
    CHECK(contains(printed.out, "executor"));
    CHECK(contains(printed.out, "1 nvidia.com/gpu"));
    CHECK(contains(size_of("units").out, "Note: "));
}

TEST_CASE("size: one file may hold everything") {
    const std::string items = slurp(captured + "jvm-sized/configmaps.json");
    const auto bracket = items.rfind(']');
    REQUIRE(bracket != std::string::npos);
    const TemporaryFile list(
        "{\"kind\": \"List\", \"items\": " + items.substr(0, bracket) + "," +
        slurp(captured + "jvm-sized/driver.json") + "]}");
    const auto printed = size({list.path()});
    CHECK(printed.code == 0);
    CHECK(contains(printed.out, "4505Mi"));
}

TEST_CASE("size: a value that is wrong is said in both forms, exit code 1") {
    std::string text = slurp(captured + "jvm-sized/configmaps.json");
    const auto at = text.find("spark.executor.memory=4g");
    REQUIRE(at != std::string::npos);
    text.replace(at, 24, "spark.executor.memory=4Gi");
    const TemporaryFile config_maps(text);
    const auto printed = size({captured + "jvm-sized/driver.json", config_maps.path()}, true);
    CHECK(printed.code == 1);
    CHECK(contains(printed.err, "spark.executor.memory: \"4Gi\" is not a size"));
    rapidjson::Document json;
    json.Parse(printed.out);
    REQUIRE(json.IsObject());
    CHECK(json["executors"].Empty());
    CHECK(contains(json["problem"].GetString(), "spark.executor.memory"));
}

TEST_CASE("size: bad input is exit code 1 with the file's name") {
    const std::string driver = captured + "jvm-sized/driver.json";
    const TemporaryFile not_json("kind: Pod\n");
    const TemporaryFile empty("[]");
    const TemporaryFile hostile(
        "[{\"kind\": \"Pod\", \"metadata\": {\"name\": \"\\u001b[2J\"}, "
        "\"spec\": {\"nodeName\": 7}}]");
    CHECK(size({"/nowhere/driver.json"}).code == 1);
    CHECK(contains(size({"/nowhere/driver.json"}).err, "/nowhere/driver.json: No such file"));
    CHECK(size({not_json.path()}).code == 1);
    CHECK(contains(size({not_json.path()}).err, not_json.path() + ": this is not JSON"));
    CHECK(contains(size({empty.path()}).err, "no Spark driver"));
    CHECK(!contains(size({hostile.path()}).err, "\x1b"));
    CHECK(contains(size({driver}).err, "in none of the files"));
    CHECK(size({driver}).code == 1);
}

TEST_CASE("size: D10, of several drivers each is shown, of those that ended none") {
    const std::string one = captured + "jvm-sized/";
    const std::string two = captured + "units/";
    std::string ended = slurp(one + "driver.json");
    const auto name_of = [](const std::string& driver) {
        rapidjson::Document json;
        json.Parse(driver.c_str());
        return std::string(json["metadata"]["name"].GetString());
    };
    rapidjson::Document over;
    over.Parse(ended.c_str());
    over["metadata"]["name"].SetString("over", over.GetAllocator());
    over["status"].SetObject();
    over["status"].AddMember("phase", "Succeeded", over.GetAllocator());
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    over.Accept(writer);
    const TemporaryFile history(buffer.GetString());
    const std::vector<std::string> files = {
        one + "driver.json",
        one + "configmaps.json",
        history.path(),
        two + "driver.json",
        two + "configmaps.json"};

    const auto text = size(files);
    CHECK(text.code == 0);
    CHECK(contains(text.out, "/" + name_of(slurp(one + "driver.json")) + "\nROLE"));
    CHECK(contains(text.out, "\n\n"));
    CHECK_FALSE(contains(text.out, "/over\n"));
    rapidjson::Document json;
    json.Parse(size(files, true).out);
    REQUIRE(json.IsObject());
    CHECK(json["items"].Size() == 2);

    // Alone it has to be named.
    const auto alone = size({history.path(), one + "configmaps.json"});
    CHECK(alone.code == 1);
    CHECK(contains(alone.err, "gang-scheduler size: 1 Spark driver has ended"));
    const auto named = size(files, false, "over");
    CHECK(named.code == 0);
    CHECK(contains(named.out, "executor"));
    CHECK(contains(size(files, false, "nobody").err, "no Spark driver nobody among 3 pods"));
}

TEST_CASE("size: no file is wrong usage") {
    const auto printed = size({});
    CHECK(printed.code == 2);
    CHECK(contains(printed.err, "-f driver.json"));
}
