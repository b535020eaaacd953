#include "gang/declare/declaration.hpp"

#include "core/base/suggest.hpp"
#include "gang/declare/declaration_values.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/durations/expected_run.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/format/seal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gang {
namespace {

constexpr std::size_t queue_length_max = 63;

/// One key that the pod carries.
struct Found {
    const Dialect* dialect = nullptr;
    std::string_view key;
    const char* place = nullptr;  ///< "annotation" or "label"
    const std::string* value = nullptr;
};

/// As core::find_value(), for keys of the table, without a copy of the key.
const std::string* find(const core::StringMap& map, std::string_view key) {
    const auto it = std::lower_bound(
        map.begin(), map.end(), key, [](const auto& entry, std::string_view wanted) {
            return entry.first < wanted;
        });
    return it != map.end() && it->first == key ? &it->second : nullptr;
}

std::string source_of(const Found& found) {
    return std::string(found.place) + " " + std::string(found.key);
}

std::string shown(const Found& found) {
    return source_of(found) + " = " + spark::quoted(*found.value);
}

/// All places where the pod says this, most trusted first.
std::vector<Found> find_all(const core::Pod& pod, Field field, bool is_driver) {
    std::vector<Found> all;
    for (const Dialect& dialect : dialects()) {
        if (dialect.needs_role && !is_driver) {
            continue;
        }
        for (const DeclarationKey& key : dialect.keys) {
            if (key.field != field) {
                continue;
            }
            if (const std::string* value = find(pod.annotations, key.name)) {
                all.push_back({&dialect, key.name, "annotation", value});
            }
            if (const std::string* value = find(pod.labels, key.name)) {
                all.push_back({&dialect, key.name, "label", value});
            }
        }
    }
    return all;
}

/// Nearly all pods carry none of our keys: found out without building a list.
const std::string* find_first(const core::Pod& pod, Field field) {
    for (const Dialect& dialect : dialects()) {
        for (const DeclarationKey& key : dialect.keys) {
            if (key.field != field) {
                continue;
            }
            for (const core::StringMap* map : {&pod.annotations, &pod.labels}) {
                if (const std::string* value = find(*map, key.name)) {
                    return value;
                }
            }
        }
    }
    return nullptr;
}

bool is_known_own_key(std::string_view name) {
    const auto& keys = dialects().front().keys;
    return name == reservation_annotation || name == slot_annotation || name == seal_annotation ||
           std::any_of(keys.begin(), keys.end(), [name](const DeclarationKey& key) {
               return key.name == name;
           });
}

/// Mistyped keys that are told at most; who has more of them has not typed them.
constexpr std::size_t unknown_told_max = 3;

/// Keys under our prefix that we do not know, the first ones.
std::vector<const std::string*> find_unknown(const core::Pod& pod, std::size_t most) {
    std::vector<const std::string*> found;
    for (const core::StringMap* map : {&pod.annotations, &pod.labels}) {
        for (const auto& [key, value] : *map) {
            if (found.size() < most && key.starts_with(own_prefix) && !is_known_own_key(key)) {
                found.push_back(&key);
            }
        }
    }
    return found;
}

/// Whether this field, on a pod with or without the driver's role, begins a gang.
bool begins_gang(Field field, bool is_driver) {
    switch (field) {
        case Field::executors:
        case Field::executors_min:
        case Field::executors_max:
        case Field::dynamic:
        case Field::executor_cpu:
        case Field::executor_memory:
        case Field::executor_gpu:
            return true;
        case Field::executor_tolerations:
            return is_driver;
        case Field::driver_cpu:
        case Field::driver_memory:
        case Field::driver_gpu:
            return is_driver;
        case Field::role:
        case Field::application:
        case Field::queue:
        case Field::hold:
        case Field::queue_elsewhere:
        case Field::priority:
        case Field::packing:
        case Field::expected_duration:
        case Field::max_wait:
        case Field::topology_key:
        case Field::topology_mode:
        case Field::pod_group:
        case Field::task_groups:
        case Field::other_scheduler:
        case Field::not_yet:
            break;
    }
    return false;
}

class Reader {
public:
    Reader(const core::Pod& pod, bool has_queues)
        : pod_(pod), has_queues_(has_queues), is_driver_(role_of(pod) == Role::driver) {}

    Declaration read() {
        read_unknown();
        read_counts();
        out_.executor = size(Field::executor_cpu, Field::executor_memory, Field::executor_gpu);
        out_.driver = size(Field::driver_cpu, Field::driver_memory, Field::driver_gpu);
        read_executor_tolerations();
        read_queue();
        read_packing();
        read_expected_duration();
        read_topology();
        read_rest();
        return std::move(out_);
    }

private:
    /// What one dialect says about the number of executors.
    struct Numbers {
        std::optional<DeclaredAmount> executors;
        std::optional<DeclaredAmount> min;
        std::optional<DeclaredAmount> max;
        std::optional<DeclaredAmount> dynamic;
    };

    /// Each with the key that is nearest to it; what keys there are is told once.
    void read_unknown() {
        std::vector<std::string> known;
        std::string all;
        for (const DeclarationKey& key : dialects().front().keys) {
            known.emplace_back(key.name.substr(own_prefix.size()));
            all += (all.empty() ? "" : ", ") + known.back();
        }
        std::string expected = ": expected one of " + all;
        for (const std::string* unknown : find_unknown(pod_, unknown_told_max)) {
            wrong(
                *unknown + " is no key of gang-scheduler's" + std::exchange(expected, "") +
                core::did_you_mean(unknown->substr(own_prefix.size()), known));
        }
    }

    /// All of them, so that a pod need not be mended mistake by mistake.
    void wrong(std::string problem) {
        out_.problem += (out_.problem.empty() ? "" : "; ") + std::move(problem);
    }

    static core::Result<std::int64_t> read_value(const Found& found, Field field) {
        switch (field) {
            case Field::executors:
            case Field::executors_min:
            case Field::executors_max:
                return read_count(*found.value);
            case Field::dynamic: {
                const auto flag = read_flag(*found.value);
                return flag ? core::Result<std::int64_t>(*flag ? 1 : 0) : flag.error();
            }
            case Field::executor_cpu:
            case Field::driver_cpu:
                return read_cpu(*found.value);
            case Field::executor_memory:
            case Field::driver_memory:
                return read_memory(*found.value, found.dialect->bare_memory);
            case Field::executor_gpu:
            case Field::driver_gpu:
                return read_devices(*found.value);
            case Field::priority:
                return read_priority(*found.value);
            case Field::executor_tolerations:
            case Field::role:
            case Field::application:
            case Field::queue:
            case Field::hold:
            case Field::queue_elsewhere:
            case Field::packing:
            case Field::expected_duration:
            case Field::max_wait:
            case Field::topology_key:
            case Field::topology_mode:
            case Field::pod_group:
            case Field::task_groups:
            case Field::other_scheduler:
            case Field::not_yet:
                break;
        }
        return 0;
    }

    void contradict(const Found& counts, const Found& other) {
        out_.warnings.push_back(
            shown(counts) + " contradicts " + shown(other) + ": the " + source_of(counts) +
            " counts");
    }

    /// The most trusted value of those that satisfy; all others must at least be readable.
    template <typename Satisfies>
    std::optional<DeclaredAmount> take(Field field, Satisfies satisfies) {
        std::optional<DeclaredAmount> taken;
        Found first;
        for (const Found& found : find_all(pod_, field, is_driver_)) {
            if (!satisfies(found)) {
                continue;
            }
            const auto value = read_value(found, field);
            if (!value) {
                wrong(source_of(found) + " = " + value.error().message);
            } else if (!taken) {
                taken = DeclaredAmount{*value, source_of(found)};
                first = found;
            } else if (*value != taken->value) {
                contradict(first, found);
            }
        }
        return taken;
    }

    DeclaredSize size(Field cpu, Field memory, Field gpu) {
        const auto any = [](const Found&) { return true; };
        return {take(cpu, any), take(memory, any), take(gpu, any)};
    }

    void read_counts() {
        for (const Dialect& dialect : dialects()) {
            const auto its = [&dialect](const Found& found) { return found.dialect == &dialect; };
            const Numbers numbers = {
                take(Field::executors, its),
                take(Field::executors_min, its),
                take(Field::executors_max, its),
                take(Field::dynamic, its)};
            const bool has_task_groups =
                key_of(dialect, Field::task_groups) == yunikorn::task_groups_key;
            const auto count = has_task_groups ? count_of_task_groups() : resolve(dialect, numbers);
            if (!count) {
                continue;
            }
            if (!out_.count) {
                out_.count = count;
            } else if (
                count->min != out_.count->min || count->initial != out_.count->initial ||
                count->max != out_.count->max) {
                out_.warnings.push_back(
                    out_.count->source + " and " + count->source +
                    " say different numbers of executors: the " + out_.count->source + " counts");
            }
        }
    }

    /// Nothing: they are not said, or make no sense. The driver is one of its own task group.
    std::optional<DeclaredCount> count_of_task_groups() {
        const std::string* lines = is_driver_ ? yunikorn::find_task_groups(pod_) : nullptr;
        if (lines == nullptr) {
            return std::nullopt;
        }
        const std::string source = "annotation " + std::string(yunikorn::task_groups_key);
        yunikorn::TaskGroups said = yunikorn::read_task_groups(*lines);
        if (!said.problem.empty()) {
            wrong(source + ": " + said.problem);
            return std::nullopt;
        }
        const std::string& own = yunikorn::task_group_of(pod_);
        const auto drivers = std::find_if(
            said.groups.begin(), said.groups.end(), [&own](const yunikorn::TaskGroup& group) {
                return group.name == own;
            });
        if (drivers == said.groups.end() && !own.empty()) {
            wrong(
                "annotation " + std::string(yunikorn::task_group_key) + " = " +
                spark::quoted(own) + " is not in the list of " + source);
            return std::nullopt;
        }
        for (std::string& sentence : yunikorn::unread_fields(said)) {
            out_.warnings.push_back(std::move(sentence));
        }
        if (drivers != said.groups.end() && --drivers->members == 0) {
            said.groups.erase(drivers);
        }
        DeclaredCount count{0, 0, 0, false, false, source, true};
        for (const yunikorn::TaskGroup& group : said.groups) {
            count.min += group.members;
        }
        count.initial = count.max = count.min;
        out_.task_groups = std::move(said.groups);
        warn_of_style();
        return count;
    }

    void warn_of_style() {
        const yunikorn::Style style = yunikorn::style_of(pod_);
        if (!style.warning.empty()) {
            out_.warnings.push_back(style.warning);
        }
        if (style.soft_after_ms > 0) {
            out_.warnings.push_back(
                "annotation " + std::string(yunikorn::parameters_key) +
                ": gangSchedulingStyle=Soft is not acted upon for an application with a driver, "
                "which starts whole or not at all");
        }
    }

    static std::string key_of(const Dialect& dialect, Field field) {
        const auto it = std::find_if(
            dialect.keys.begin(), dialect.keys.end(), [field](const DeclarationKey& key) {
                return key.field == field;
            });
        return it == dialect.keys.end() ? std::string() : std::string(it->name);
    }

    std::optional<DeclaredCount> resolve(const Dialect& dialect, const Numbers& said) {
        if (!said.executors && !said.min && !said.max && !said.dynamic) {
            return std::nullopt;
        }
        const bool has_flag = !key_of(dialect, Field::dynamic).empty();
        const bool is_dynamic =
            has_flag ? said.dynamic && said.dynamic->value == 1 : said.min || said.max;
        return is_dynamic ? resolve_range(dialect, said, has_flag) : resolve_fixed(dialect, said);
    }

    std::optional<DeclaredCount> resolve_fixed(const Dialect& dialect, const Numbers& said) {
        if (!said.executors) {
            wrong(
                key_of(dialect, Field::executors) +
                " is missing: how many executors the gang has is not said");
            return std::nullopt;
        }
        const std::int64_t count = said.executors->value;
        return DeclaredCount{count, count, count, false, dialect.is_capped, said.executors->source};
    }

    std::optional<DeclaredCount> resolve_range(
        const Dialect& dialect, const Numbers& said, bool has_flag) {
        // With a flag a fixed number is for the time without dynamic allocation.
        const auto& start = has_flag ? said.min : said.executors;
        const auto& least = said.min ? said.min : start;
        if (!least) {
            wrong(
                key_of(dialect, Field::executors_min) +
                " is missing: how many executors the gang starts with is not said");
            return std::nullopt;
        }
        const DeclaredAmount& most_at_start =
            start && start->value > least->value ? *start : *least;
        if (said.max && most_at_start.value > said.max->value) {
            wrong(
                most_at_start.source + " = " + std::to_string(most_at_start.value) +
                " is more than " + said.max->source + " = " + std::to_string(said.max->value));
            return std::nullopt;
        }
        return DeclaredCount{
            least->value,
            most_at_start.value,
            said.max ? said.max->value : spark::unlimited_executors,
            true,
            true,
            least->source};
    }

    void read_executor_tolerations() {
        const auto all = find_all(pod_, Field::executor_tolerations, is_driver_);
        if (all.empty()) {
            return;
        }
        auto tolerations = read_tolerations(*all.front().value);
        if (tolerations) {
            out_.executor_tolerations = *std::move(tolerations);
        } else {
            wrong(source_of(all.front()) + " = " + tolerations.error().message);
        }
    }

    void read_packing() {
        const auto all = find_all(pod_, Field::packing, is_driver_);
        if (all.empty()) {
            return;
        }
        out_.packing = core::find_packing_policy(*all.front().value);
        if (!out_.packing) {
            out_.warnings.push_back(
                shown(all.front()) + " is no packing (" + core::packing_names() +
                ") and is ignored");
        }
    }

    void read_expected_duration() {
        const auto all = find_all(pod_, Field::expected_duration, is_driver_);
        if (!all.empty() && !read_expected_run(*all.front().value)) {
            out_.warnings.push_back(
                shown(all.front()) + " is no duration such as 30m or 1h30m and is ignored");
        }
    }

    /// What is wrong here is no warning: a gang that is split may be worth nothing to its owner.
    void read_topology() {
        const auto keys = find_all(pod_, Field::topology_key, is_driver_);
        const auto modes = find_all(pod_, Field::topology_mode, is_driver_);
        if (keys.empty()) {
            if (!modes.empty()) {
                wrong(shown(modes.front()) + " says nothing without gang-scheduler/topology-key");
            }
            return;
        }
        if (!spark::is_label_key(*keys.front().value)) {
            wrong(shown(keys.front()) + " is no name of a node label");
            return;
        }
        out_.topology = DeclaredTopology{*keys.front().value};
        if (modes.empty() || *modes.front().value == "required") {
            return;
        }
        out_.topology->is_required = false;
        if (*modes.front().value != "preferred") {
            wrong(shown(modes.front()) + " is neither required nor preferred");
        }
    }

    void read_queue() {
        auto all = find_all(pod_, Field::queue, is_driver_);
        if (all.empty()) {
            all = find_all(pod_, Field::queue_elsewhere, is_driver_);
        }
        if (all.empty() || has_queues_) {
            return;
        }
        const std::string& name = *all.front().value;
        const bool is_name = !name.empty() && name.size() <= queue_length_max &&
                             std::all_of(name.begin(), name.end(), [](char c) {
                                 return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                        (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
                             });
        if (!is_name) {
            out_.warnings.push_back(shown(all.front()) + " is no name of a queue and is ignored");
            return;
        }
        out_.queue = name;
        out_.notes.push_back(
            shown(all.front()) +
            " is kept with the gang; without `queues` in the configuration all wait in one line");
    }

    void read_rest() {
        const auto any = [](const Found&) { return true; };
        if (const auto priority = take(Field::priority, any)) {
            out_.notes.push_back(
                priority->source + " = " + std::to_string(priority->value) +
                " is read, but does not change the order of gangs yet");
        }
        constexpr std::string_view instead = "the gang is the driver and its executors";
        for (std::string& warning : unread_warnings(pod_, instead)) {
            out_.warnings.push_back(std::move(warning));
        }
    }

    const core::Pod& pod_;
    bool has_queues_;
    bool is_driver_;
    Declaration out_;
};

}  // namespace

Role role_of(const core::Pod& pod) {
    const std::string* role = find_first(pod, Field::role);
    if (role == nullptr) {
        return Role::none;
    }
    return *role == "driver" ? Role::driver : *role == "executor" ? Role::executor : Role::none;
}

const std::string& spark_app_name(const core::Pod& pod) {
    static const std::string none;
    const std::string* value = core::find_value(pod.labels, "spark-app-name");
    return value != nullptr ? *value : none;
}

const std::string& application_id(const core::Pod& pod) {
    static const std::string none;
    const std::string* id = find_first(pod, Field::application);
    return id == nullptr ? none : *id;
}

const std::string* asked_queue(const core::Pod& pod) {
    return find_first(pod, Field::queue);
}

bool asks_hold(const core::Pod& pod) {
    const std::string* said = find_first(pod, Field::hold);
    return said != nullptr && *said == "true";
}

const std::string* queue_elsewhere(const core::Pod& pod) {
    const std::string* const named = find_first(pod, Field::queue_elsewhere);
    // A label of everyday use: it counts beside YuniKorn's other words alone.
    return named != nullptr || yunikorn::application_of(pod).empty()
               ? named
               : core::find_value(pod.labels, "queue");
}

std::optional<std::int64_t> asked_max_wait_ms(const core::Pod& pod) {
    const std::string* const said = find_first(pod, Field::max_wait);
    return said == nullptr ? std::nullopt : read_expected_run(*said);
}

bool declares_gang(const core::Pod& pod) {
    const Role role = role_of(pod);
    if (role == Role::executor) {
        return false;
    }
    const bool is_driver = role == Role::driver;
    if (is_driver && yunikorn::find_task_groups(pod) != nullptr) {
        return true;
    }
    for (const Dialect& dialect : dialects()) {
        if (dialect.needs_role && !is_driver) {
            continue;
        }
        for (const DeclarationKey& key : dialect.keys) {
            if (begins_gang(key.field, is_driver) && (find(pod.annotations, key.name) != nullptr ||
                                                      find(pod.labels, key.name) != nullptr)) {
                return true;
            }
        }
    }
    return !find_unknown(pod, 1).empty();
}

Declaration read_declaration(const core::Pod& pod, bool has_queues) {
    return Reader(pod, has_queues).read();
}

std::vector<std::string> unread_warnings(const core::Pod& pod, std::string_view instead) {
    std::vector<std::string> warnings;
    for (const Found& found : find_all(pod, Field::not_yet, false)) {
        warnings.push_back(shown(found) + " is not supported yet and changes nothing");
    }
    for (const Found& found : find_all(pod, Field::max_wait, false)) {
        if (!read_expected_run(*found.value)) {
            warnings.push_back(shown(found) + " is no duration such as 90m or 4h and is ignored");
        }
    }
    const auto add = [&warnings, instead](const std::string& what) {
        warnings.push_back(
            what + " is how another scheduler knows a gang and is not supported yet: ");
        warnings.back() += instead;
    };
    if (yunikorn::is_of_gang(pod) && yunikorn::application_of(pod).empty() &&
        role_of(pod) != Role::driver) {
        warnings.push_back(
            "annotation " +
            std::string(
                yunikorn::find_task_groups(pod) != nullptr ? yunikorn::task_groups_key
                                                           : yunikorn::task_group_key) +
            " is of no application: the label yunikorn.apache.org/app-id is missing: ");
        warnings.back() += instead;
    }
    // The status of a driver's own PodGroup shows what becomes of its gang.
    const bool is_driver = role_of(pod) == Role::driver;
    if (pod.pod_group && !is_driver) {
        add("spec.schedulingGroup " + spark::quoted(*pod.pod_group));
    }
    for (const Found& found : find_all(pod, Field::other_scheduler, false)) {
        if (is_driver && names_object(found.key)) {
            continue;
        }
        // Of an annotation no more than the key is kept.
        add(found.value->empty() ? source_of(found) : shown(found));
    }
    return warnings;
}

bool is_complete(const Declaration& declaration) {
    return declaration.count && declaration.executor.cpu_milli && declaration.executor.memory_bytes;
}

}  // namespace gang
