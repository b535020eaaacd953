// Every path, against the schema that is documented.
#include "config/loader.hpp"
#include "gang/app/api/api_http.hpp"
#include "gang/app/base/text.hpp"
#include "k8s/json/json.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>
#include <rapidjson/schema.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace gang;
using namespace gang::app;

using tests::contains;

namespace {

rapidjson::Document parse(const std::string& text) {
    rapidjson::Document document;
    document.Parse(text.c_str(), text.size());
    REQUIRE_MESSAGE(!document.HasParseError(), text);
    return document;
}

rapidjson::Document documented() {
    std::ifstream in(std::string(TESTS_DIR) + "/../docs/reference/api.schema.json");
    REQUIRE(in.good());
    return parse({std::istreambuf_iterator<char>(in), {}});
}

/// The answer's kind, when it is what the documented schema says of that kind.
std::string valid_kind(const std::string& text) {
    const rapidjson::Document answer = parse(text);
    const std::string kind = answer["kind"].GetString();
    rapidjson::Document schema = documented();
    const auto definition = schema["definitions"].FindMember(kind.c_str());
    REQUIRE_MESSAGE(definition != schema["definitions"].MemberEnd(), kind);
    // That kind alone, so that what is wrong is named.
    rapidjson::Value only(rapidjson::kArrayType);
    rapidjson::Value reference(rapidjson::kObjectType);
    const std::string path = "#/definitions/" + kind;
    reference.AddMember(
        "$ref", rapidjson::Value(path.c_str(), schema.GetAllocator()), schema.GetAllocator());
    only.PushBack(reference, schema.GetAllocator());
    schema["oneOf"] = only;
    const rapidjson::SchemaDocument compiled(schema);
    rapidjson::SchemaValidator validator(compiled);
    if (answer.Accept(validator)) {
        return kind;
    }
    rapidjson::StringBuffer at;
    validator.GetInvalidDocumentPointer().StringifyUriFragment(at);
    return std::string("not as documented: ") + at.GetString() + " " +
           validator.GetInvalidSchemaKeyword() + " in " + text;
}

GangView gang_view(const std::string& name, GangState state) {
    GangView gang;
    gang.namespace_name = "etl";
    gang.driver = name;
    gang.driver_uid = "uid-" + name;
    gang.application = "spark-" + name;
    gang.state = state;
    gang.executors = 4;
    gang.needs = {9'000, 11'811'160'064, 0, {{"nvidia.com/gpu", 2}}};
    gang.waiting_since_ms = 1'000'000;
    return gang;
}

/// A cluster that tests change.
struct World {
    Standing standing{true, "pod-a"};
    std::uint64_t changes = 0;
    int asked = 0;
    std::vector<GangView> gangs = {
        gang_view("a", GangState::running), gang_view("b", GangState::waiting)};
    std::vector<NodeLedger> nodes;
    std::vector<QueueView> queues;
    WhatIf last_question;
    WhatIfAnswer what_if{false, true, 2, 7, "short of 4 cpu", "", 3, "", {}};

    World() {
        queues.emplace_back().name = "root.etl";
        queues[0].parent = "root";
        queues[0].usage = {1'500, 4'096, 0, {{"nvidia.com/gpu", 1}}};
        queues[0].limit = {{"cpu", 8'000}};
        queues[0].head = "etl/b";
        gangs[1].code = ReasonCode::waiting_for_capacity;
        gangs[1].position = 1;
        gangs[1].message = "short of 4 cpu <script>alert(1)</script>";
        NodeLedger node;
        node.name = "n1";
        node.allocatable = {8'000, 16'000, 0, {{"nvidia.com/gpu", 4}}};
        node.bound = {5'000, 6'000, 0, {}};
        node.held = {1'000, 2'000, 0, {}};
        node.free = {2'000, 8'000, 0, {}};
        node.pods_allocatable = 110;
        node.pods_bound = 5;
        node.pods_free = 104;
        node.units = {{HeldUnit::State::open, "etl/a", "uid-a", 3, {1'000, 2'000, 0, {}}, 5}};
        nodes = {node, node};
        nodes[1].name = "gone";
        nodes[1].is_present = false;
    }

    ApiSource source() {
        ApiSource out;
        out.standing = [this] { return standing; };
        out.synced = [] { return true; };
        out.changes = [this] { return changes; };
        out.gangs = [this] {
            ++asked;
            return gangs;
        };
        out.nodes = [this] { return nodes; };
        out.queues = [this] { return queues; };
        out.what_if = [this](const WhatIf& question) {
            last_question = question;
            return what_if;
        };
        out.explain = [this](const std::string& question) -> std::optional<Explanation> {
            if (question != "etl/a b" && question != "etl/b") {
                return std::nullopt;
            }
            Explanation explanation;
            explanation.gang = gangs[1];
            explanation.slots_per_node = {{"n1", 4}};
            explanation.notes = {"ahead: etl/a"};
            return explanation;
        };
        out.server = "https://127.0.0.1:6443";
        out.config.api = {true, "127.0.0.1:0", {}};
        return out;
    }
};

struct Api {
    World world;
    ApiHttp http{world.source()};

    HttpReply get(const std::string& target) {
        return http.reply(HttpAsk{target, "127.0.0.1:10353"});
    }
    HttpReply get_unless(const std::string& target, const std::string& tag) {
        return http.reply(HttpAsk{target, "localhost", "", tag});
    }
};

std::string tag_of(const HttpReply& reply) {
    for (const HttpField& field : reply.fields) {
        if (std::string(field.name) == "ETag") {
            return field.value;
        }
    }
    return {};
}

}  // namespace

TEST_CASE("api: every path answers what its schema says") {
    Api api;
    const std::map<std::string, std::string> kinds = {
        {"/api/v1/", "Index"},
        {"/api/v1/summary", "Summary"},
        {"/api/v1/gangs", "GangList"},
        {"/api/v1/gangs?state=Waiting,Parked&q=cpu&namespace=etl&skip=0&limit=5", "GangList"},
        {"/api/v1/gangs/etl/a%20b", "Gang"},
        {"/api/v1/nodes", "NodeList"},
        {"/api/v1/nodes?q=n1&limit=1", "NodeList"},
        {"/api/v1/nodes/n1", "Node"},
        {"/api/v1/nodes/gone", "Node"},
        {"/api/v1/queues", "QueueList"},
        {"/api/v1/whatif?executors=7&executorCpu=2", "WhatIf"},
        {"/api/v1/config", "Config"}};
    for (const auto& [target, kind] : kinds) {
        const HttpReply reply = api.get(target);
        CHECK_MESSAGE(reply.status == 200, target);
        CHECK_MESSAGE(valid_kind(reply.body) == kind, target);
    }
    // What is listed is what is there.
    for (const std::string_view path : ApiHttp::paths()) {
        CHECK(contains(api.get("/api/v1/").body, std::string(path)));
    }
}

TEST_CASE("api: the schema knows every code and every state") {
    const rapidjson::Document schema = documented();
    const auto& properties = schema["definitions"]["GangItem"]["properties"];
    std::vector<std::string> codes;
    for (const auto& code : properties["code"]["enum"].GetArray()) {
        codes.emplace_back(code.GetString());
    }
    std::vector<std::string> known = {""};
    for (const ReasonCode code : all_reason_codes()) {
        known.emplace_back(to_string(code));
    }
    CHECK(codes == known);
    CHECK(properties["state"]["enum"].Size() == static_cast<unsigned>(GangState::ended) + 1);
}

TEST_CASE("api: the summary adds up, without nodes that are gone") {
    Api api;
    const rapidjson::Document summary = parse(api.get("/api/v1/summary").body);
    CHECK(summary["waiting"].GetInt() == 1);
    CHECK(summary["gangs"]["Running"].GetInt() == 1);
    CHECK(summary["oldestWaitingSinceMs"].GetInt64() == 1'000'000);
    CHECK(summary["nodes"].GetInt() == 1);
    CHECK(summary["room"]["cpuMilli"]["allocatable"].GetInt64() == 8'000);
    CHECK(summary["room"]["cpuMilli"]["held"].GetInt64() == 1'000);
    CHECK(summary["room"]["memoryBytes"]["free"].GetInt64() == 8'000);
    CHECK(summary["room"]["pods"]["held"].GetInt64() == 1);
    CHECK(std::string(summary["leader"].GetString()) == "pod-a");
}

TEST_CASE("api: lists are filtered and paged, and say how many there are") {
    Api api;
    const auto total = [&api](const std::string& query) {
        const rapidjson::Document list = parse(api.get("/api/v1/gangs" + query).body);
        return std::pair(list["total"].GetInt(), list["gangs"].Size());
    };
    CHECK(total("") == std::pair(2, 2U));
    CHECK(total("?state=Running") == std::pair(1, 1U));
    CHECK(total("?state=Running,Waiting") == std::pair(2, 2U));
    CHECK(total("?state=Parked") == std::pair(0, 0U));
    CHECK(total("?namespace=adhoc") == std::pair(0, 0U));
    CHECK(total("?q=etl%2Fb") == std::pair(1, 1U));
    CHECK(total("?q=WaitingForCapacity") == std::pair(1, 1U));
    CHECK(total("?q=spark-a") == std::pair(1, 1U));
    CHECK(total("?limit=1") == std::pair(2, 1U));
    CHECK(total("?skip=1&limit=9") == std::pair(2, 1U));
    CHECK(total("?skip=7") == std::pair(2, 0U));
}

TEST_CASE("api: wrong questions get an error that says what is wrong, as JSON") {
    Api api;
    const std::map<std::string, std::pair<int, std::string>> wrong = {
        {"/api/v1/gangs?stat=x", {400, "there is no parameter stat, only state, namespace"}},
        {"/api/v1/gangs?state=Sleeping", {400, "Waiting,Parked"}},
        {"/api/v1/gangs?limit=0", {400, "from 1 to 10000"}},
        {"/api/v1/gangs?limit=ten", {400, "from 1 to 10000"}},
        {"/api/v1/gangs?skip=-1", {400, "skip is to be"}},
        {"/api/v1/nodes?state=Running", {400, "no parameter state"}},
        {"/api/v1/gangs/etl", {400, "NAMESPACE/NAME"}},
        {"/api/v1/gangs/etl/a/b", {400, "NAMESPACE/NAME"}},
        {"/api/v1/gangs/etl/%zz", {400, "NAMESPACE/NAME"}},
        {"/api/v1/gangs/etl/nobody", {404, "no gang of ours"}},
        {"/api/v1/gangs/etl/b?format=xml", {400, "json or text"}},
        {"/api/v1/nodes/n9", {404, "no node"}},
        {"/api/v1/whatif?executor=1", {400, "no parameter executor, only executors"}},
        {"/api/v1/whatif?executors=-1", {400, "a number from 0 to 100000"}},
        {"/api/v1/whatif?executors=1e9", {400, "a number from 0 to 100000"}},
        {"/api/v1/whatif?executorCpu=two", {400, "executorCpu: found"}},
        {"/api/v1/whatif?driverMemory=-1Gi", {400, "driverMemory: found"}},
        {"/api/v1/whatif?nodeSelector=pool", {400, "LABEL=VALUE"}},
        {"/api/v1/whatif?tolerations==x", {400, "KEY=VALUE"}},
        {"/api/v1/secrets", {404, "/api/v1/summary"}},
        {"/api/v2/gangs", {404, "under /api/v1/"}},
        {"/api", {404, "under /api/v1/"}},
        {"/../../etc/passwd", {404, "under /api/v1/"}}};
    for (const auto& [target, expected] : wrong) {
        const HttpReply reply = api.get(target);
        CHECK_MESSAGE(reply.status == expected.first, target);
        CHECK_MESSAGE(valid_kind(reply.body) == "Error", target);
        CHECK_MESSAGE(contains(reply.body, expected.second), reply.body);
    }
}

TEST_CASE("api: what would be of a gang that does not exist") {
    Api api;
    const HttpReply reply = api.get(
        "/api/v1/whatif?executors=7&executorCpu=500m&executorMemory=2Gi&driverCpu=2"
        "&nodeSelector=zone%3Da,pool%3Dbatch&tolerations=dedicated%3Dspark,spot");
    REQUIRE_MESSAGE(reply.status == 200, reply.body);
    const WhatIf& asked = api.world.last_question;
    CHECK(asked.executors == 7);
    CHECK(asked.executor.cpu_milli == 500);
    CHECK(asked.executor.memory_bytes == 2LL << 30);
    CHECK(asked.driver.cpu_milli == 2'000);
    CHECK(asked.driver.memory_bytes == 1408LL << 20);
    CHECK(asked.constraints.node_selector == core::StringMap{{"pool", "batch"}, {"zone", "a"}});
    REQUIRE(asked.constraints.tolerations.size() == 2);
    CHECK(asked.constraints.tolerations[0].value == "spark");
    CHECK_FALSE(asked.constraints.tolerations[0].exists);
    CHECK(asked.constraints.tolerations[1].exists);
    CHECK(contains(reply.body, "\"fitsNow\":false,\"fitsEmpty\":true,\"executorsFitNow\":2"));
    CHECK(contains(reply.body, "\"waiting\":3"));
    CHECK(tag_of(reply).empty());  // the question is no part of what tags are of
    api.world.what_if.executors_per_node = {{"n1", 3}};
    // An answer that took a millisecond is followed by a pause of fifty.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(valid_kind(api.get("/api/v1/whatif").body) == "WhatIf");
}

TEST_CASE("api: queues are part of what a tag is of") {
    Api api;
    const std::string tag = tag_of(api.get("/api/v1/queues"));
    Api changed;
    changed.world.queues[0].waiting = 1;
    CHECK(tag_of(changed.get("/api/v1/queues")) != tag);
}

TEST_CASE("api: whatever is asked gets an answer that its schema knows, and a status that is ours") {
    Api api;
    const std::vector<std::string> parts = {
        "/api/v1/", "gangs", "nodes", "queues", "whatif", "config", "summary", "/", "..", "%", "%2e",
        "%2F", "%00", "%zz", "?", "&", "=", "limit", "skip", "q", "state", "executors", "nodeSelector",
        "tolerations", "executorCpu", "1", "-1", "9223372036854775808", "1e400", "500m", "Gi", ",",
        "Waiting", "etl", "b", "\"", "<script>", "\\", "\xff", ";", "#", " "};
    std::uint64_t state = 42;
    const auto next = [&state](std::size_t below) {
        state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
        return static_cast<std::size_t>((state >> 33U) % below);
    };
    std::map<int, int> seen;
    for (int turn = 0; turn < 5'000; ++turn) {
        std::string target = next(8) == 0 ? "/" : "/api/v1/";
        for (std::size_t i = next(9); i > 0; --i) {
            target += parts[next(parts.size())];
        }
        const HttpReply reply = api.get(target);
        ++seen[reply.status];
        if (reply.status != 200 || target.starts_with("/api/v1/")) {
            rapidjson::Document answer;
            answer.Parse(reply.body.c_str(), reply.body.size());
            CHECK_MESSAGE((!answer.HasParseError() && answer.HasMember("kind")), target);
        }
    }
    CHECK(seen[200] > 10);
    CHECK(seen[400] > 10);
    CHECK(seen[404] > 10);
    // 503: two questions after each other to what-if, which takes a fiftieth of the time.
    CHECK(seen[200] + seen[400] + seen[404] + seen[503] == 5'000);
}

TEST_CASE("api: one gang as text is what `why` says") {
    Api api;
    const HttpReply reply = api.get("/api/v1/gangs/etl/b?format=text");
    CHECK(reply.status == 200);
    CHECK(std::string(reply.content_type) == plain_text);
    CHECK(reply.body.starts_with("etl/b: Waiting"));
    CHECK(contains(reply.body, "- ahead: etl/a\n"));
}

TEST_CASE("api: a standby says that it is one and who leads, and still has the page") {
    Api api;
    api.world.standing = {false, "pod-b"};
    for (const std::string_view path : ApiHttp::paths()) {
        const HttpReply reply = api.get(std::string(path));
        CHECK(reply.status == 503);
        CHECK(valid_kind(reply.body) == "Error");
        const rapidjson::Document error = parse(reply.body);
        CHECK(std::string(error["from"].GetString()) == "standby");
        CHECK(std::string(error["leader"].GetString()) == "pod-b");
        CHECK_FALSE(contains(reply.body, "etl"));
    }
    CHECK(api.world.asked == 0);
    CHECK(api.get("/").status == 200);
    api.world.standing = {false, ""};
    CHECK(contains(api.get("/api/v1/gangs").body, "nobody leads"));
}

TEST_CASE("api: a name that is not ours gets nothing, the page included") {
    Api api;
    for (const char* target : {"/", "/page.js", "/api/v1/gangs", "/api/v1/events"}) {
        const HttpReply reply = api.http.reply(HttpAsk{target, "evil.example:10353"});
        CHECK(reply.status == 421);
        CHECK(valid_kind(reply.body) == "Error");
        CHECK_FALSE(reply.stream);
    }
    const HttpAsk foreign{"/api/v1/gangs", "127.0.0.1", "http://evil.example"};
    CHECK(api.http.reply(foreign).status == 403);
}

TEST_CASE("api: what has not changed is not sent again, and the tag outlives a restart") {
    Api api;
    const std::string tag = tag_of(api.get("/api/v1/gangs"));
    CHECK(tag.size() == 18);
    const HttpReply same = api.get_unless("/api/v1/gangs", tag);
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(api.get_unless("/api/v1/gangs", "\"0\"").status == 200);
    Api restarted;
    CHECK(tag_of(restarted.get("/api/v1/nodes")) == tag);
    restarted.world.gangs[1].message = "short of 3 cpu";
    Api changed;
    changed.world.gangs[1].message = "short of 3 cpu";
    CHECK(tag_of(changed.get("/api/v1/gangs")) != tag);
    Api moved;
    moved.world.nodes[0].free.cpu_milli -= 1;
    CHECK(tag_of(moved.get("/api/v1/gangs")) != tag);
    // What is said of one gang may be newer than that.
    CHECK(tag_of(api.get("/api/v1/gangs/etl/b")).empty());
}

TEST_CASE("api: nothing is made for whoever asks twice, nor kept when nobody asks") {
    Api api;
    CHECK(api.world.asked == 0);
    api.get("/api/v1/gangs");
    api.get("/api/v1/nodes");
    CHECK(api.world.asked == 1);
    Snapshots& snapshots = api.http.snapshots();
    CHECK(snapshots.give_up_unused());        // asked since
    CHECK_FALSE(snapshots.give_up_unused());  // not any more
    api.get("/api/v1/summary");
    CHECK(api.world.asked == 2);
}

TEST_CASE("api: viewers get the summary when something has changed, and so many may watch") {
    Api api;
    const HttpReply opened = api.get("/api/v1/events");
    REQUIRE(opened.stream);
    CHECK(std::string(opened.content_type) == "text/event-stream");
    const std::string first = opened.stream->next();
    CHECK(first.starts_with("retry: 2000\n\nid: "));
    const auto begin = first.find("data: ") + 6;
    CHECK(valid_kind(first.substr(begin, first.find("\n\n", begin) - begin)) == "Summary");
    CHECK(opened.stream->next().empty());  // nothing new
    const std::string id = first.substr(first.find("id: ") + 4, 16);
    const HttpReply again = api.http.reply(HttpAsk{"/api/v1/events", "localhost", "", "", id});
    REQUIRE(again.stream);
    CHECK(again.stream->next() == "retry: 2000\n\n");  // has seen it before its connection broke
    std::vector<std::shared_ptr<HttpStream>> open;
    while (auto more = api.get("/api/v1/events").stream) {
        open.push_back(std::move(more));
        REQUIRE(open.size() <= Viewers::viewers_max);
    }
    CHECK(open.size() == Viewers::viewers_max - 2);
    const HttpReply full = api.get("/api/v1/events");
    CHECK(full.status == 503);
    CHECK(valid_kind(full.body) == "Error");
    open.pop_back();
    CHECK(api.get("/api/v1/events").stream);
}

TEST_CASE("api: the configuration has every key of the file") {
    World world;
    ApiSource source = world.source();
    source.config.queues = {
        {"root.etl", 2, {}, {{"cpu", 4000}}, {}, 3, {}, 0, 0, false, {}, {}, {}, {"etl"}, {}, {}}};
    source.config.gpu_metrics.model_aliases = {{"rtx", "NVIDIA GeForce RTX 3090"}};
    source.config.placement = {
        {config::PlacementRule::Kind::annotation, {}},
        {config::PlacementRule::Kind::fixed, "root.etl"}};
    ApiHttp http(std::move(source));
    const std::string body = http.reply(HttpAsk{"/api/v1/config", "localhost"}).body;
    const rapidjson::Document answer = parse(body);
    for (const std::string& key : config::known_keys()) {
        if (key == "apiVersion" || key == "kind" || contains(key, ".scores")) {
            continue;  // of the file itself; and of a profile that is not placed by packing
        }
        const rapidjson::Value* at = &answer["config"];
        for (std::size_t begin = 0; begin <= key.size() && at != nullptr;) {
            const std::size_t dot = std::min(key.find('.', begin), key.size());
            std::string part = key.substr(begin, dot - begin);
            const bool is_list = part.ends_with("[]");
            part.resize(part.size() - (is_list ? 2 : 0));
            const auto member = at->FindMember(part.c_str());
            at = member == at->MemberEnd() ? nullptr : &member->value;
            at = at != nullptr && is_list ? &(*at)[0] : at;
            begin = dot + 1;
        }
        CHECK_MESSAGE(at != nullptr, key);
    }
    CHECK(contains(body, "\"leaseDuration\":\"15s\""));
}

TEST_CASE("api: every answer forbids scripts of others, sniffing, frames and referrers") {
    std::string fields;
    for (const HttpField& field : api_manners().fields) {
        fields += std::string(field.name) + ": " + field.value + "\n";
    }
    CHECK(contains(fields, "Content-Security-Policy: default-src 'none'; script-src 'self'"));
    CHECK(contains(fields, "frame-ancestors 'none'"));
    CHECK_FALSE(contains(fields, "unsafe"));
    CHECK(contains(fields, "Referrer-Policy: no-referrer"));
    CHECK(valid_kind(api_manners().refuse(405, "only GET").body) == "Error");
}

TEST_CASE("api: the history has its points and the present moment, and no names") {
    World world;
    ApiSource source = world.source();
    std::int64_t minutes = 0;
    bool leads = true;
    source.history_point = [&]() -> std::optional<HistoryPoint> {
        if (!leads) {
            return std::nullopt;
        }
        HistoryPoint point;
        point.unix_ms = ++minutes * 60'000;
        point.cpu_milli_bound = 5'000;
        return point;
    };
    ApiHttp http(source);
    const auto points = [&http] {
        const HttpReply reply = http.reply(HttpAsk{"/api/v1/history", "localhost"});
        CHECK(valid_kind(reply.body) == "History");
        CHECK(tag_of(reply).empty());  // it is another one each time
        return parse(reply.body)["points"].Size();
    };
    CHECK(points() == 1);
    http.note_history();
    http.note_history();
    CHECK(points() == 3);
    leads = false;  // nothing is known of others' time
    http.note_history();
    CHECK(points() == 2);
}

TEST_CASE("api: a caller who may see one namespace is told nothing of others but how large they are") {
    World world;
    world.gangs.push_back(gang_view("secret", GangState::running));
    world.gangs.back().namespace_name = "adhoc";
    world.nodes[0].units.push_back(
        {HeldUnit::State::open, "adhoc/secret", "uid-secret", 3, {1'000, 2'000, 0, {}}, 5});
    world.queues[0].head = "adhoc/secret";
    ApiSource source = world.source();
    const auto own_explain = source.explain;
    source.explain = [&, own_explain](const std::string& question) {
        if (question != "adhoc/secret") {
            return own_explain(question);
        }
        Explanation explanation;
        explanation.gang = world.gangs.back();
        return std::optional(explanation);
    };
    ApiHttp http(source);
    const Sight etl{false, {"etl"}};
    const auto get = [&http](const std::string& target, const Sight& sight) {
        return http.reply(HttpAsk{target, "localhost"}, sight);
    };
    CHECK(get("/api/v1/gangs/adhoc/secret", Sight()).status == 200);
    CHECK(get("/api/v1/gangs/adhoc/secret", etl).status == 404);
    CHECK(get("/api/v1/gangs/adhoc/secret", etl) == get("/api/v1/gangs/adhoc/nobody", etl));
    CHECK(get("/api/v1/config", etl).status == 403);
    for (const std::string target :
         {"summary", "gangs", "nodes", "nodes/n1", "queues", "whatif", "history", "gangs/etl/b", "gangs?q=secret"}) {
        for (const Sight& sight : {etl, Sight{false, {}}}) {
            // Its own: a second question what-if waits for a moment that depends on the machine.
            const HttpReply reply = ApiHttp(source).reply(HttpAsk{"/api/v1/" + target, "localhost"}, sight);
            CHECK_MESSAGE(!contains(reply.body, "secret"), target << " " << reply.body);
            CHECK_MESSAGE(!contains(reply.body, "adhoc"), target << " " << reply.body);
            CHECK(reply.status == (target == "gangs/etl/b" && sight.namespaces.empty() ? 404 : 200));
            CHECK(contains(valid_kind(reply.body), "not as documented") == false);
        }
    }
    CHECK(parse(get("/api/v1/gangs", etl).body)["total"].GetInt() == 3);
    CHECK(parse(get("/api/v1/gangs?q=secret", etl).body)["total"].GetInt() == 0);
    CHECK(contains(get("/api/v1/gangs", etl).body, "\"driver\":\"b\""));
    CHECK_FALSE(contains(get("/api/v1/gangs", Sight{false, {}}).body, "\"driver\":\"b\""));
    CHECK(tag_of(get("/api/v1/gangs", etl)) != tag_of(get("/api/v1/gangs", Sight())));
}
