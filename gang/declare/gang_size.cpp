#include "gang/declare/gang_size.hpp"

#include "gang/declare/spark/text.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

constexpr const char* conf_source = "the Spark conf";

core::Resources gpus(std::int64_t count) {
    core::Resources resources;
    if (count > 0) {
        resources.extended = {{"nvidia.com/gpu", count}};
    }
    return resources;
}

core::Resources declared_resources(const DeclaredSize& size) {
    core::Resources resources = gpus(size.gpus ? size.gpus->value : 0);
    resources.cpu_milli = size.cpu_milli ? size.cpu_milli->value : 0;
    resources.memory_bytes = size.memory_bytes ? size.memory_bytes->value : 0;
    return resources;
}

/// One sentence per resource that is declared and differs from what is known otherwise.
void report_differences(
    const DeclaredSize& size,
    const core::Resources& known,
    const std::string& who,
    std::vector<std::string>& warnings) {
    const auto report_difference = [&](const std::optional<DeclaredAmount>& declared,
                                       const core::Resources& said,
                                       const core::Resources& actual) {
        if (declared && said != actual) {
            const std::string other = core::describe(actual);
            warnings.push_back(
                declared->source + " says " + core::describe(said) + ", " + who + " " +
                (actual == core::Resources{} ? "nothing of it" : other) + ": the larger counts");
        }
    };
    const core::Resources said = declared_resources(size);
    report_difference(size.cpu_milli, {said.cpu_milli, 0, 0, {}}, {known.cpu_milli, 0, 0, {}});
    report_difference(
        size.memory_bytes, {0, said.memory_bytes, 0, {}}, {0, known.memory_bytes, 0, {}});
    report_difference(
        size.gpus,
        gpus(size.gpus ? size.gpus->value : 0),
        gpus(known.extended_amount("nvidia.com/gpu")));
}

void add_source(std::string& list, const std::string& source) {
    if (list.find(source) == std::string::npos) {
        list += (list.empty() ? "" : ", ") + source;
    }
}

std::int64_t reserved_count(const DeclaredCount& count, const spark::Limits& limits) {
    if (!count.is_dynamic) {
        return count.initial;
    }
    std::int64_t reserved = count.initial;
    if (limits.dynamic_allocation == config::DynamicAllocation::reserve_min) {
        reserved = count.min;
    } else if (limits.dynamic_allocation == config::DynamicAllocation::reserve_max) {
        reserved = count.max == spark::unlimited_executors
                       ? count.initial
                       : std::min(count.max, limits.max_gang_size - 1);
    }
    // A driver that starts without any executor would be the very deadlock a gang prevents.
    return std::max<std::int64_t>(reserved, 1);
}

class Sizing {
public:
    Sizing(
        const core::Pod& driver,
        const Declaration& declaration,
        const spark::Derivation* derived,
        const spark::Limits& limits)
        : driver_(driver), declaration_(declaration), derived_(derived), limits_(limits) {}

    GangSize size() {
        out_.warnings = declaration_.warnings;
        out_.notes = declaration_.notes;
        report_differences(
            declaration_.driver, driver_.requests, "the driver's own request is", out_.warnings);
        if (derived_ != nullptr) {
            out_.notes.insert(out_.notes.end(), derived_->notes.begin(), derived_->notes.end());
        }
        out_.problem = !declaration_.problem.empty() || derived_ == nullptr ? declaration_.problem
                                                                            : derived_->problem;
        if (out_.problem.empty()) {
            choose();
        }
        return std::move(out_);
    }

private:
    void choose() {
        if (!declaration_.count && derived_ == nullptr) {
            out_.problem =
                "how many executors the gang has is not said: gang-scheduler/executors, or "
                "executors beside spark-role=driver, or spark-executor-count is missing";
            return;
        }
        if (derived_ != nullptr && !derived_->foreign_executors.empty()) {
            return;  // its executors will never be ours to bind, whatever is declared
        }
        if (declaration_.count && declaration_.count->is_of_task_groups) {
            take_task_groups();
            return;
        }
        spark::ExecutorShape shape = base();
        if (declaration_.count) {
            set_count(shape);
        }
        if (!out_.problem.empty() || shape.count == 0) {
            return;
        }
        set_size(shape);
        core::add_tolerations(shape.constraints, declaration_.executor_tolerations);
        out_.executors.push_back(std::move(shape));
    }

    spark::ExecutorShape base() {
        if (derived_ != nullptr && !derived_->executors.empty()) {
            return derived_->executors.front();
        }
        spark::ExecutorShape shape;
        shape.constraints = driver_.constraints;
        return shape;
    }

    void set_count(spark::ExecutorShape& shape) {
        const DeclaredCount& count = *declaration_.count;
        const std::int64_t reserved = reserved_count(count, limits_);
        if (reserved > limits_.max_gang_size - 1) {
            out_.problem = count.source + ": " + std::to_string(reserved) +
                           " executors and their driver are more than the " +
                           std::to_string(limits_.max_gang_size) +
                           " pods that gang.maxGangSize allows";
            return;
        }
        if (derived_ != nullptr && shape.count != reserved) {
            out_.warnings.push_back(
                count.source + " makes it " + std::to_string(reserved) +
                " executors to reserve, the Spark conf " + std::to_string(shape.count) + ": the " +
                count.source + " counts");
        }
        shape.count = reserved;
        shape.max = count.is_dynamic  ? count.max
                    : count.is_capped ? reserved
                                      : spark::unlimited_executors;
        shape.min =
            count.is_dynamic ? std::max<std::int64_t>(count.min, 1) : spark::all_executors;
        add_source(out_.source, count.source);
    }

    /// A shape per task group: of the conf's size or its own, the larger counts.
    void take_task_groups() {
        const DeclaredCount& count = *declaration_.count;
        if (count.min > limits_.max_gang_size - 1 ||
            declaration_.task_groups.size() > reservation_shapes_max) {
            out_.problem = count.source + ": " + std::to_string(count.min) + " executors in " +
                           std::to_string(declaration_.task_groups.size()) +
                           " task groups are more than the " +
                           std::to_string(limits_.max_gang_size) +
                           " pods that gang.maxGangSize allows, or the " +
                           std::to_string(reservation_shapes_max) + " groups of any gang";
            return;
        }
        add_source(out_.source, count.source);
        const bool is_derived = derived_ != nullptr && !derived_->executors.empty();
        if (is_derived) {
            add_source(out_.source, conf_source);
            if (derived_->executors.front().count != count.min) {
                out_.warnings.push_back(
                    count.source + " makes it " + std::to_string(count.min) +
                    " executors to reserve, the Spark conf " +
                    std::to_string(derived_->executors.front().count) + ": the " + count.source +
                    " counts");
            }
        }
        for (const yunikorn::TaskGroup& group : declaration_.task_groups) {
            spark::ExecutorShape shape = base();
            if (!is_derived) {
                shape.constraints = group.constraints;
            }
            core::add_tolerations(shape.constraints, group.constraints.tolerations);
            core::add_tolerations(shape.constraints, declaration_.executor_tolerations);
            shape.count = group.members;
            shape.max = spark::unlimited_executors;
            shape.min = spark::all_executors;
            shape.requests = core::larger(
                core::larger(shape.requests, group.requests),
                declared_resources(declaration_.executor));
            if (shape.requests == core::Resources{}) {
                out_.problem = count.source + ": task group " + spark::quoted(group.name) +
                               " has no minResource: how large its pods are is not said";
                out_.executors.clear();
                return;
            }
            out_.executors.push_back(std::move(shape));
        }
    }

    void set_size(spark::ExecutorShape& shape) {
        const DeclaredSize& said = declaration_.executor;
        const bool is_derived = derived_ != nullptr && !derived_->executors.empty();
        if (!is_derived && (!said.cpu_milli || !said.memory_bytes)) {
            out_.problem =
                std::string("how much ") + (said.cpu_milli ? "memory" : "cpu") +
                " an executor asks for is not said: " +
                (said.cpu_milli ? "gang-scheduler/executor-memory, exec-mem or spark-executor-mem"
                                : "gang-scheduler/executor-cpu, exec-cpu or spark-executor-cpu") +
                " is missing";
            return;
        }
        for (const auto* amount : {&said.cpu_milli, &said.memory_bytes, &said.gpus}) {
            if (*amount) {
                add_source(out_.source, (*amount)->source);
            }
        }
        if (is_derived) {
            add_source(out_.source, conf_source);
            report_differences(said, shape.requests, "the Spark conf", out_.warnings);
        }
        shape.requests = core::larger(shape.requests, declared_resources(said));
    }

    const core::Pod& driver_;
    const Declaration& declaration_;
    const spark::Derivation* derived_;
    const spark::Limits& limits_;
    GangSize out_;
};

}  // namespace

core::Resources driver_request(const core::Pod& driver, const Declaration& declaration) {
    return core::larger(driver.requests, declared_resources(declaration.driver));
}

GangSize size_gang(
    const core::Pod& driver,
    const Declaration& declaration,
    const spark::Derivation* derived,
    const spark::Limits& limits) {
    return Sizing(driver, declaration, derived, limits).size();
}

}  // namespace gang
