#include "gang/spark/derive.hpp"

#include "gang/spark/conf_view.hpp"
#include "gang/spark/executor_count.hpp"
#include "gang/spark/executor_request.hpp"
#include "gang/spark/keys.hpp"
#include "gang/spark/overlay.hpp"
#include "gang/spark/text.hpp"
#include "gang/spark/version.hpp"

#include <algorithm>
#include <utility>

namespace gang::spark {
namespace {

using Notes = std::vector<std::string>;

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
    return shape.scheduler_name == driver.scheduler_name ||
           std::find(names.begin(), names.end(), shape.scheduler_name) != names.end();
}

bool is_bare_number(const std::string* text) {
    return text != nullptr && text->find_first_not_of("0123456789 ") == std::string::npos;
}

void note_memory(Notes& notes, const ConfView& conf) {
    if (is_bare_number(conf.find(keys::executor_memory))) {
        notes.push_back(
            std::string(keys::executor_memory) + " = " + quoted(*conf.find(keys::executor_memory)) +
            " has no unit: the submitter reads mebibytes, the driver may read bytes and refuse it");
    }
    const auto bursty = conf.boolean_or(keys::executor_bursty, false);
    if (!bursty || *bursty) {
        notes.push_back(
            std::string(keys::executor_bursty) +
            " is set: the real executors may request less memory than is reserved here");
    }
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
    if (core::find_value(driver.labels, "sparkoperator.k8s.io/mutated-by-spark-operator") !=
        nullptr) {
        notes.push_back(
            "the Spark operator's webhook changes executors when they are created, which the conf "
            "does not show");
    }
}

void file_shape(Derivation& derivation, ExecutorShape shape, bool ours) {
    if (ours) {
        derivation.executors.push_back(std::move(shape));
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
    const ConfView view(conf.properties);
    if (works_alone(view)) {
        return {};
    }
    if (view.find(keys::template_file) != nullptr && !conf.executor_template) {
        return problem(
            {std::string(keys::template_file) +
             " is set, but the driver mounts no executor template to read"});
    }
    const Version version = rules_version(conf.spark_version, driver);
    const auto request = executor_request(view, version);
    if (!request) {
        return problem(request.error());
    }
    auto count = executor_count(view, limits);
    if (!count) {
        return problem(count.error());
    }
    auto shape = overlay(conf, version, *request);
    if (!shape) {
        return problem(shape.error());
    }
    shape->count = count->reserved;
    shape->max = count->max;
    Derivation derivation;
    derivation.notes = std::move(count->notes);
    note_memory(derivation.notes, view);
    note_pod(derivation.notes, *shape, conf, driver);
    if (shape->count > 0) {
        const bool ours = is_ours(*shape, driver, limits);
        file_shape(derivation, *std::move(shape), ours);
    }
    return derivation;
}

}  // namespace gang::spark
