// `run --record` and `replay`: files, their bounds, what ends a recording, and that no secret gets
// into one.
#include "gang/app/daemon/recorder.hpp"

#include "gang/app/base/version.hpp"
#include "gang/app/daemon/translate.hpp"
#include "k8s/codec/codec_config_map.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "tests/app/cli/verbs.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace gang::app;
using tests::cli;
using tests::contains;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone with its test.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_(fs::temp_directory_path() / ("gang-recorder-test-" + name)) {
        fs::remove_all(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path() const { return path_.string(); }
    std::string path(const std::string& name) const { return (path_ / name).string(); }

    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(path_)) {
            found.push_back(entry.path().filename().string());
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories(path_);
        std::ofstream(path_ / name) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream in(path_ / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    fs::path path_;
};

/// A scheduler with a recorder around it.
class Recorded {
public:
    explicit Recorded(std::uint64_t bytes_max = 1'000'000)
        : log_(
              config::LogFormat::console,
              config::LogLevel::debug,
              [this](const std::string& line) { logged += line; }),
          scheduler_(config::Schema()),
          recorder_(
              [this](std::string_view lines) -> core::Result<core::Done> {
                  ++writes;
                  if (!failure.empty()) {
                      return core::Error{failure};
                  }
                  text += lines;
                  return core::Done{};
              },
              bytes_max,
              config::Schema(),
              log_) {}

    void step(gang::Event event) {
        const gang::StampedEvent stamped{++sequence_, 1'800'000'000'000, std::move(event)};
        recorder_.before(stamped);
        const gang::Decisions decisions = scheduler_.step(stamped);
        for (const gang::Decision& decision : decisions) {
            if (const auto* condition = std::get_if<gang::SetCondition>(&decision)) {
                said = *condition;
            }
        }
        recorder_.after(stamped, decisions, scheduler_);
    }

    /// Leads an empty cluster of one small node.
    void begin() {
        step(gang::LeadershipGained{7});
        for (const gang::Kind kind : {gang::Kind::nodes, gang::Kind::pods}) {
            step(gang::RelistBegun{kind});
            if (kind == gang::Kind::nodes) {
                core::Node node;
                node.name = "n1";
                node.allocatable.cpu_milli = 1'000;
                node.pods = 110;
                node.ready = true;
                step(gang::NodeUpserted{node});
            }
            step(gang::RelistEnded{kind});
        }
        step(gang::Tick{});
    }

    bool is_recording() const { return recorder_.is_recording(); }

    std::string text;
    std::string logged;
    std::string failure;
    gang::SetCondition said;  ///< the last one
    int writes = 0;

private:
    Log log_;
    gang::Scheduler scheduler_;
    std::uint64_t sequence_ = 0;
    Recorder recorder_;
};

Log quiet() {
    return Log(config::LogFormat::console, config::LogLevel::error, [](const std::string&) {});
}

/// A recording with something in it: a lone pod that is bound.
std::string a_recording() {
    Recorded life;
    life.begin();
    core::Pod pod;
    pod.namespace_name = "etl";
    pod.name = "lone";
    pod.uid = "u1";
    pod.resource_version = "5";
    pod.scheduler_name = "gang-scheduler";
    pod.requests.cpu_milli = 500;
    life.step(gang::PodUpserted{pod});
    life.step(gang::Tick{});
    pod.resource_version = "6";
    pod.scheduled = {false, life.said.reason, life.said.message, 0};  // the fence is shown
    life.step(gang::PodUpserted{pod});
    life.step(gang::Tick{});
    return life.text;
}

}  // namespace

TEST_CASE("recorder: names sort by time") {
    CHECK(recording_name(1'800'000'000'123, 42) == "events-20270115T080000.123Z-42.jsonl");
    CHECK(recording_name(1'800'000'000'123, 9) < recording_name(1'800'000'000'124, 1));
}

TEST_CASE("recorder: each start has a file of its own, and the oldest go") {
    const Folder folder("rotation");
    folder.write("events-notes.txt", "not ours");
    folder.write("other.jsonl", "not ours");
    const RecorderOptions options{folder.path(), 1'000'000, 3};
    for (int start = 1; start <= 5; ++start) {
        const Log log = quiet();
        const auto opened =
            Recorder::open(options, 1'800'000'000'000 + start, config::Schema(), log);
        REQUIRE(opened);
    }
    const auto names = folder.names();
    REQUIRE(names.size() == 5);
    CHECK(names[0].find("events-20270115T080000.003Z-") == 0);
    CHECK(names[2].find("events-20270115T080000.005Z-") == 0);
    CHECK(names[3] == "events-notes.txt");
    CHECK(names[4] == "other.jsonl");
    const auto rights = fs::status(folder.path(names[0])).permissions();
    CHECK((rights & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
    CHECK(contains(folder.read(names[0]), "{\"recording\":1,"));
}

TEST_CASE("recorder: a folder that cannot be made or written is an error with its path") {
    const Folder folder("unwritable");
    folder.write("file", "");
    const Log log = quiet();
    const auto opened = Recorder::open({folder.path("file"), 1'000'000, 3}, 1, {}, log);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message.find(folder.path("file") + ": ") == 0);
}

TEST_CASE("recorder: what it writes is replayed to the same decisions") {
    const Folder folder("same");
    folder.write("good", a_recording());
    const auto same = cli({"replay", "--print", folder.path("good")});
    CHECK(same.code == 0);
    CHECK(contains(same.out, "recorded by version " + std::string(version) + "\n"));
    CHECK(contains(same.out, ": the same\n"));
    CHECK(contains(same.out, "fence on etl/lone: "));
    CHECK(contains(same.out, "bind etl/lone to n1"));
    const auto json = cli({"replay", folder.path("good"), "-o", "json"});
    CHECK(contains(json.out, "\"same\":true,\"difference\":null,\"problem\":null"));
}

TEST_CASE("recorder: all that came before a Tick is written before the Tick is stepped") {
    Recorded life;
    life.step(gang::LeadershipGained{7});
    CHECK_FALSE(contains(life.text, "leadershipGained"));
    const int writes = life.writes;
    life.step(gang::Tick{});
    CHECK(contains(life.text, "leadershipGained"));
    CHECK(life.writes == writes + 2);  // before the step, and what came of it
}

TEST_CASE("recorder: a recording that reaches its bound ends, loudly, and is replayed as far") {
    Recorded life(2'000);
    life.begin();
    for (int i = 0; i < 100; ++i) {
        life.step(gang::Tick{});
    }
    CHECK_FALSE(life.is_recording());
    CHECK(life.text.size() < 2'100);
    CHECK(life.text.ends_with("{\"end\":\"the recording has reached its bound\"}\n"));
    CHECK(contains(
        life.logged, "error recording has ended, scheduling goes on why=\"it has reached"));
    const int writes = life.writes;
    life.step(gang::Tick{});
    CHECK(life.writes == writes);

    const Folder folder("bound");
    folder.write("full", life.text);
    const auto replayed = cli({"replay", folder.path("full")});
    CHECK(replayed.code == 0);
    CHECK(contains(replayed.out, "ended early: the recording has reached its bound"));
}

TEST_CASE("recorder: a full disk ends the recording, loudly, and nothing else") {
    Recorded life;
    life.begin();
    life.failure = "No space left on device";
    life.step(gang::Tick{});
    CHECK_FALSE(life.is_recording());
    CHECK(contains(life.logged, "error recording has ended, scheduling goes on why=\"No space"));
    const int writes = life.writes;
    life.step(gang::Tick{});
    CHECK(life.writes == writes);
    CHECK(life.logged.find("ended") == life.logged.rfind("ended"));  // said once
}

TEST_CASE("replay: a last line that is cut off is left out") {
    const Folder folder("cut");
    const std::string whole = a_recording();
    folder.write("cut", whole.substr(0, whole.size() - 20));
    const auto cut = cli({"replay", folder.path("cut")});
    CHECK(cut.code == 0);
    CHECK(contains(cut.out, "the last line is cut off and left out"));
    CHECK(contains(cut.out, ": the same\n"));
}

TEST_CASE("replay: a difference is exit code 1, with its number and both decisions") {
    const Folder folder("different");
    std::string text = a_recording();
    const auto at = text.find("\"node\":\"n1\"", text.find("{\"bind\""));
    REQUIRE(at != std::string::npos);
    text.replace(at, 11, "\"node\":\"n2\"");
    folder.write("different", text);
    folder.write("good", a_recording());
    const auto replayed = cli({"replay", folder.path("different"), folder.path("good")});
    CHECK(replayed.code == 1);
    CHECK(contains(replayed.out, "DIFFERS after event "));
    CHECK(contains(replayed.out, "\"node\":\"n2\""));
    CHECK(contains(replayed.out, "good: the same\n"));  // every file is looked at
}

TEST_CASE("replay: until a number, with the gangs of that moment") {
    const Folder folder("until");
    folder.write("good", a_recording());
    const auto replayed = cli({"replay", "--until", "9", folder.path("good")});
    CHECK(replayed.code == 0);
    CHECK(contains(replayed.out, "the same up to event 9\n"));
    CHECK(contains(replayed.out, "lone"));
    CHECK(cli({"replay", "--until", "x", folder.path("good")}).code == 2);
    CHECK(cli({"replay", "--print", "-o", "json", folder.path("good")}).code == 2);
}

TEST_CASE("replay: another version is said, another format refused") {
    const Folder folder("version");
    std::string text = a_recording();
    const std::string program = "\"program\":\"" + std::string(version) + "\"";
    text.replace(text.find(program), program.size(), "\"program\":\"0.0.9\"");
    folder.write("older", text);
    const auto older = cli({"replay", folder.path("older")});
    CHECK(older.code == 0);
    CHECK(contains(older.out, "recorded by version 0.0.9, this is " + std::string(version)));
    text.replace(text.find("\"recording\":1"), 13, "\"recording\":9");
    folder.write("future", text);
    const auto future = cli({"replay", folder.path("future")});
    CHECK(future.code == 1);
    CHECK(contains(future.err, "the recording has format 9, this program reads format 1"));
}

TEST_CASE("replay: what is no recording is exit code 1 and a sentence") {
    const Folder folder("none");
    folder.write("empty", "");
    CHECK(contains(cli({"replay", folder.path("empty")}).err, "there is no recording in it"));
    CHECK(cli({"replay", folder.path("empty")}).code == 1);
    CHECK(cli({"replay", folder.path("missing")}).code == 1);
    folder.write("broken", a_recording() + "oops\n");
    const auto broken = cli({"replay", folder.path("broken")});
    CHECK(broken.code == 1);
    CHECK(contains(broken.out, ": line "));
    CHECK(cli({"replay"}).code == 2);
}

TEST_CASE("run: the flags of recording are checked before anything starts") {
    CHECK(contains(cli({"run", "--record-size", "1Gi"}).err, "need --record"));
    CHECK(contains(cli({"run", "--record", "x", "--record-size", "12"}).err, "at least 64Ki"));
    CHECK(contains(cli({"run", "--record", "x", "--record-size", "lots"}).err, "--record-size"));
    CHECK(contains(cli({"run", "--record", "x", "--record-files", "0"}).err, "at least 1"));
    CHECK(cli({"run", "--record", "x", "--record-files", "0"}).code == 2);
}

TEST_CASE("recorder: nothing secret of a pod, its conf or its template is in a recording") {
    const auto pod = k8s::decode_pod(R"({
        "kind": "Pod",
        "metadata": {
            "name": "pi-driver", "namespace": "etl", "uid": "u1", "resourceVersion": "5",
            "labels": {"spark-role": "driver", "spark-app-selector": "spark-1"},
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "CANARY",
                "vault.example/token": "CANARY"},
            "managedFields": [{"manager": "CANARY"}]},
        "spec": {
            "schedulerName": "gang-scheduler",
            "serviceAccountName": "spark",
            "imagePullSecrets": [{"name": "CANARY"}],
            "volumes": [
                {"name": "secret", "secret": {"secretName": "CANARY"}},
                {"name": "spark-conf-volume-driver", "configMap": {"name": "pi-conf-map"}}],
            "containers": [{
                "name": "spark", "image": "CANARY",
                "args": ["driver", "--properties-file", "/opt/spark/conf/spark.properties",
                         "--class", "CANARY", "--password", "CANARY"],
                "env": [{"name": "TOKEN", "value": "CANARY"}],
                "resources": {"requests": {"cpu": "1", "memory": "1408Mi"}},
                "volumeMounts": [
                    {"name": "spark-conf-volume-driver", "mountPath": "/opt/spark/conf"}]}]}})");
    REQUIRE(pod);
    REQUIRE(pod->spark_properties);
    k8s::ConfigMapResult properties;
    properties.outcome = k8s::FetchOutcome::found;
    properties.config_map.data = {
        {"spark.properties",
         "spark.executor.instances=2\nspark.hadoop.fs.s3a.secret.key=CANARY\n"
         "spark.kubernetes.driverEnv.TOKEN=CANARY\nspark.executorEnv.TOKEN=CANARY\n"
         "spark.driver.extraJavaOptions=-Dpassword=CANARY\nspark.app.name=CANARY\n"}};
    k8s::ConfigMapResult executor_template;
    executor_template.outcome = k8s::FetchOutcome::found;
    executor_template.config_map.data = {
        {"template.yml",
         "metadata: {annotations: {token: CANARY}, name: CANARY}\n"
         "spec:\n"
         "  nodeSelector: {disk: fast}\n"
         "  containers: [{name: main, image: spark, env: [{name: A, value: CANARY}], "
         "args: [CANARY]}]\n"
         "  volumes: [{name: v, csi: {driver: d, volumeAttributes: {password: CANARY}}}]\n"}};
    const gang::FetchSparkConf fetch{
        {"etl", "pi-driver", "u1"},
        "4.1.0",
        *pod->spark_properties,
        core::ConfigMapKey{"template", "template.yml"}};
    const gang::Event conf = to_event(fetch, properties, executor_template);
    REQUIRE(std::holds_alternative<gang::SparkConfFound>(conf));

    Recorded life;
    life.begin();
    life.step(gang::PodUpserted{*pod});
    life.step(conf);
    life.step(gang::Tick{});
    CHECK(contains(life.text, "pi-driver"));
    CHECK(contains(life.text, "spark.executor.instances"));
    CHECK(contains(life.text, "\"disk\",\"fast\""));
    CHECK_FALSE(contains(life.text, "CANARY"));
}
