#include "gang/app/cli/access_flags.hpp"

#include "config/printable.hpp"
#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::app {
namespace {

constexpr std::size_t shown_max = 20;

k8s::ContextChoice choice_of(const CommandLine& line) {
    return {line.text("context"), line.text("cluster"), line.text("user")};
}

std::string joined(const std::vector<std::string>& names) {
    if (names.empty()) {
        return "none, for the kubeconfig has none";
    }
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(names.size(), shown_max); ++i) {
        shown.push_back(config::printable(names[i], 100));
    }
    const bool is_cut = names.size() > shown_max;
    return fmt::format("one of {}{}", fmt::join(shown, ", "), is_cut ? ", ..." : "");
}

core::Result<core::Done> check_name(
    const CommandLine& line, const char* flag, const std::vector<std::string>& known) {
    const std::string found = line.text(flag);
    if (found.empty() || std::find(known.begin(), known.end(), found) != known.end()) {
        return core::Done{};
    }
    return core::Error{fmt::format(
        "--{}: found \"{}\", expected {}{}",
        flag,
        config::printable(found, 100),
        joined(known),
        core::did_you_mean(found, known))};
}

}  // namespace

std::vector<Flag> access_flags() {
    return {
        kubeconfig_flag(),
        Flag{"context", 0, "NAME", "of the kubeconfig (default: its current-context)"},
        Flag{"cluster", 0, "NAME", "of the kubeconfig (default: the context's)"},
        Flag{"user", 0, "NAME", "of the kubeconfig (default: the context's)"}};
}

core::Result<core::Done> check_access_flags(
    const CommandLine& line, const std::string& configured) {
    if (choice_of(line).is_empty()) {
        return core::Done{};
    }
    const auto files = k8s::find_kubeconfig(line.text("kubeconfig", configured));
    if (files.empty()) {
        return core::Error{
            "--context, --cluster and --user name parts of a kubeconfig, and there is none: give "
            "--kubeconfig FILE or set KUBECONFIG"};
    }
    const auto names = k8s::kubeconfig_names(files);
    if (!names) {
        return names.error();
    }
    auto checked = check_name(line, "context", names->contexts);
    if (checked) {
        checked = check_name(line, "cluster", names->clusters);
    }
    if (checked) {
        checked = check_name(line, "user", names->users);
    }
    return checked;
}

core::Result<k8s::Access> find_access(const CommandLine& line, const std::string& configured) {
    return k8s::find_access(line.text("kubeconfig", configured), choice_of(line));
}

}  // namespace gang::app
