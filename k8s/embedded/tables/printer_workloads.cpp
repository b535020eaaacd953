// Printers of the groups apps and batch.
#include "k8s/base/time.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/age.hpp"
#include "k8s/embedded/tables/printer.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace k8s::embedded {
namespace {

struct ContainerTexts {
    std::string names;
    std::string images;
};

ContainerTexts container_texts(const Json& object) {
    ContainerTexts texts;
    for (const Json& container : items_at(object, {"spec", "template", "spec", "containers"})) {
        const char* comma = texts.names.empty() ? "" : ",";
        texts.names += comma + container.text({"name"});
        texts.images += comma + container.text({"image"});
    }
    return texts;
}

void add_wide_cells(Json::Array& cells, const Json& object) {
    const ContainerTexts texts = container_texts(object);
    cells.emplace_back(texts.names);
    cells.emplace_back(texts.images);
    cells.emplace_back(format_selector(object.find_path({"spec", "selector"})));
}

Json::Array deployment_cells(const Json& object, std::int64_t now_ms) {
    const std::int64_t ready = int_at(object, {"status", "readyReplicas"});
    const std::int64_t desired = int_at(object, {"spec", "replicas"});
    Json::Array cells{
        name_cell(object),
        fmt::format("{}/{}", ready, desired),
        int_at(object, {"status", "updatedReplicas"}),
        int_at(object, {"status", "availableReplicas"}),
        age_cell(object, now_ms)};
    add_wide_cells(cells, object);
    return cells;
}

Json::Array replica_set_cells(const Json& object, std::int64_t now_ms) {
    Json::Array cells{
        name_cell(object),
        int_at(object, {"spec", "replicas"}),
        int_at(object, {"status", "replicas"}),
        int_at(object, {"status", "readyReplicas"}),
        age_cell(object, now_ms)};
    add_wide_cells(cells, object);
    return cells;
}

Json::Array stateful_set_cells(const Json& object, std::int64_t now_ms) {
    const std::int64_t ready = int_at(object, {"status", "readyReplicas"});
    const std::int64_t desired = int_at(object, {"spec", "replicas"});
    const ContainerTexts texts = container_texts(object);
    return {
        name_cell(object),
        fmt::format("{}/{}", ready, desired),
        age_cell(object, now_ms),
        texts.names,
        texts.images};
}

Json::Array daemon_set_cells(const Json& object, std::int64_t now_ms) {
    const auto status = [&](std::string_view key) { return int_at(object, {"status", key}); };
    Json::Array cells{
        name_cell(object),
        status("desiredNumberScheduled"),
        status("currentNumberScheduled"),
        status("numberReady"),
        status("updatedNumberScheduled"),
        status("numberAvailable"),
        format_labels(object.find_path({"spec", "template", "spec", "nodeSelector"})),
        age_cell(object, now_ms)};
    add_wide_cells(cells, object);
    return cells;
}

bool has_condition(const Json& job, std::string_view type) {
    for (const Json& condition : items_at(job, {"status", "conditions"})) {
        if (condition.text({"type"}) == type) return condition.text({"status"}) == "True";
    }
    return false;
}

std::string job_status(const Json& job) {
    if (has_condition(job, "Complete")) return "Complete";
    if (has_condition(job, "Failed")) return "Failed";
    if (!job.text({"metadata", "deletionTimestamp"}).empty()) return "Terminating";
    constexpr std::array conditions = {"Suspended", "FailureTarget", "SuccessCriteriaMet"};
    for (const char* condition : conditions) {
        if (has_condition(job, condition)) return condition;
    }
    return "Running";
}

std::string job_completions(const Json& job) {
    const std::int64_t succeeded = int_at(job, {"status", "succeeded"});
    if (const Json* wanted = job.find_path({"spec", "completions"})) {
        return fmt::format("{}/{}", succeeded, wanted->as_int());
    }
    const std::int64_t parallelism = int_at(job, {"spec", "parallelism"});
    if (parallelism > 1) return fmt::format("{}/1 of {}", succeeded, parallelism);
    return fmt::format("{}/1", succeeded);
}

std::string job_duration(const Json& job, std::int64_t now_ms) {
    const auto started = parse_time(job.text({"status", "startTime"}));
    if (!started) return {};
    const auto ended = parse_time(job.text({"status", "completionTime"}));
    return human_duration(ended.value_or(now_ms) - *started);
}

Json::Array job_cells(const Json& job, std::int64_t now_ms) {
    Json::Array cells{
        name_cell(job),
        job_status(job),
        job_completions(job),
        job_duration(job, now_ms),
        age_cell(job, now_ms)};
    add_wide_cells(cells, job);
    return cells;
}

const std::map<std::string_view, Printer>& workload_printers() {
    static const Column containers{"Containers", "string", 1};
    static const Column images{"Images", "string", 1};
    static const Column selector{"Selector", "string", 1};
    static const std::map<std::string_view, Printer> printers = {
        {"deployments",
         {{{"Name"},
           {"Ready"},
           {"Up-to-date"},
           {"Available"},
           {"Age"},
           containers,
           images,
           selector},
          deployment_cells}},
        {"replicasets",
         {{{"Name"},
           {"Desired", "integer"},
           {"Current", "integer"},
           {"Ready", "integer"},
           {"Age"},
           containers,
           images,
           selector},
          replica_set_cells}},
        {"statefulsets", {{{"Name"}, {"Ready"}, {"Age"}, containers, images}, stateful_set_cells}},
        {"daemonsets",
         {{{"Name"},
           {"Desired", "integer"},
           {"Current", "integer"},
           {"Ready", "integer"},
           {"Up-to-date", "integer"},
           {"Available", "integer"},
           {"Node Selector"},
           {"Age"},
           containers,
           images,
           selector},
          daemon_set_cells}},
        {"jobs",
         {{{"Name"},
           {"Status"},
           {"Completions"},
           {"Duration"},
           {"Age"},
           containers,
           images,
           selector},
          job_cells}},
    };
    return printers;
}

}  // namespace

const Printer* find_workload_printer(std::string_view resource) {
    const auto found = workload_printers().find(resource);
    return found != workload_printers().end() ? &found->second : nullptr;
}

}  // namespace k8s::embedded
