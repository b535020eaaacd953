// The sizing against every captured application: from driver.json and configmaps.json alone we must
// foresee the executors that real Spark then asked for.

#include "gang/app/base/spark_conf.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "k8s/codec/codec_manifest.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "k8s/json/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path fixtures = fs::path(TESTS_DIR) / "fixtures" / "spark";
constexpr std::size_t cases_known = 64;

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE_MESSAGE(in.good(), file.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

k8s::Manifest manifest(const fs::path& file) {
    auto result = k8s::decode_manifest(read(file));
    REQUIRE_MESSAGE(result.has_value(), file.string());
    return *std::move(result);
}

std::vector<fs::path> all_cases() {
    std::vector<fs::path> found;
    for (const auto& version : fs::directory_iterator(fixtures)) {
        for (const auto& one : fs::directory_iterator(version)) {
            found.push_back(one.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string text_of(const k8s::Manifest& config_maps, const core::ConfigMapKey& wanted) {
    for (const auto& config_map : config_maps.config_maps) {
        const auto* text = core::find_value(config_map.data, wanted.key);
        if (config_map.name == wanted.config_map && text != nullptr) {
            return *text;
        }
    }
    FAIL("no config map " << wanted.config_map);
    return {};
}

gang::spark::Derivation predict(const fs::path& folder) {
    const auto pods = manifest(folder / "driver.json").pods;
    REQUIRE(pods.size() == 1);
    const core::Pod& driver = pods[0];
    CHECK(driver.problem.empty());
    REQUIRE(driver.spark_properties.has_value());
    const auto config_maps = manifest(folder / "configmaps.json");
    const std::string properties = text_of(config_maps, *driver.spark_properties);
    const std::string executor_template =
        driver.executor_template ? text_of(config_maps, *driver.executor_template) : "";
    gang::app::SparkTexts texts;
    texts.spark_version = *core::find_value(driver.labels, "spark-version");
    texts.properties = properties;
    if (driver.executor_template) {
        texts.executor_template = executor_template;
    }
    const auto conf = gang::app::make_spark_conf(texts);
    REQUIRE_MESSAGE(conf.has_value(), (conf ? "" : conf.error().message));
    return gang::spark::derive(*conf, driver, {});
}

/// The pods that Spark made, as JSON texts.
std::vector<std::string> real_executors(const fs::path& folder) {
    std::vector<std::string> pods;
    const bool has_set = fs::exists(folder / "statefulsets.json");
    const fs::path file = folder / (has_set ? "statefulsets.json" : "executors.json");
    if (!fs::exists(file)) {
        return pods;
    }
    rapidjson::Document document;
    document.Parse(read(file));
    REQUIRE(document.IsArray());
    for (const auto& object : document.GetArray()) {
        const auto& pod = has_set ? object["spec"]["template"] : object;
        rapidjson::StringBuffer buffer;
        rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
        pod.Accept(writer);
        const int times = has_set ? object["spec"]["replicas"].GetInt() : 1;
        pods.insert(pods.end(), static_cast<std::size_t>(times), buffer.GetString());
    }
    return pods;
}

/// The API server adds two to every pod: five minutes on a node that has gone.
bool is_default_toleration(const core::Toleration& toleration) {
    return toleration.seconds == 300 && toleration.effect == core::TaintEffect::no_execute &&
           (toleration.key == "node.kubernetes.io/not-ready" ||
            toleration.key == "node.kubernetes.io/unreachable");
}

bool is_same_json(const std::string& ours, const rapidjson::Document& pod, const char* member) {
    const auto& spec = pod["spec"];
    if (ours.empty()) {
        return !spec.HasMember(member);
    }
    rapidjson::Document document;
    document.Parse(ours);
    return spec.HasMember(member) && spec[member] == document;
}

std::vector<core::HostPort> host_ports(const rapidjson::Value& spec) {
    std::vector<core::HostPort> ports;
    for (const char* kind : {"containers", "initContainers"}) {
        if (!spec.HasMember(kind)) {
            continue;
        }
        for (const auto& container : spec[kind].GetArray()) {
            if (!container.HasMember("ports")) {
                continue;
            }
            for (const auto& port : container["ports"].GetArray()) {
                if (port.HasMember("hostPort")) {
                    ports.push_back({"", port["protocol"].GetString(), port["hostPort"].GetInt()});
                }
            }
        }
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

/// Those that do not tell executors apart and that the application's code cannot choose. The id of
/// the application is another one in one capture, whose StatefulSet was taken in a second run.
core::StringMap shared_labels(core::StringMap labels) {
    std::erase_if(labels, [](const auto& label) {
        return label.first == "spark-exec-id" || label.first == "spark-app-name" ||
               label.first == "spark-exec-inactive" || label.first == "spark-app-selector";
    });
    return labels;
}

/// Volumes with claims, by the volume's name.
std::vector<std::string> claimed_volumes(const rapidjson::Value& spec) {
    std::vector<std::string> names;
    for (const auto& volume : spec["volumes"].GetArray()) {
        if (volume.HasMember("persistentVolumeClaim")) {
            names.emplace_back(volume["name"].GetString());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> claimed_volumes(const gang::spark::ExecutorShape& shape) {
    std::vector<std::string> names;
    for (const auto& claim : shape.claims) {
        names.push_back(claim.volume);
    }
    return names;
}

void compare(const gang::spark::ExecutorShape& foreseen, const std::string& json) {
    const auto real = k8s::decode_pod(json);
    REQUIRE(real.has_value());
    CHECK(real->problem.empty());
    CHECK(foreseen.requests == real->requests);
    CHECK(foreseen.scheduler_name == real->scheduler_name);
    core::Constraints constraints = real->constraints;
    std::erase_if(constraints.tolerations, is_default_toleration);
    core::Constraints without_images = foreseen.constraints;  // nobody asked for the pod's
    without_images.images.clear();
    CHECK(without_images == constraints);
    rapidjson::Document pod;
    pod.Parse(json);
    CHECK(is_same_json(foreseen.affinity_json, pod, "affinity"));
    CHECK(is_same_json(foreseen.topology_spread_json, pod, "topologySpreadConstraints"));
    const auto& spec = pod["spec"];
    const std::string priority_class =
        spec.HasMember("priorityClassName") ? spec["priorityClassName"].GetString() : "";
    CHECK(foreseen.priority_class_name == priority_class);
    CHECK(foreseen.host_ports == host_ports(spec));
    CHECK(shared_labels(foreseen.labels) == shared_labels(real->labels));
    CHECK(claimed_volumes(foreseen) == claimed_volumes(spec));
}

bool is_dynamic(const fs::path& folder) {
    return folder.filename().string().starts_with("dynamic-");
}

}  // namespace

TEST_CASE("size: the executors of every captured application are foreseen") {
    const auto cases = all_cases();
    REQUIRE(cases.size() == cases_known);
    std::size_t compared = 0;
    for (const fs::path& folder : cases) {
        CAPTURE(folder.string());
        const auto derivation = predict(folder);
        CHECK_MESSAGE(derivation.problem.empty(), derivation.problem);
        const bool is_ours = folder.filename() != "empty-scheduler";
        REQUIRE(derivation.executors.size() == (is_ours ? 1 : 0));
        REQUIRE(derivation.foreign_executors.size() == (is_ours ? 0 : 1));
        const auto& shape = (is_ours ? derivation.executors : derivation.foreign_executors)[0];
        const auto executors = real_executors(folder);
        for (const std::string& json : executors) {
            compare(shape, json);
            ++compared;
        }
        if (executors.empty()) {
            CHECK(folder.filename() == "units");
            continue;
        }
        // Under dynamic allocation the capture may show executors that came under load.
        const auto real = static_cast<std::int64_t>(executors.size());
        CHECK(shape.count <= real);
        CHECK(real <= shape.max);
        CHECK((shape.count == real || is_dynamic(folder)));
    }
    CHECK(compared > 100);
}

TEST_CASE("size: captured applications with dynamic allocation start with their initial number") {
    for (const char* version : {"3.5.9", "4.1.4"}) {
        CHECK(predict(fixtures / version / "dynamic-initial").executors[0].count == 3);
        CHECK(predict(fixtures / version / "dynamic-tracking").executors[0].count == 2);
        CHECK(predict(fixtures / version / "dynamic-zero-min").executors[0].count == 1);
        CHECK(predict(fixtures / version / "dynamic-zero-min").executors[0].max == 4);
    }
}

TEST_CASE("size: a memory without unit is sized as the submitter reads it, with a warning") {
    for (const char* version : {"3.5.9", "4.1.4"}) {
        const auto derivation = predict(fixtures / version / "units");
        CHECK(derivation.executors[0].requests.memory_bytes == (1536LL + 400) * 1024 * 1024);
        REQUIRE(derivation.notes.size() == 1);
        CHECK(derivation.notes[0].find("has no unit") != std::string::npos);
    }
}
