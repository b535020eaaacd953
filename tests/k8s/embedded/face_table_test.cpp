#include "k8s/base/time.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/age.hpp"
#include "k8s/embedded/tables/table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s::embedded;

namespace {

constexpr const char* kubectl_accept =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
const std::int64_t now_ms = *k8s::parse_time("2026-01-01T00:10:00Z");

Json json(const std::string& text) {
    auto parsed = Json::parse(text);
    REQUIRE(parsed);
    return *parsed;
}

std::string cell(const Json& value) {
    return value.is_string() ? value.as_string() : value.dump();
}

// The cells of the only row.
std::vector<std::string> row(const Kind& kind, const std::string& object) {
    const Json table = as_table(kind, json(object), TableForm{}, now_ms);
    const Json::Array& rows = items_at(table, {"rows"});
    REQUIRE(rows.size() == 1);
    std::vector<std::string> cells;
    for (const Json& value : items_at(rows.front(), {"cells"})) cells.push_back(cell(value));
    CHECK(cells.size() == items_at(table, {"columnDefinitions"}).size());
    return cells;
}

std::vector<std::string> row(const char* plural, const std::string& object) {
    return row(core_kind(plural), object);
}

std::string pod(const std::string& status, const std::string& metadata = "") {
    return R"({"metadata":{"name":"p","creationTimestamp":"2026-01-01T00:00:00Z")" + metadata +
           R"(},"spec":{"containers":[{"name":"c"}],"initContainers":[{"name":"i"},{"name":"j"}]},
             "status":)" +
           status + "}";
}

std::string pod_status(const std::string& status, const std::string& metadata = "") {
    return row("pods", pod(status, metadata))[2];
}

}  // namespace

TEST_CASE("age: as kubectl prints durations") {
    const auto seconds = [](std::int64_t value) { return human_duration(value * 1000); };
    CHECK(seconds(-5) == "<invalid>");
    CHECK(seconds(-1) == "0s");
    CHECK(seconds(119) == "119s");
    CHECK(seconds(120) == "2m");
    CHECK(seconds(187) == "3m7s");
    CHECK(seconds(600) == "10m");
    CHECK(seconds(3 * 3600) == "3h");
    CHECK(seconds(3 * 3600 + 60) == "3h1m");
    CHECK(seconds(30 * 3600) == "30h");
    CHECK(seconds(3 * 86400 + 7200) == "3d2h");
    CHECK(seconds(9 * 86400) == "9d");
    CHECK(seconds(800LL * 86400) == "2y70d");
    CHECK(seconds(9LL * 365 * 86400) == "9y");
    CHECK(age_since("nonsense", now_ms) == "<unknown>");
}

TEST_CASE("table: chosen by the Accept header, with what includeObject asks for") {
    const auto form = wanted_table(kubectl_accept, "");
    REQUIRE(form);
    CHECK(form->api_version == "meta.k8s.io/v1");
    CHECK(form->include == RowObject::metadata);
    CHECK(wanted_table(kubectl_accept, "Object")->include == RowObject::object);
    CHECK(wanted_table(kubectl_accept, "None")->include == RowObject::none);
    CHECK_FALSE(wanted_table("application/json", ""));
    CHECK_FALSE(wanted_table("application/json, application/json;as=Table;v=v1;g=meta.k8s.io", ""));
    CHECK_FALSE(wanted_table("", ""));
}

TEST_CASE("table: a list keeps its version and its continuation, rows carry metadata") {
    const Json list = json(
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"x",
            "remainingItemCount":3},"items":[)" +
        pod(R"({"phase":"Pending"})") + "]}");
    const Json table = as_table(core_kind("pods"), list, TableForm{}, now_ms);
    CHECK(table.text({"kind"}) == "Table");
    CHECK(table.text({"metadata", "resourceVersion"}) == "7");
    CHECK(table.text({"metadata", "continue"}) == "x");
    CHECK(int_at(table, {"metadata", "remainingItemCount"}) == 3);
    const Json& object = *items_at(table, {"rows"}).front().find("object");
    CHECK(object.text({"kind"}) == "PartialObjectMetadata");
    CHECK(object.find("spec") == nullptr);
}

TEST_CASE("table: whole objects say their kind, later watch events carry no columns") {
    TableForm form;
    form.include = RowObject::object;
    form.with_columns = false;
    const Json table =
        as_table(core_kind("pods"), json(pod(R"({"phase":"Pending"})")), form, now_ms);
    CHECK(items_at(table, {"rows"}).front().text({"object", "kind"}) == "Pod");
    CHECK(items_at(table, {"rows"}).front().text({"object", "apiVersion"}) == "v1");
    CHECK(table.find("columnDefinitions")->is_null());
}

TEST_CASE("table: a running pod with its wide columns") {
    const auto cells =
        row("pods",
            R"({"metadata":{"name":"p","creationTimestamp":"2026-01-01T00:07:00Z"},
            "spec":{"nodeName":"n1","containers":[{"name":"c"}]},
            "status":{"phase":"Running","podIPs":[{"ip":"10.0.0.9"}],
              "containerStatuses":[{"name":"c","ready":true,"restartCount":2,
                "lastState":{"terminated":{"finishedAt":"2026-01-01T00:09:00Z"}},
                "state":{"running":{}}}]}})");
    const std::vector<std::string> expected = {
        "p", "1/1", "Running", "2 (60s ago)", "3m", "10.0.0.9", "n1", "<none>", "<none>"};
    CHECK(cells == expected);
}

TEST_CASE("table: the status text of a pod") {
    CHECK(pod_status(R"({"phase":"Pending"})") == "Pending");
    CHECK(pod_status(R"({"phase":"Failed","reason":"OutOfcpu"})") == "OutOfcpu");
    CHECK(
        pod_status(
            R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
                "reason":"SchedulingGated"}]})") == "SchedulingGated");
    CHECK(
        pod_status(
            R"({"phase":"Pending","containerStatuses":[{"state":{"waiting":
                {"reason":"ContainerCreating"}}}]})") == "ContainerCreating");
    CHECK(
        pod_status(
            R"({"phase":"Succeeded","containerStatuses":[{"state":{"terminated":
                {"exitCode":0,"reason":"Completed"}}}]})") == "Completed");
    CHECK(
        pod_status(
            R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":
                {"exitCode":3}}}]})") == "ExitCode:3");
    CHECK(
        pod_status(
            R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":
                {"exitCode":137,"signal":9}}}]})") == "Signal:9");
    CHECK(
        pod_status(
            R"({"phase":"Pending","initContainerStatuses":[
                {"name":"i","state":{"terminated":{"exitCode":0}}},
                {"name":"j","state":{"running":{}}}]})") == "Init:1/2");
    CHECK(
        pod_status(
            R"({"phase":"Pending","initContainerStatuses":[
                {"name":"i","state":{"waiting":{"reason":"ErrImagePull"}}}]})") ==
        "Init:ErrImagePull");
    CHECK(
        pod_status(R"({"phase":"Running"})", R"(,"deletionTimestamp":"2026-01-01T00:00:30Z")") ==
        "Terminating");
    CHECK(
        pod_status(
            R"({"phase":"Succeeded","containerStatuses":[{"state":{"terminated":
                {"exitCode":0,"reason":"Completed"}}}]})",
            R"(,"deletionTimestamp":"2026-01-01T00:00:30Z")") == "Completed");
}

TEST_CASE("table: one of two containers still runs in a completed pod") {
    const std::string statuses =
        R"({"phase":"Running","conditions":[{"type":"Ready","status":"READY"}],
            "containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
            {"ready":true,"state":{"running":{}}}]})";
    std::string ready = statuses;
    ready.replace(ready.find("READY"), 5, "True");
    std::string not_ready = statuses;
    not_ready.replace(not_ready.find("READY"), 5, "False");
    CHECK(pod_status(ready) == "Running");
    CHECK(pod_status(not_ready) == "NotReady");
}

TEST_CASE("table: nodes, cordoned and with roles") {
    const auto cells =
        row("nodes",
            R"({"metadata":{"name":"n","creationTimestamp":"2026-01-01T00:00:00Z","labels":
              {"node-role.kubernetes.io/worker":"","kubernetes.io/role":"edge"}},
            "spec":{"unschedulable":true},
            "status":{"conditions":[{"type":"Ready","status":"Unknown"}],
              "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
              "nodeInfo":{"kubeletVersion":"v1","kernelVersion":"6","architecture":"amd64"}}})");
    const std::vector<std::string> expected = {
        "n",
        "NotReady,SchedulingDisabled",
        "edge,worker",
        "10m",
        "v1",
        "10.0.0.1",
        "<none>",
        "<unknown>",
        "6 (amd64)",
        "<unknown>"};
    CHECK(cells == expected);
}

TEST_CASE("table: services and events") {
    const auto service =
        row("services",
            R"({"metadata":{"name":"s","creationTimestamp":"2026-01-01T00:00:00Z"},
            "spec":{"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"],
              "ports":[{"port":7078,"protocol":"TCP"},{"port":80,"nodePort":3,"protocol":"UDP"}],
              "selector":{"b":"2","a":"1"}}})");
    const std::vector<std::string> expected = {
        "s", "ClusterIP", "None", "<none>", "7078/TCP,80:3/UDP", "10m", "a=1,b=2"};
    CHECK(service == expected);
    const auto event =
        row("events",
            R"({"metadata":{"name":"e"},"type":"Normal","reason":"R","message":" m \n",
            "eventTime":"2026-01-01T00:09:00.000000Z","reportingComponent":"gang-scheduler",
            "involvedObject":{"kind":"Pod","name":"p"}})");
    const std::vector<std::string> line = {
        "60s", "Normal", "R", "pod/p", "", "gang-scheduler", "m", "60s", "1", "e"};
    CHECK(event == line);
}

TEST_CASE("table: claims before and after they are bound, volumes, classes, CSI nodes") {
    using Cells = std::vector<std::string>;
    const std::string spec = R"("spec":{"volumeMode":"Filesystem","storageClassName":"fast")";
    const std::string head =
        R"({"metadata":{"name":"x","creationTimestamp":"2026-01-01T00:00:00Z"},)";
    const Cells pending = {"x", "Pending", "", "", "", "fast", "<unset>", "10m", "Filesystem"};
    CHECK(
        row("persistentvolumeclaims", head + spec + R"(},"status":{"phase":"Pending"}})") ==
        pending);
    const Cells bound = {
        "x", "Bound", "v", "1Gi", "RWO,ROX", "fast", "<unset>", "10m", "Filesystem"};
    CHECK(
        row("persistentvolumeclaims", head + spec + R"(,"volumeName":"v"},"status":{"phase":"Bound",
            "capacity":{"storage":"1Gi"},"accessModes":["ReadOnlyMany","ReadWriteOnce"]}})") ==
        bound);
    const Cells volume = {
        "x", "2Gi", "RWOP", "Delete", "Bound", "s/c", "fast", "<unset>", "", "10m", "Filesystem"};
    CHECK(
        row("persistentvolumes",
            head + spec + R"(,"capacity":{"storage":"2Gi"},"accessModes":["ReadWriteOncePod"],
            "persistentVolumeReclaimPolicy":"Delete","claimRef":{"namespace":"s","name":"c"}},
            "status":{"phase":"Bound"}})") == volume);
    const Cells fast = {"fast", "p", "Delete", "Immediate", "true", "10m"};
    CHECK(
        row(*find_kind("storage.k8s.io", "v1", "storageclasses"),
            R"({"metadata":{"name":"fast","creationTimestamp":"2026-01-01T00:00:00Z",
            "annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p",
            "reclaimPolicy":"Delete","volumeBindingMode":"Immediate","allowVolumeExpansion":true})") ==
        fast);
    CHECK(
        row(*find_kind("storage.k8s.io", "v1", "csinodes"),
            head + R"("spec":{"drivers":[{"name":"d"}]}})") == Cells{"x", "1", "10m"});
}

TEST_CASE("table: of listed storage classes the one is named that claims without a class get") {
    const auto one = [](const char* name, const char* made, const char* is_default) {
        return std::string(R"({"metadata":{"name":")") + name + R"(","creationTimestamp":")" + made +
               R"(","annotations":{"storageclass.kubernetes.io/is-default-class":")" + is_default +
               R"("}},"provisioner":"p"})";
    };
    const auto names = [](const std::string& items) {
        const Json table = as_table(
            *find_kind("storage.k8s.io", "v1", "storageclasses"),
            json(R"({"metadata":{},"items":[)" + items + "]}"),
            TableForm{},
            now_ms);
        std::string all;
        for (const Json& row : items_at(table, {"rows"})) {
            all += items_at(row, {"cells"})[0].as_string() + ";";
        }
        return all;
    };
    const std::string old = one("old", "2026-01-01T00:00:00Z", "true");
    CHECK(names(old + "," + one("new", "2026-01-02T00:00:00Z", "true")) == "old;new (default);");
    CHECK(names(old + "," + one("b", "2026-01-01T00:00:00Z", "true")) == "old;b (default);");
    CHECK(names(one("none", "2026-01-01T00:00:00Z", "false")) == "none;");
}

TEST_CASE("table: kinds without a printer have name and age") {
    const Kind* kind = find_kind("networking.k8s.io", "v1", "networkpolicies");
    REQUIRE(kind != nullptr);
    const Json table = as_table(
        *kind,
        json(R"({"metadata":{"name":"x","creationTimestamp":"2026-01-01T00:00:00Z"}})"),
        TableForm{},
        now_ms);
    CHECK(items_at(items_at(table, {"rows"}).front(), {"cells"}).front() == Json("x"));
    CHECK(items_at(items_at(table, {"rows"}).front(), {"cells"}).back() == Json("10m"));
}
