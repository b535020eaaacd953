#include "gang/declare/spark/executor/derive.hpp"

#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/executor/executor_count.hpp"
#include "gang/declare/spark/executor/executor_request.hpp"
#include "gang/declare/spark/executor/overlay.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/declare/spark/version.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace gang::spark {
namespace {

using Notes = std::vector<std::string>;

/// UnifiedMemoryManager: one and a half times the 300 MiB that Spark keeps for itself.
constexpr std::int64_t heap_bytes_min = 450LL * 1024 * 1024;

Derivation problem(const core::Error& error) {
    Derivation derivation;
    derivation.problem = error.message;
    return derivation;
}

/// spark.kubernetes.driver.master=local[*]: the driver is the whole application.
bool works_alone(const ConfView& conf) {
    const std::string* master = conf.find(keys::driver_master);
    return master != nullptr && master->starts_with("local");
}

bool is_ours(const ExecutorShape& shape, const core::Pod& driver, const Limits& limits) {
    const auto& names = limits.scheduler_names;
    if (!shape.node_name.empty()) {
        return false;
    }
    return shape.scheduler_name == driver.scheduler_name ||
           std::find(names.begin(), names.end(), shape.scheduler_name) != names.end();
}

/// The submitter reads a bare number as mebibytes, the driver as bytes; it ends when what it reads
/// is less than it needs.
void note_heap(Notes& notes, const ConfView& conf) {
    const std::string* text = conf.find(keys::executor_memory);
    if (text == nullptr) {
        return;
    }
    const bool is_bare = text->find_first_not_of("+0123456789 ") == std::string::npos;
    const auto bytes = parse_bytes(*text, SizeUnit::bytes, conf.suffixes());
    if (bytes && *bytes < heap_bytes_min) {
        notes.push_back(
            std::string(keys::executor_memory) + " = " + quoted(*text) +
            (is_bare ? " has no unit: the submitter reads mebibytes, the driver bytes, so it will "
                       "refuse "
                       "less than 471859200 and end"
                     : " is less than the 450m that the driver insists on, so it will end"));
    } else if (is_bare) {
        notes.push_back(
            std::string(keys::executor_memory) + " = " + quoted(*text) +
            " has no unit: the submitter reads mebibytes, the driver bytes");
    }
}

void note_memory(Notes& notes, const ConfView& conf) {
    note_heap(notes, conf);
    const auto bursty = conf.boolean_or(keys::executor_bursty, false);
    if (!bursty || *bursty) {
        notes.push_back(
            std::string(keys::executor_bursty) +
            " is set: the real executors may request less memory than is reserved here");
    }
}

/// Without a way to keep shuffle data the driver refuses dynamic allocation.
void note_dynamic(Notes& notes, const ConfView& conf, Version version) {
    const auto is_set = [&](keys::Key key, bool fallback) {
        const auto value = conf.boolean_or(key, fallback);
        return value && *value;
    };
    const bool is_possible =
        is_set(keys::shuffle_tracking, version >= shuffle_tracking_since) ||
        is_set(keys::shuffle_service, false) ||
        (is_set(keys::decommission, false) && is_set(keys::decommission_shuffle, false));
    if (is_set(keys::dynamic_enabled, false) && !is_possible) {
        notes.push_back(
            std::string(keys::dynamic_enabled) + " without " + std::string(keys::shuffle_tracking) +
            ": unless a plugin keeps shuffle data, the driver will end at once");
    }
}

/// Made by the Spark operator (kubeflow), whose webhook changes its pods.
bool is_of_operator(const core::Pod& driver) {
    constexpr std::array<std::string_view, 3> labels = {
        "sparkoperator.k8s.io/app-name",
        "sparkoperator.k8s.io/launched-by-spark-operator",
        "sparkoperator.k8s.io/mutated-by-spark-operator"};
    return std::any_of(labels.begin(), labels.end(), [&driver](std::string_view label) {
        return core::find_value(driver.labels, label) != nullptr;
    });
}

void note_pod(Notes& notes, const ExecutorShape& shape, const Conf& conf, const core::Pod& driver) {
    const bool has_overhead =
        conf.executor_template && conf.executor_template->requests.overhead != core::Resources{};
    if (!shape.runtime_class_name.empty() && !has_overhead) {
        notes.push_back(
            "runtime class " + quoted(shape.runtime_class_name) +
            " may add an overhead to each executor, which is not known before the first one "
            "exists");
    }
    if (!shape.scheduling_gates_json.empty()) {
        notes.push_back(
            "the executor template has scheduling gates: no executor can be scheduled until "
            "somebody removes them");
    }
    if (is_of_operator(driver)) {
        notes.push_back(
            "the Spark operator's webhook changes executors when they are created, which the conf "
            "does not show");
    }
}

/// A taint that a user has chosen for some of his nodes; not one of those that Kubernetes sets.
bool is_chosen(const core::Toleration& toleration) {
    return !toleration.key.starts_with("node.kubernetes.io/");
}

/// Neither a conf nor a template tells what webhooks add. A driver that tolerates what no template
/// of its own can have told has been changed by one, which will meet the executors, too. Without
/// that, a gang on tainted nodes would never fit, and no executor would ever show that it does.
void tolerate_as_driver(
    ExecutorShape& shape, const ConfView& view, const core::Pod& driver, Notes& notes) {
    if (view.find(keys::driver_template_file) != nullptr && !is_of_operator(driver)) {
        return;
    }
    const std::size_t before = shape.constraints.tolerations.size();
    std::vector<core::Toleration> chosen;
    std::copy_if(
        driver.constraints->tolerations.begin(),
        driver.constraints->tolerations.end(),
        std::back_inserter(chosen),
        is_chosen);
    core::add_tolerations(shape.constraints, chosen);
    if (shape.constraints.tolerations.size() > before) {
        notes.push_back(
            "the executors are taken to tolerate what the driver tolerates: its conf does not show "
            "where that comes from");
    }
}

void file_shape(Derivation& derivation, ExecutorShape shape, bool ours) {
    if (ours) {
        derivation.executors.push_back(std::move(shape));
        return;
    }
    if (!shape.node_name.empty()) {
        derivation.notes.push_back(
            "the executor template sets nodeName " + quoted(shape.node_name) +
            ", so the executors come to that node past every scheduler");
        derivation.foreign_executors.push_back(std::move(shape));
        return;
    }
    derivation.notes.push_back(
        "the executors are addressed to the scheduler " + quoted(shape.scheduler_name) +
        ", so only the driver is scheduled here; " + std::string(keys::scheduler_name) +
        " (Spark 3.3 and later) or " + std::string(keys::executor_scheduler_name) +
        " names it for them");
    derivation.foreign_executors.push_back(std::move(shape));
}

}  // namespace

Derivation derive(const Conf& conf, const core::Pod& driver, const Limits& limits) {
    const Version version = rules_version(conf.spark_version, driver);
    const ConfView view(conf.properties, version);
    if (works_alone(view)) {
        return {};
    }
    if (view.find(keys::template_file) != nullptr && !conf.executor_template) {
        return problem(
            {std::string(keys::template_file) +
             " is set, but the driver mounts no executor template to read"});
    }
    const auto request = executor_request(view, version);
    if (!request) {
        return problem(request.error());
    }
    auto count = executor_count(view, version, limits);
    if (!count) {
        return problem(count.error());
    }
    auto shape = overlay({conf, driver, version}, *request);
    if (!shape) {
        return problem(shape.error());
    }
    shape->count = count->reserved;
    shape->max = count->max;
    shape->min = count->min;
    Derivation derivation;
    derivation.notes = std::move(count->notes);
    tolerate_as_driver(*shape, view, driver, derivation.notes);
    note_memory(derivation.notes, view);
    note_dynamic(derivation.notes, view, version);
    note_pod(derivation.notes, *shape, conf, driver);
    if (shape->count > 0) {
        const bool ours = is_ours(*shape, driver, limits);
        file_shape(derivation, *std::move(shape), ours);
    }
    return derivation;
}

}  // namespace gang::spark
