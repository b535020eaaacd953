// The filtered codecs against the plain ones (dom_oracle.hpp): whatever is JSON must give the same
// value, the same problem, the same error. What is not JSON may be refused or, where it is broken
// only in a part that is passed over, accepted; it is here for the sanitizers.
// GANG_SEED=7 repeats a run, GANG_DOCUMENTS=500000 looks for more.

#include "k8s/codec/codec_node.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "k8s/json/json_filter.hpp"
#include "tests/k8s/json/dom_oracle.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t fallback) {
    const char* text = std::getenv(variable);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

std::vector<std::string> fixtures() {
    std::vector<std::string> texts;
    const auto root = std::filesystem::path(TESTS_DIR) / "fixtures" / "spark";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".json") continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        texts.push_back(text.str());
    }
    REQUIRE(texts.size() > 100);
    return texts;
}

/// The objects of a fixture: one, or a list's items, or an array's.
std::vector<std::string> objects_in(const std::string& text) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(text.c_str());
    const auto* items = document.IsArray() ? &document : find_member(document, "items");
    if (items == nullptr) return {text};
    std::vector<std::string> objects;
    for (const auto& item : items->GetArray()) {
        rapidjson::StringBuffer buffer;
        rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
        item.Accept(writer);
        objects.emplace_back(buffer.GetString(), buffer.GetSize());
    }
    return objects;
}

void compare(const std::string& text) {
    CAPTURE(text);
    if (const auto wanted = oracle::decode_pod(text)) {
        const auto got = decode_pod(text);
        CHECK(got == *wanted);
    } else {
        static_cast<void>(decode_pod(text));
    }
    if (const auto wanted = oracle::decode_node(text)) {
        const auto got = decode_node(text);
        CHECK(got == *wanted);
    } else {
        static_cast<void>(decode_node(text));
    }
}

void compare_line(WatchKind kind, const std::string& object) {
    const std::string kind_name = kind == WatchKind::pods ? "Pod" : "Node";
    const std::string head = R"("kind":")" + kind_name + R"(","apiVersion":"v1")";
    if (object.size() < 2 || object.front() != '{') return;
    const std::string inner = object.substr(1);
    const std::string rest = inner == "}" ? "}" : "," + inner;
    const std::string line = R"({"type":"MODIFIED","object":{)" + head + rest + "}";
    CAPTURE(line);
    const auto wanted = oracle::decode_line(kind, line);
    const auto got = decode_watch_line(kind, line);
    if (wanted) {
        REQUIRE(got.has_value() == wanted->has_value());
        if (got) {
            CHECK(got->object.key == (*wanted)->key);
            CHECK(got->object.object == (*wanted)->object);
            CHECK(got->object.annotation_bytes == (*wanted)->annotation_bytes);
        } else {
            CHECK(got.error() == wanted->error());
        }
    }
    const std::string page = R"({"items":[)" + object + " ,\n" + object + R"(],"kind":")" +
                             kind_name + R"(List","apiVersion":"v1","metadata":{)" +
                             R"("resourceVersion":"5"}})";
    const auto items = oracle::decode_items(kind, page);
    const auto decoded = decode_page(kind, page);
    if (items) {
        REQUIRE(decoded.has_value());
        REQUIRE(decoded->items.size() == items->size());
        for (std::size_t i = 0; i < items->size(); ++i) {
            CHECK(decoded->items[i].object == (*items)[i].object);
            CHECK(decoded->items[i].annotation_bytes == (*items)[i].annotation_bytes);
        }
    }
}

/// Documents out of the words that the codecs know, with what they do not expect in between.
class Documents {
public:
    explicit Documents(std::uint64_t seed) : random_(seed) {}

    std::string object() {
        std::string text = "{";
        std::string separator;
        for (const char* part : {"metadata", "spec", "status"}) {
            for (std::uint64_t n = one_in(12) ? pick(3) : 1; n > 0; --n) {
                if (one_in(15)) text += separator + value(0), separator = ",";
                text += separator + space() + "\"" + key(part) + "\"" + space() + ":";
                text += one_in(20) ? value(1) : part_of(part);
                separator = ",";
            }
            if (one_in(6)) text += separator + member(2), separator = ",";
        }
        return text + space() + "}";
    }

    /// Some bytes of a text changed, moved, doubled or lost.
    std::string mutated(std::string text) {
        for (std::uint64_t n = 1 + pick(4); n > 0 && !text.empty(); --n) {
            const std::size_t at = pick(text.size());
            const std::size_t length = std::min<std::size_t>(1 + pick(40), text.size() - at);
            const std::string part = text.substr(at, length);
            switch (pick(6)) {
                case 0:
                    text.erase(at, length);
                    break;
                case 1:
                    text.insert(pick(text.size()), part);
                    break;
                case 2:
                    text[at] = static_cast<char>(random_());
                    break;
                case 3:
                    text.insert(at, 1, "\"\\{}[],:0 \n"[pick(11)]);
                    break;
                case 4:
                    text.resize(at);
                    break;
                default:
                    text.insert(at, value(3));
            }
        }
        return text;
    }

    std::uint64_t pick(std::uint64_t below) { return random_() % below; }
    bool one_in(std::uint64_t n) { return pick(n) == 0; }

private:
    template <typename List>
    std::string any_of(const List& list) {
        return list[pick(std::size(list))];
    }

    std::string space() { return one_in(9) ? any_of(std::array{" ", "\n", "\t\r ", "  "}) : ""; }

    /// The key, sometimes spelled with an escape.
    std::string key(const std::string& name) {
        if (!one_in(25) || name.empty()) return name;
        static const char* const digits = "0123456789abcdef";
        const std::size_t at = pick(name.size());
        const auto c = static_cast<unsigned char>(name[at]);
        std::string escape = "\\u00";
        escape += digits[c / 16];
        escape += digits[c % 16];
        return name.substr(0, at) + escape + name.substr(at + 1);
    }

    std::string text() {
        return "\"" +
               any_of(std::array{
                   "",
                   "driver",
                   "dri\\u0076er",
                   "--properties-file",
                   "/opt/spark/conf/spark.properties",
                   "a",
                   "1",
                   "100m",
                   "2Gi",
                   "-1",
                   "9223372036854775807",
                   "PodScheduled",
                   "Ready",
                   "True",
                   "Failed",
                   "Running",
                   "NoSchedule",
                   "Exists",
                   "In",
                   "2026-01-01T00:00:00Z",
                   "x\\u0000y",
                   "\\\"}]",
                   "\\\\",
                   "\xC3\xA9",
                   "\\ud83d\\ude00",
                   "spark-conf-volume-driver",
                   "/opt/spark/conf"}) +
               "\"";
    }

    std::string scalar() {
        if (!one_in(4)) return text();
        return any_of(std::array{
            "null",
            "true",
            "false",
            "0",
            "-0",
            "7",
            "-2147483649",
            "18446744073709551615",
            "1e3",
            "0.5",
            "1e308",
            "123456789012345678901234567890"});
    }

    std::string member(int depth) {
        static const std::array names = {
            "args",     "volumes",     "volumeMounts",  "containers",    "name",
            "env",      "ports",       "managedFields", "type",          "conditions",
            "labels",   "annotations", "reason",        "restartPolicy", "resources",
            "requests", "nodeName",    "status",        "spark-role",    "executors"};
        return "\"" + key(any_of(names)) + "\"" + space() + ":" + space() + value(depth + 1);
    }

    std::string value(int depth) {
        if (depth > 3 || one_in(2)) return scalar();
        const bool is_object = one_in(2);
        std::string text = is_object ? "{" : "[";
        for (std::uint64_t n = pick(4), i = 0; i < n; ++i) {
            if (i > 0) text += ",";
            text += space() + (is_object ? member(depth) : value(depth + 1));
        }
        return text + space() + (is_object ? "}" : "]");
    }

    using Names = std::vector<const char*>;

    /// An object of some of these members, in any order, some twice, each made by `make`.
    template <typename Make>
    std::string some(const Names& names, const Make& make) {
        std::string text = "{";
        const std::uint64_t count = pick(names.size() + 2);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string name = any_of(names);
            text += (i > 0 ? "," : "") + space() + "\"" + key(name) + "\"" + space() + ":" +
                    space() + (one_in(15) ? value(2) : make(name));
        }
        return text + "}";
    }

    template <typename Make>
    std::string list(const Make& make) {
        std::string text = "[";
        for (std::uint64_t n = pick(4), i = 0; i < n; ++i) {
            text += (i > 0 ? "," : "") + space() + (one_in(25) ? value(2) : make());
        }
        return text + "]";
    }

    std::string map() {
        return some(
            {"cpu",
             "memory",
             "a",
             "b",
             "b",
             "nvidia.com/gpu",
             "pods",
             "executors",
             "gang-scheduler/x",
             "spark-role",
             "ephemeral-storage"},
            [this](const std::string&) { return one_in(8) ? scalar() : text(); });
    }

    std::string resources() {
        return some({"requests", "limits", "claims"}, [this](const std::string&) { return map(); });
    }

    std::string mount() {
        return some({"name", "mountPath", "subPath", "readOnly"}, [this](const std::string& name) {
            return name == "name"        ? R"("conf")"
                   : name == "mountPath" ? R"("/opt/spark/conf")"
                                         : text();
        });
    }

    std::string volume() {
        const auto config_map = [this] {
            return some({"name", "items", "defaultMode"}, [this](const std::string& name) {
                return name != "items" ? text() : list([this] {
                    return some({"key", "path"}, [this](const std::string&) { return text(); });
                });
            });
        };
        return some({"name", "configMap", "emptyDir"}, [&](const std::string& name) {
            return name == "name" ? any_of(std::array{R"("conf")", R"("pod-template-volume")"})
                                  : config_map();
        });
    }

    std::string container() {
        return some(
            {"name",
             "args",
             "args",
             "env",
             "volumeMounts",
             "resources",
             "restartPolicy",
             "image",
             "ports"},
            [this](const std::string& name) {
                if (name == "ports") {
                    return list([this] {
                        return some(
                            {"name", "containerPort", "hostPort", "hostPort"},
                            [this](const std::string&) { return scalar(); });
                    });
                }
                if (name == "resources") return resources();
                if (name == "volumeMounts") return list([this] { return mount(); });
                if (name == "env") return list([this] { return value(2); });
                if (name != "args") return text();
                return one_in(3) ? list([this] { return text(); })
                                 : std::string(R"(["driver","--properties-file",)"
                                               R"("/opt/spark/conf/spark.properties"])");
            });
    }

    std::string term() {
        return some({"matchExpressions", "matchFields"}, [this](const std::string&) {
            return list([this] {
                return some({"key", "operator", "values"}, [this](const std::string& name) {
                    return name == "values" ? list([this] { return text(); }) : text();
                });
            });
        });
    }

    std::string terms() {
        return some({"nodeSelectorTerms"}, [this](const std::string&) {
            return list([this] { return term(); });
        });
    }

    std::string wish() {
        return some({"weight", "preference"}, [this](const std::string& name) {
            return name == "weight" ? scalar() : term();
        });
    }

    std::string label_selector() {
        return some({"matchLabels", "matchExpressions", "x"}, [this](const std::string& name) {
            if (name == "matchLabels") return map();
            return list([this] {
                return some({"key", "operator", "values"}, [this](const std::string& member) {
                    return member == "values" ? list([this] { return text(); }) : text();
                });
            });
        });
    }

    /// A term of pod affinity or a spread constraint: they have members in common.
    std::string pod_term() {
        return some(
            {"topologyKey",
             "labelSelector",
             "labelSelector",
             "namespaces",
             "namespaceSelector",
             "matchLabelKeys",
             "mismatchLabelKeys",
             "maxSkew",
             "whenUnsatisfiable",
             "minDomains",
             "nodeAffinityPolicy",
             "nodeTaintsPolicy"},
            [this](const std::string& name) {
                if (name.ends_with("Selector")) return label_selector();
                if (name == "whenUnsatisfiable") return std::string(R"("DoNotSchedule")");
                if (name == "namespaces" || name.ends_with("Keys")) {
                    return list([this] { return text(); });
                }
                return scalar();
            });
    }

    std::string preferred_pods() {
        return some({"weight", "podAffinityTerm"}, [this](const std::string& name) {
            return name == "weight" ? scalar() : pod_term();
        });
    }

    std::string affinity() {
        return some(
            {"nodeAffinity", "podAffinity", "podAntiAffinity"}, [this](const std::string& kind) {
                return some(
                    {"requiredDuringSchedulingIgnoredDuringExecution",
                     "preferredDuringSchedulingIgnoredDuringExecution"},
                    [this, &kind](const std::string& name) {
                        const bool is_preferred = name.starts_with("preferred");
                        if (kind != "nodeAffinity") {
                            return list([this, is_preferred] {
                                return is_preferred ? preferred_pods() : pod_term();
                            });
                        }
                        return is_preferred ? list([this] { return wish(); }) : terms();
                    });
            });
    }

    std::string spec_value(const std::string& name) {
        if (name == "containers" || name == "initContainers") {
            return list([this] { return container(); });
        }
        if (name == "volumes") return list([this] { return volume(); });
        if (name == "nodeSelector" || name == "overhead") return map();
        if (name == "affinity") return affinity();
        if (name == "topologySpreadConstraints") return list([this] { return pod_term(); });
        if (name == "resources") return resources();
        if (name == "tolerations" || name == "taints") {
            return list([this] {
                return some(
                    {"key", "operator", "value", "effect", "tolerationSeconds"},
                    [this](const std::string&) { return scalar(); });
            });
        }
        if (name == "schedulingGroup") {
            return some({"podGroupName", "x"}, [this](const std::string&) { return scalar(); });
        }
        if (name == "schedulingGates") return list([] { return std::string(R"({"name":"g"})"); });
        return scalar();
    }

    std::string condition() {
        const std::string type = any_of(std::array{"PodScheduled", "Ready", "Initialized"});
        const std::string rest = some(
            {"type", "status", "reason", "message", "lastTransitionTime"},
            [this](const std::string&) { return text(); });
        if (one_in(3) || rest == "{}") return rest;
        return R"({"type":")" + type + "\"," + rest.substr(1);
    }

    std::string part_of(const std::string& part) {
        if (part == "metadata") {
            return some(
                {"name",
                 "name",
                 "name",
                 "namespace",
                 "uid",
                 "uid",
                 "resourceVersion",
                 "labels",
                 "annotations",
                 "creationTimestamp",
                 "deletionTimestamp",
                 "ownerReferences",
                 "managedFields"},
                [this](const std::string& name) {
                    if (name == "labels" || name == "annotations") return map();
                    if (name == "managedFields") return list([this] { return value(1); });
                    if (name != "ownerReferences") return one_in(12) ? scalar() : text();
                    return list([this] {
                        return some(
                            {"kind", "name", "uid", "controller"},
                            [this](const std::string&) { return scalar(); });
                    });
                });
        }
        if (part == "spec") {
            return some(
                {"containers",
                 "containers",
                 "containers",
                 "initContainers",
                 "volumes",
                 "volumes",
                 "nodeName",
                 "schedulerName",
                 "priority",
                 "nodeSelector",
                 "affinity",
                 "topologySpreadConstraints",
                 "tolerations",
                 "overhead",
                 "resources",
                 "schedulingGates",
                 "schedulingGroup",
                 "unschedulable",
                 "taints"},
                [this](const std::string& name) { return spec_value(name); });
        }
        return some(
            {"phase",
             "phase",
             "reason",
             "conditions",
             "conditions",
             "allocatable",
             "containerStatuses"},
            [this](const std::string& name) {
                if (name == "conditions") return list([this] { return condition(); });
                return name == "allocatable" ? map() : text();
            });
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("codec oracle: what Spark left in API servers") {
    int objects = 0;
    for (const std::string& text : fixtures()) {
        for (const std::string& object : objects_in(text)) {
            compare(object);
            compare_line(WatchKind::pods, object);
            compare_line(WatchKind::nodes, object);
            ++objects;
        }
        compare(text);
    }
    CHECK(objects > 200);
}

TEST_CASE("codec oracle: of equal members the first counts, also of those that are read late") {
    const std::string volumes = R"([{"name":"conf","configMap":{"name":"first"}}])";
    const std::string others = R"([{"name":"conf","configMap":{"name":"second"}}])";
    const std::string mounts = R"([{"name":"conf","mountPath":"/opt/spark/conf"}])";
    const std::string args = R"(["driver","--properties-file","/opt/spark/conf/a.properties"])";
    const auto pod = [](const std::string& first_volumes,
                        const std::string& second_volumes,
                        const std::string& first_mounts,
                        const std::string& second_mounts,
                        const std::string& first_args,
                        const std::string& second_args) {
        return R"({"metadata":{"name":"p","uid":"u"},"spec":{"volumes":)" + first_volumes +
               R"(,"containers":[{"volumeMounts":)" + first_mounts + R"(,"args":)" + first_args +
               R"(,"args":)" + second_args + R"(,"volumeMounts":)" + second_mounts +
               R"(}],"volumes":)" + second_volumes + "}}";
    };
    const std::string found = pod(volumes, others, mounts, "[]", args, "[]");
    compare(found);
    CHECK(decode_pod(found)->spark_properties == core::ConfigMapKey{"first", "a.properties"});
    for (const std::string& lost :
         {pod("null", volumes, mounts, "[]", args, "[]"),
          pod("[]", volumes, mounts, "[]", args, "[]"),
          pod("{}", volumes, mounts, "[]", args, "[]"),
          pod(volumes, others, "7", mounts, args, "[]"),
          pod(volumes, others, mounts, "[]", "[]", args),
          pod(volumes, others, mounts, "[]", "null", args)}) {
        compare(lost);
        CHECK_FALSE(decode_pod(lost)->spark_properties);
    }
}

TEST_CASE("codec oracle: random documents") {
    const std::uint64_t seed = number_of("GANG_SEED", 1);
    Documents documents(seed);
    const std::uint64_t count = number_of("GANG_DOCUMENTS", 1'000);
    for (std::uint64_t i = 0; i < count; ++i) {
        CAPTURE(seed);
        const std::string text = documents.object();
        compare(text);
        compare_line(i % 4 == 0 ? WatchKind::nodes : WatchKind::pods, text);
        compare(documents.mutated(text));
        compare_line(WatchKind::pods, documents.mutated(text));
    }
}

TEST_CASE("codec oracle: a scalar is one exactly where RapidJSON says so, kept or passed over") {
    const std::uint64_t seed = number_of("GANG_SEED", 1);
    std::mt19937_64 random(seed);
    std::vector<std::string> scalars = {
        "01",
        "-",
        "-0",
        "+1",
        ".5",
        "1.",
        "1.e3",
        "1e",
        "1e+",
        "1E-2",
        "1e999",
        "-1e-999",
        "0x1",
        "tru",
        "truex",
        "nul",
        "null ",
        "NaN",
        "Infinity",
        "-Infinity",
        "",
        "'a'",
        "a",
        "\"",
        "1234567890123456789",
        "12345678901234567890",
        "123456789012345678901",
        "-9223372036854775809",
        "000000000000000000001",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ud800\\udc00\"",
        "\"\\udc00\"",
        "\"\\x\"",
        "\"\\\"",
        "\"\t\"",
        "\"\x7f\"",
        "\"\xC3\"",
        "\"\xC3\xA9\"",
        "\"\xED\xA0\x80\"",
        "\"\xF4\x90\x80\x80\"",
        "\"\xC0\x80\"",
        "\"\xF0\x9F\x98\"",
        "\"a\"b",
        "\"a\" \"b\"",
        "1 2",
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        ",",
        ":",
        "1,",
        "1:2",
        "\"a\":1",
        "\v1",
        "\xEF\xBB\xBF"
        "1"};
    for (std::uint64_t i = 0; i < 20 * number_of("GANG_DOCUMENTS", 1'000); ++i) {
        std::string scalar;
        const std::string letters =
            i % 2 == 0 ? "0019-+.eE" : "\"\"\\\\u00dD8bn/\xC3\xA9\x80\x1f z\n";
        for (std::uint64_t n = random() % 12; n > 0; --n)
            scalar += letters[random() % letters.size()];
        scalars.push_back(i % 4 == 1 ? '"' + scalar + '"' : scalar);
    }
    int good = 0;
    for (const std::string& scalar : scalars) {
        for (const char* member : {"deletionTimestamp", "generateName"}) {
            const std::string text = R"({"metadata":{"name":"p",")" + std::string(member) +
                                     "\":" + scalar + R"(},"spec":{}})";
            CAPTURE(seed);
            CAPTURE(text);
            // In brackets of their own nothing is checked but brackets and strings.
            if (scalar.find_first_of("{}[]") != std::string::npos) continue;
            const auto wanted = oracle::decode_pod(text);
            const auto got = decode_pod(text);
            if (wanted) {
                ++good;
                CHECK(got == *wanted);
            } else {
                CHECK_FALSE(got);
            }
        }
    }
    CHECK(good > 500);
}

TEST_CASE("codec oracle: what is broken where somebody reads is refused") {
    for (const std::string text :
         {R"()",
          R"( )",
          R"({)",
          R"({})"
          "x",
          R"({}})",
          R"({},)",
          R"({"metadata")",
          R"({"metadata":)",
          R"({"metadata":})",
          R"({"metadata":{}:})",
          R"({"metadata" {}})",
          R"({"metadata":{},})",
          R"({,"metadata":{}})",
          R"({"metadata":{}"spec":{}})",
          R"({"metadata":{},,"spec":{}})",
          R"({metadata:{}})",
          R"({1:{}})",
          R"({"metadata":{"name":"p"})",
          R"({"metadata":{"name":"p"]})",
          R"({"spec":{"containers":[{},]}})",
          R"({"spec":{"containers":[,{}]}})",
          R"({"spec":{"containers":[{} {}]}})",
          R"({"spec":{"containers":[{}})",
          R"({"spec":{"containers":[{}}})",
          R"({"spec":{"tolerations":[{"key":"a"},1 2]}})",
          R"({"metadata":{"managedFields":[}})",
          R"({"metadata":{"managedFields":["a]}})",
          R"({"status":{"conditions":[{"type":"Ready"]}})",
          R"({"metadata":{"managedFields":[}}})",
          R"({"metadata":{"name":{"a":1]}})",
          R"({"a":{]})",
          R"({"spec":{"schedulerName":[}}})",
          R"({"spec":{"containers":[{"args":["x"}}]}})"}) {
        CAPTURE(text);
        rapidjson::Document document;
        std::string copy = text;
        CHECK_FALSE(oracle::parse(copy, document));
        const auto got = decode_pod(text);
        REQUIRE_FALSE(got);
        CHECK(got.error().message.starts_with("this is not JSON: "));
    }
}

TEST_CASE("codec oracle: real pods, damaged") {
    const std::uint64_t seed = number_of("GANG_SEED", 1);
    Documents documents(seed);
    std::vector<std::string> pods;
    for (const std::string& text : fixtures()) {
        for (std::string& object : objects_in(text)) pods.push_back(std::move(object));
    }
    const std::uint64_t count = number_of("GANG_DOCUMENTS", 1'000) / 3;
    for (std::uint64_t i = 0; i < count; ++i) {
        CAPTURE(seed);
        const std::string text = documents.mutated(pods[documents.pick(pods.size())]);
        compare(text);
        compare_line(WatchKind::pods, text);
    }
}

TEST_CASE("codec oracle: a fingerprint is of what is kept, and of nothing else") {
    WatchDecoder decoder(WatchKind::pods, 7);
    const auto of = [&](const std::string& metadata,
                        const std::string& spec,
                        const std::string& status) {
        const std::string line =
            R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p")" +
            metadata + R"(},"spec":{"containers":[{"name":"c")" + spec +
            R"(}]},"status":{"conditions":[)" + status + "]}}}";
        REQUIRE(decoder.read_line(line));
        return decoder.key().fingerprint;
    };
    const std::string volumes =
        R"(}],"volumes":[{"name":"v","configMap":{"name":"m"}}],"x":[{"y":1)";
    const std::string other_volumes =
        R"(}],"volumes":[{"name":"w","configMap":{"name":"m"}}],"x":[{"y":1)";
    const std::string driver = R"(,"args":["driver"])";
    const std::string executor = R"(,"args":["executor"])";
    const auto noise = [&](const std::string& text) {
        return of(
            R"(,"resourceVersion":")" + text + R"(","managedFields":[{"time":")" + text +
                R"("}],"selfLink":")" + text + R"(")",
            R"(,"env":[{"name":"}","value":")" + text + R"("}],"image":")" + text + R"(")",
            R"({"type":"Ready","status":")" + text + R"("})");
    };
    // Nobody reads it, or it is the version.
    CHECK(noise("5") == noise("66"));
    CHECK(noise("5") == noise("\\u0041"));
    CHECK(of("", executor, "") == of("", R"(,"args":["executor","--x"])", ""));
    CHECK(of("", executor + volumes, "") == of("", executor + other_volumes, ""));
    CHECK(of("", driver + volumes, "") != of("", driver + other_volumes, ""));
    // What is kept differs, or where something was left out.
    const std::vector<std::uint64_t> different = {
        of("", "", ""),
        of(R"(,"namespace":{"a":1})", "", ""),
        of(R"(,"namespace":["a"])", "", ""),
        of(R"(,"namespace":"a")", "", ""),
        of(R"(,"labels":{"a":"b"})", "", ""),
        of(R"(,"labels":{"ab":""})", "", ""),
        of(R"(,"resourceVersion":"5")", "", ""),
        of(R"(,"resourceVersion":5)", "", ""),
        of("", executor, ""),
        of("", driver, ""),
        of("", driver + volumes, ""),
        of("", executor + volumes, ""),
        of("", "", R"({"type":"PodScheduled","status":"True"})"),
        of("", "", R"({"type":"PodScheduled","status":"False"})")};
    for (std::size_t i = 0; i < different.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CAPTURE(i);
            CAPTURE(j);
            CHECK(different[i] != different[j]);
        }
    }
}

TEST_CASE("codec oracle: equal fingerprints mean equal pods but for the version") {
    const std::uint64_t seed = number_of("GANG_SEED", 1);
    Documents documents(seed);
    WatchDecoder decoder(WatchKind::pods, seed);
    const auto read = [&](const std::string& object) {
        std::string line =
            R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",)" + object.substr(1) + "}";
        std::uint64_t fingerprint = 0;
        core::Result<WatchDecoder::Object> made = core::Error{"not read"};
        if (decoder.read_line(line)) {
            fingerprint = decoder.key().fingerprint;
            made = decoder.object();
        }
        if (made) std::get<core::Pod>(*made).resource_version.clear();
        return std::pair(fingerprint, made);
    };
    int equal = 0;
    const std::uint64_t count = number_of("GANG_DOCUMENTS", 1'000);
    for (std::uint64_t i = 0; i < count; ++i) {
        CAPTURE(seed);
        const std::string text = documents.object();
        const std::string other = documents.mutated(text);
        if (other.empty() || other.front() != '{') continue;
        const auto [first, a] = read(text);
        const auto [second, b] = read(other);
        if (first == 0 || first != second) continue;
        CAPTURE(text);
        CAPTURE(other);
        CHECK(a == b);
        ++equal;
    }
    CHECK(equal > 30);
}
