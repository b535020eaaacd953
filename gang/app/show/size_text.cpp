#include "config/printable.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/quantity.hpp"
#include "gang/app/base/text.hpp"
#include "gang/app/show/size_report.hpp"

namespace gang::app {
namespace {

using Row = std::vector<std::string>;

std::string others(const core::Resources& requests) {
    std::string text;
    if (requests.ephemeral_bytes > 0) {
        text = core::format_bytes_short(requests.ephemeral_bytes) + " ephemeral-storage";
    }
    for (const auto& resource : core::without_exclusives(requests).extended) {
        text += (text.empty() ? "" : ", ") + std::to_string(resource.amount) + " " + resource.name;
    }
    return text.empty() ? "-" : text;
}

std::string selector(const core::StringMap& labels) {
    std::string text;
    for (const auto& [key, value] : labels) {
        text += (text.empty() ? "" : ",") + key + "=" + value;
    }
    return text.empty() ? "-" : text;
}

std::string bound(std::int64_t max) {
    return max == spark::unlimited_executors ? "no limit" : std::to_string(max);
}

Row pod_row(const core::Resources& requests, const core::StringMap& labels) {
    return {
        core::format_cpu(requests.cpu_milli),
        core::format_bytes_short(requests.memory_bytes),
        others(requests),
        selector(labels)};
}

void add_shapes(
    std::vector<Row>& rows, const char* role, const std::vector<spark::ExecutorShape>& shapes) {
    for (const auto& shape : shapes) {
        Row row = {role, std::to_string(shape.count), bound(shape.max)};
        const Row pod = pod_row(shape.requests, shape.constraints.node_selector);
        row.insert(row.end(), pod.begin(), pod.end());
        row.push_back(shape.scheduler_name);
        rows.push_back(std::move(row));
    }
}

/// What has no column: said in one sentence per kind of executor.
std::string placement(const spark::ExecutorShape& shape) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (!shape.constraints.tolerations.empty()) {
        add("tolerations");
    }
    if (!shape.affinity_json.empty()) {
        add("affinity");
    }
    if (!shape.topology_spread_json.empty()) {
        add("topology spread constraints");
    }
    for (const core::HostPort& port : shape.host_ports) {
        add("port " + std::to_string(port.port) + " of the node");
    }
    for (const spark::VolumeClaim& claim : shape.claims) {
        add("volume claim " + config::printable(claim.claim_name) +
            (claim.made ? " of class " + config::printable(claim.made->storage_class) : ""));
    }
    if (!shape.volumes_json.empty()) {
        add("volumes of the template");
    }
    if (!shape.scheduling_gates_json.empty()) {
        add("scheduling gates");
    }
    if (!shape.runtime_class_name.empty()) {
        add("runtime class " + config::printable(shape.runtime_class_name));
    }
    if (!shape.priority_class_name.empty()) {
        add("priority class " + config::printable(shape.priority_class_name));
    }
    return text;
}

std::string text_of(const SizeReport& report) {
    if (!report.gang.problem.empty()) {
        return "";
    }
    std::vector<Row> rows = {
        {"ROLE", "COUNT", "MAX", "CPU", "MEMORY", "OTHER", "NODE SELECTOR", "SCHEDULER"}};
    Row driver = {"driver", "1", "1"};
    const Row pod = pod_row(report.driver.requests, report.driver.constraints->node_selector);
    driver.insert(driver.end(), pod.begin(), pod.end());
    driver.push_back(report.driver.scheduler_name);
    rows.push_back(std::move(driver));
    add_shapes(rows, "executor", report.gang.executors);
    add_shapes(rows, "(foreign)", report.gang.foreign_executors);
    std::string text = format_table(rows);
    for (const auto& shape : report.gang.executors) {
        const std::string more = placement(shape);
        text += more.empty() ? "" : "Executors also have: " + more + ".\n";
    }
    for (const std::string& note : report.gang.notes) {
        text += "Note: " + config::printable(note) + ".\n";
    }
    return text;
}

}  // namespace

std::string size_as_text(const std::vector<SizeReport>& reports) {
    std::string out;
    for (const SizeReport& report : reports) {
        const std::string text = text_of(report);
        if (reports.size() > 1 && !text.empty()) {
            out += (out.empty() ? "" : "\n") + config::printable(report.driver.namespace_name) +
                   "/" + config::printable(report.driver.name) + "\n";
        }
        out += text;
    }
    return out;
}

}  // namespace gang::app
