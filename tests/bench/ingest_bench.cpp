// What the API server's words cost before the engine sees them. The pod is an executor that real
// Spark left in a real API server (tests/fixtures), with the status of a running one and the
// managedFields of its two writers; beside each codec the plain one of tests/k8s/json/dom_oracle.hpp in
// the same run. Counters: bytes of one object, and calls of malloc per iteration.

#include "k8s/codec/codec_node.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "k8s/watch/ingest.hpp"
#include "tests/k8s/json/dom_oracle.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::uint64_t mallocs = 0;

}  // namespace

// glibc's own names; what new calls comes through here too.
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
    ++mallocs;
    return __libc_malloc(bytes);
}

namespace {

using rapidjson::Value;

void write_text(std::string& to, std::string_view text) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    to.append(buffer.GetString(), buffer.GetSize());
}

/// The FieldsV1 of who wrote this value.
std::string fields_of(const Value& value) {
    std::string text = "{";
    const auto add = [&text](const std::string& key, const std::string& inner) {
        if (text.size() > 1) text += ",";
        write_text(text, key);
        text += ":" + inner;
    };
    if (value.IsObject()) {
        for (const auto& member : value.GetObject()) {
            add("f:" + std::string(k8s::view(member.name)), fields_of(member.value));
        }
    } else if (value.IsArray()) {
        for (const auto& element : value.GetArray()) {
            if (!element.IsObject() || element.MemberCount() == 0) continue;
            const char* key = element.HasMember("type") ? "type" : "name";
            if (!element.HasMember(key)) continue;
            std::string inner = fields_of(element);
            inner.insert(1, inner.size() > 2 ? "\".\":{}," : "\".\":{}");
            add("k:{\"" + std::string(key) + "\":\"" + element[key].GetString() + "\"}", inner);
        }
    }
    return text + "}";
}

const char* const running_status =
    R"({"phase":"Running","conditions":[{"type":"PodReadyToStartContainers","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"2026-11-21T03:18:05Z"},{"type":"Initialized",)"
    R"("status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-21T03:18:02Z"},{"type":)"
    R"("Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-21T03:18:05Z"},)"
    R"({"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":)"
    R"("2026-11-21T03:18:05Z"},{"type":"PodScheduled","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"2026-11-21T03:18:02Z"}],"hostIP":"10.0.3.17","hostIPs":[{"ip":)"
    R"("10.0.3.17"}],"podIP":"10.1.44.8","podIPs":[{"ip":"10.1.44.8"}],"startTime":)"
    R"("2026-11-21T03:18:02Z","containerStatuses":[{"name":"spark-kubernetes-executor","state":)"
    R"({"running":{"startedAt":"2026-11-21T03:18:04Z"}},"lastState":{},"ready":true,)"
    R"("restartCount":0,"image":"docker.io/library/spark:4.1.4","imageID":)"
    R"("docker.io/library/spark@sha256:6d2a9d6e4b1e1b1f","containerID":)"
    R"("containerd://1d3b2f4d1f9f0b9d","started":true}],"qosClass":"Burstable"})";

/// One line of text without spaces; of a list its first item.
std::string compact(const Value& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

/// `turn` goes into what nobody reads.
std::string executor(bool managed, int turn = 0) {
    std::ostringstream text;
    text << std::ifstream(TESTS_DIR "/fixtures/spark/4.1.4/jvm-sized/executors.json").rdbuf();
    rapidjson::Document document;
    document.Parse(text.str().c_str());
    auto& pod = document[0];
    auto& memory = document.GetAllocator();
    rapidjson::Document status(&memory);
    status.Parse(running_status);
    pod["spec"].AddMember("nodeName", "node-0017", memory);
    const std::string spec_fields = fields_of(pod["spec"]);
    const std::string status_fields = fields_of(status);
    pod["status"] = status.Move();
    const std::string version = std::to_string(1'000'000 + turn);
    pod["metadata"]["resourceVersion"].SetString(version.c_str(), memory);
    pod["status"]["startTime"].SetString(version.c_str(), memory);
    std::string json = compact(pod);
    if (!managed) return json;
    const std::string fields =
        R"("managedFields":[{"manager":"okhttp","operation":"Update","apiVersion":"v1","time":)"
        R"("2026-11-21T03:18:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":)" +
        spec_fields +
        R"(}},{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":)"
        R"("2026-11-21T03:18:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":)" +
        status_fields + R"(},"subresource":"status"}],)";
    json.insert(json.find("\"name\":\"jvm-sized"), fields);
    return json;
}

std::string node() {
    std::string images;
    for (int i = 0; i < 50; ++i) {
        const std::string number = std::to_string(i);
        images += (i == 0 ? "" : ",") +
                  (R"({"names":["registry.example/team/image-)" + number +
                   R"(@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",)"
                   R"("registry.example/team/image-)" +
                   number + R"(:v1.2.3"],"sizeBytes":123456789})");
    }
    const std::string resources =
        R"({"cpu":"64","ephemeral-storage":"958461160Ki","hugepages-1Gi":"0","hugepages-2Mi":"0",)"
        R"("memory":"263857300Ki","pods":"110"})";
    std::string conditions;
    for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
        conditions += (conditions.empty() ? "" : ",") +
                      (R"({"type":")" + std::string(type) +
                       R"(","status":"False","lastHeartbeatTime":"2026-11-21T03:18:05Z",)"
                       R"("lastTransitionTime":"2026-11-20T03:18:05Z","reason":"KubeletHas",)"
                       R"("message":"kubelet has sufficient memory available"})");
    }
    return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"node-0017","uid":)"
           R"("2cef0a35-0760-4cd9-9f0d-ae122333bc4a","resourceVersion":"123456","labels":{)"
           R"("kubernetes.io/hostname":"node-0017","node.kubernetes.io/instance-type":"m5.16xlarge",)"
           R"("topology.kubernetes.io/zone":"eu-1a"}},"spec":{"podCIDR":"10.1.44.0/24","providerID":)"
           R"("aws:///eu-1a/i-0123456789"},"status":{"capacity":)" +
           resources + R"(,"allocatable":)" + resources + R"(,"conditions":[)" + conditions +
           R"(],"addresses":[{"type":"InternalIP","address":"10.0.3.17"}],"images":[)" + images +
           R"(]}})";
}

std::string line_of(const std::string& object) {
    return R"({"type":"MODIFIED","object":)" + object + "}\n";
}

void count(benchmark::State& state, std::size_t bytes, std::uint64_t mallocs_before) {
    const auto iterations = static_cast<double>(state.iterations());
    state.counters["bytes"] = static_cast<double>(bytes);
    state.counters["mallocs"] = static_cast<double>(mallocs - mallocs_before) / iterations;
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

/// Line to core value, in the decoder's own memory, as the watcher does it.
void decode_line(benchmark::State& state, k8s::WatchKind kind, const std::string& object) {
    std::string line = line_of(object);
    line.pop_back();
    k8s::WatchDecoder decoder(kind, 42);
    const std::uint64_t before = mallocs;
    for (auto _ : state) {
        auto head = decoder.read_line(line);
        auto made = decoder.object();
        if (!head || !made) state.SkipWithError("not decoded");
        benchmark::DoNotOptimize(made);
    }
    count(state, line.size(), before);
}

void dom_line(benchmark::State& state, k8s::WatchKind kind, const std::string& object) {
    const std::string line = line_of(object);
    const std::uint64_t before = mallocs;
    for (auto _ : state) {
        auto made = oracle::decode_line(kind, line);
        if (!made || !*made) state.SkipWithError("not decoded");
        benchmark::DoNotOptimize(made);
    }
    count(state, line.size(), before);
}

BENCHMARK_CAPTURE(decode_line, pod_with_managed_fields, k8s::WatchKind::pods, executor(true));
BENCHMARK_CAPTURE(dom_line, pod_with_managed_fields, k8s::WatchKind::pods, executor(true));
BENCHMARK_CAPTURE(decode_line, pod, k8s::WatchKind::pods, executor(false));
BENCHMARK_CAPTURE(dom_line, pod, k8s::WatchKind::pods, executor(false));
BENCHMARK_CAPTURE(decode_line, node, k8s::WatchKind::nodes, node());
BENCHMARK_CAPTURE(dom_line, node, k8s::WatchKind::nodes, node());

/// Bytes of a watch to the verdict that they say nothing new.
void status_only_event(benchmark::State& state) {
    k8s::IngestOptions options;
    options.version_use = [](const auto&) { return k8s::VersionUse::never; };
    options.fingerprint_seed = 42;
    options.reflector.seed = {1, 2};
    options.emit = [](const k8s::WatchEvent&) {};
    k8s::Ingest ingest(std::move(options));
    std::vector<std::string> lines;
    for (int turn = 0; turn < 1'000; ++turn) lines.push_back(line_of(executor(true, turn)));
    for (const std::string& line : lines) static_cast<void>(ingest.take_bytes(line));
    std::size_t at = 0;
    const std::uint64_t before = mallocs;
    for (auto _ : state) {
        // The same versions again are no news either, and cost the same.
        const auto outcome = ingest.take_bytes(lines[at]);
        if (outcome != k8s::StreamOutcome::fine) state.SkipWithError("not taken");
        at = (at + 1) % lines.size();
    }
    count(state, lines.front().size(), before);
    if (ingest.repeats() != 999) state.SkipWithError("not dropped");
}
BENCHMARK(status_only_event);

std::string page_of(int items) {
    std::string page =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)";
    const std::string pod = executor(true);
    for (int i = 0; i < items; ++i) page += (i == 0 ? "" : ",") + pod;
    return page + "]}";
}

void list_page_of_500(benchmark::State& state) {
    const std::string page = page_of(500);
    k8s::WatchDecoder decoder(k8s::WatchKind::pods, 42);
    const std::uint64_t before = mallocs;
    std::int64_t items = 0;
    for (auto _ : state) {
        auto head = decoder.read_page(page);
        const auto read = decoder.for_each_item([&]() -> core::Result<core::Done> {
            auto made = decoder.object();
            if (!made) return made.error();
            ++items;
            benchmark::DoNotOptimize(made);
            return core::Done{};
        });
        if (!head || !read) state.SkipWithError("not decoded");
    }
    count(state, page.size(), before);
    state.SetItemsProcessed(items);
}
BENCHMARK(list_page_of_500)->Unit(benchmark::kMillisecond);

void dom_list_page_of_500(benchmark::State& state) {
    const std::string page = page_of(500);
    const std::uint64_t before = mallocs;
    std::int64_t items = 0;
    for (auto _ : state) {
        auto made = oracle::decode_items(k8s::WatchKind::pods, page);
        if (!made) {
            state.SkipWithError("not decoded");
            break;
        }
        items += static_cast<std::int64_t>(made->size());
    }
    count(state, page.size(), before);
    state.SetItemsProcessed(items);
}
BENCHMARK(dom_list_page_of_500)->Unit(benchmark::kMillisecond);

}  // namespace
