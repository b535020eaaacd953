#include "config/kube/reader.hpp"

#include "config/kube/notes.hpp"
#include "config/kube/plugins/defaults.hpp"
#include "config/kube/policy.hpp"
#include "config/kube/scheduler.hpp"
#include "config/printable.hpp"
#include "config/scalars.hpp"
#include "config/validate.hpp"
#include "config/words/complaints.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace config::kube {
namespace {

constexpr std::string_view policy_kind = "Policy";
constexpr std::string_view scheduler_kind = "KubeSchedulerConfiguration";

struct Version {
    std::string_view name;
    SchedulerFile (*read)(const Tree& document, Notes& notes);
};
constexpr std::array versions = {
    Version{"componentconfig/v1alpha1", read_v1alpha1},
    Version{"kubescheduler.config.k8s.io/v1alpha1", read_v1alpha1},
    Version{"kubescheduler.config.k8s.io/v1", read_v1}};

std::string_view scalar(const Tree& document, std::string_view key) {
    const Tree* const value = find(document, key);
    return value == nullptr ? std::string_view{} : std::string_view{value->scalar};
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// All that a file says for itself, and the rules between its values.
core::Result<Loaded> finish(Loaded loaded, Notes notes, std::string_view file_name) {
    if (notes.complaints.empty()) {
        notes.complaints = validate(Reading{loaded.schema, {}, {}, {}});
    }
    if (!notes.complaints.empty()) {
        return report(std::move(notes.complaints), file_name);
    }
    append(loaded.warnings, lines(std::move(notes.warnings), file_name));
    return loaded;
}

core::Result<Loaded> read_policy_document(
    const Tree& document, std::string_view file_name, Loaded loaded) {
    Notes notes;
    if (scalar(document, "kind") != policy_kind || scalar(document, "apiVersion") != "v1") {
        notes.complain(document, "expected kind Policy and apiVersion v1");
    } else {
        read_policy(
            document, loaded.schema.profiles.front(), loaded.schema.extenders, notes);
    }
    return finish(std::move(loaded), std::move(notes), file_name);
}

core::Result<Loaded> read_policy_file(
    const Tree& path, std::string_view file_name, const ReadFile& read_file, Loaded loaded) {
    const auto name = read_string(path);
    const auto text = !name       ? core::Result<std::string>(name.error())
                      : read_file ? read_file(*name)
                                  : core::Result<std::string>(core::Error{"is not read here"});
    if (!text) {
        return report(
            {{path.mark, "policy.file.path: " + printable(text.error().message)}}, file_name);
    }
    return apply_policy(std::move(loaded), *text, printable(*name));
}

core::Result<Loaded> read_scheduler(
    const Tree& document, std::string_view file_name, const ReadFile& read_file) {
    Notes notes;
    const std::string_view version = scalar(document, "apiVersion");
    for (const Version& one : versions) {
        if (one.name != version) {
            continue;
        }
        SchedulerFile file = one.read(document, notes);
        Loaded loaded{std::move(file.schema), std::move(file.policy_map), {}};
        auto finished = finish(std::move(loaded), std::move(notes), file_name);
        if (!finished || file.policy_path == nullptr) {
            return finished;
        }
        return read_policy_file(*file.policy_path, file_name, read_file, *std::move(finished));
    }
    std::vector<std::string> names;
    for (const Version& one : versions) {
        names.emplace_back(one.name);
    }
    const Tree* const at = find(document, "apiVersion");
    notes.complain(
        at == nullptr ? document : *at,
        fmt::format(
            "found apiVersion {}, expected one of {}",
            at == nullptr ? "nothing" : describe(*at),
            fmt::join(names, ", ")));
    return report(std::move(notes.complaints), file_name);
}

}  // namespace

bool is_kube_file(const Tree& document) {
    const std::string_view kind = scalar(document, "kind");
    return kind == policy_kind || kind == scheduler_kind;
}

core::Result<Loaded> read(
    const Tree& document, std::string_view file_name, const ReadFile& read_file) {
    if (scalar(document, "kind") == scheduler_kind) {
        return read_scheduler(document, file_name, read_file);
    }
    Loaded loaded;
    loaded.schema.profiles = {default_profile()};
    loaded.schema.profiles.front().scheduler_name = Profile().scheduler_name;
    return read_policy_document(document, file_name, std::move(loaded));
}

}  // namespace config::kube

namespace config {

core::Result<Loaded> apply_policy(Loaded loaded, std::string_view text, std::string_view name) {
    ParsedTree parsed = parse_tree(text);
    if (!parsed.complaints.empty()) {
        return report(std::move(parsed.complaints), name);
    }
    loaded.policy_map.reset();
    return kube::read_policy_document(parsed.tree, name, std::move(loaded));
}

}  // namespace config
