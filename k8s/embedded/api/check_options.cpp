#include "k8s/embedded/api/check_options.hpp"

#include "k8s/embedded/admission/checks.hpp"

#include <algorithm>
#include <cctype>

namespace k8s::embedded {

namespace {

constexpr std::size_t manager_bytes_max = 128;

/// Options are objects of a group of their own: `CreateOptions.meta.k8s.io "" is invalid: ...`.
std::optional<Failure> verdict(std::string_view options, const Checks& checks) {
    if (checks.causes().empty()) return std::nullopt;
    const Kind kind{
        .group = "meta.k8s.io", .version = "v1", .plural = "", .singular = "", .kind = options};
    return invalid(kind, "", checks.causes());
}

std::string_view options_of(const Call& call) {
    const auto& method = call.request->method;
    if (method == "PATCH") return "PatchOptions";
    return method == "PUT" ? "UpdateOptions" : "CreateOptions";
}

void check_manager(const std::string& manager, Checks& checks) {
    if (manager.size() > manager_bytes_max) checks.too_long("fieldManager", manager_bytes_max);
    // Bytes above ASCII belong to letters of other scripts.
    const bool prints = std::all_of(manager.begin(), manager.end(), [](unsigned char byte) {
        return byte >= 0x80U || std::isprint(byte) != 0;
    });
    if (!prints) checks.invalid("fieldManager", manager, "should only contain printable characters");
}

void check_one_of(
    const Call& call,
    const char* name,
    std::initializer_list<const char*> supported,
    Checks& checks) {
    const auto& value = call.param(name);
    if (!value.empty()) checks.one_of(name, value, supported);
}

void check_match(const Call& call, Checks& checks) {
    const auto& match = call.param("resourceVersionMatch");
    const auto& version = call.param("resourceVersion");
    const char* field = "resourceVersionMatch";
    if (match.empty()) return;
    if (version.empty()) {
        checks.forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!call.param("continue").empty()) {
        checks.forbidden(field, "resourceVersionMatch is forbidden when continue is provided");
    }
    checks.one_of(field, match, {"Exact", "NotOlderThan"});
    if (match == "Exact" && version == "0") {
        checks.forbidden(
            field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
}

void check_initial_events(const Call& call, bool is_watch, Checks& checks) {
    const bool is_set = !call.param("sendInitialEvents").empty();
    const auto& match = call.param("resourceVersionMatch");
    if (!is_watch && is_set) {
        checks.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    if (!is_watch) return;
    if (is_set && match.empty()) {
        checks.forbidden(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!is_set && !match.empty()) {
        checks.forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!match.empty()) checks.one_of("resourceVersionMatch", match, {"NotOlderThan"});
}

bool is_all(const Json& value) {
    return value.is_string() && value.as_string() == "All";
}

bool is_supported_dry_run(const Json& value) {
    if (!value.is_array()) return is_all(value);
    return std::all_of(value.items().begin(), value.items().end(), is_all);
}

}  // namespace

std::optional<Failure> check_write_options(const Call& call, bool is_apply) {
    Checks checks;
    check_one_of(call, "dryRun", {"All"}, checks);
    check_one_of(call, "fieldValidation", {"Ignore", "Strict", "Warn"}, checks);
    check_manager(call.param("fieldManager"), checks);
    if (is_apply && call.param("fieldManager").empty()) {
        checks.required("fieldManager", "is required for apply patch");
    }
    if (!is_apply && !call.param("force").empty()) {
        checks.forbidden("force", "may not be specified for non-apply patch");
    }
    return verdict(options_of(call), checks);
}

std::optional<Failure> check_delete_options(const Json& options) {
    if (!options.is_object()) return bad_request("the options are no JSON object");
    const auto& kind = options.text({"kind"});
    if (!kind.empty() && kind != "DeleteOptions") {
        return bad_request("no kind \"" + kind + "\" is known here as options of a DELETE");
    }
    const Json* grace = options.find("gracePeriodSeconds");
    if (grace != nullptr && !grace->is_null() && !grace->is_int()) {
        return bad_request("gracePeriodSeconds is a number");
    }
    Checks checks;
    const Json* policy = options.find("propagationPolicy");
    const Json* orphans = options.find("orphanDependents");
    if (policy != nullptr && orphans != nullptr) {
        checks.invalid(
            "propagationPolicy",
            *policy,
            "orphanDependents and deletionPropagation cannot be both set");
    }
    if (policy != nullptr) {
        checks.one_of(
            "propagationPolicy", policy->as_string(), {"Foreground", "Background", "Orphan", "nil"});
    }
    const Json* dry_run = options.find("dryRun");
    if (dry_run != nullptr && !is_supported_dry_run(*dry_run)) {
        checks.one_of("dryRun", dry_run->dump(), {"All"});
    }
    return verdict("DeleteOptions", checks);
}

std::optional<Failure> check_list_options(const Call& call) {
    const bool is_watch = call.target.flag("watch");
    Checks checks;
    const bool streams = is_watch && !call.param("sendInitialEvents").empty();
    if (!streams && !is_watch) check_match(call, checks);
    check_initial_events(call, is_watch, checks);
    return verdict("ListOptions", checks);
}

}  // namespace k8s::embedded
