#include "gang/app/base/flags.hpp"

#include "config/printable.hpp"
#include "core/base/suggest.hpp"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gang::app {
namespace {

namespace po = boost::program_options;

po::options_description describe_flags(const Verb& verb) {
    po::options_description out;
    for (const Flag& flag : verb.flags) {
        auto* value = po::value<std::string>();
        if (flag.bare) {
            value->implicit_value(*flag.bare);
        }
        if (flag.placeholder.empty()) {
            value->zero_tokens();  // or the next argument would be taken for its value
        }
        const std::string key =
            flag.letter == 0 ? flag.name : fmt::format("{},{}", flag.name, flag.letter);
        out.add_options()(key.c_str(), value, "");
    }
    return out;
}

std::string unknown_flag(const Verb& verb, const std::string& found) {
    std::vector<std::string> names = {"help"};
    for (const Flag& flag : verb.flags) {
        names.push_back(flag.name);
    }
    const std::string bare = found.substr(std::min(found.find_first_not_of('-'), found.size()));
    const std::string shown = config::printable(found, 100);
    return fmt::format("unknown flag {}{}", shown, core::did_you_mean(bare, names));
}

/// Puts one parsed option in its place; the text says what is wrong with it.
std::string take(const Verb& verb, const po::option& option, CommandLine& into) {
    if (option.position_key >= 0 || option.string_key.empty()) {
        into.arguments.insert(into.arguments.end(), option.value.begin(), option.value.end());
        return {};
    }
    const auto flag = std::find_if(verb.flags.begin(), verb.flags.end(), [&](const Flag& one) {
        return one.name == option.string_key;
    });
    if (option.unregistered || flag == verb.flags.end()) {
        const auto& tokens = option.original_tokens;
        return unknown_flag(verb, tokens.empty() ? option.string_key : tokens.front());
    }
    const std::string value = option.value.empty() ? flag->bare.value_or("") : option.value.front();
    const auto& allowed = flag->allowed;
    const bool is_allowed = std::any_of(allowed.begin(), allowed.end(), [&value](const auto& one) {
        return one.ends_with('=') ? value.starts_with(one) : value == one;
    });
    if (!allowed.empty() && !is_allowed) {
        return fmt::format(
            "--{}: found \"{}\", expected one of {}{}",
            flag->name,
            config::printable(value, 100),
            fmt::join(allowed, ", "),
            core::did_you_mean(value, allowed));
    }
    into.values[flag->name].push_back(value);
    return {};
}

std::string check_arguments(const Verb& verb, const CommandLine& line) {
    const std::size_t wanted = verb.argument.empty() ? 0 : 1;
    const bool several = verb.argument.ends_with("...");
    if (line.arguments.size() > wanted && !several) {
        return fmt::format(
            "unexpected argument \"{}\"", config::printable(line.arguments[wanted], 100));
    }
    const bool is_optional = verb.argument.starts_with('[');
    return line.arguments.size() < wanted && !is_optional ? fmt::format("expected {}", verb.argument) : "";
}

}  // namespace

std::string CommandLine::text(const std::string& flag, const std::string& fallback) const {
    const auto it = values.find(flag);
    return it == values.end() ? fallback : it->second.back();
}

std::optional<std::string> CommandLine::json_path() const {
    const std::string form = text("output");
    return form.starts_with(json_path_form) ? std::optional(form.substr(json_path_form.size()))
                                            : std::nullopt;
}

std::string help_text(const Verb& verb) {
    std::string out = fmt::format(
        "usage: gang-scheduler {}{}{}{}\n\n{}\n",
        verb.name,
        verb.argument.empty() ? "" : " ",
        verb.argument,
        verb.flags.empty() ? "" : " [flags]",
        verb.summary);
    out += verb.flags.empty() ? "" : "\nflags:\n";
    for (const Flag& flag : verb.flags) {
        const std::string letter = flag.letter == 0 ? "    " : fmt::format("-{}, ", flag.letter);
        const std::string value = flag.placeholder.empty() ? "" : " " + flag.placeholder;
        out += fmt::format("  {}{:<26} {}\n", letter, "--" + flag.name + value, flag.help);
    }
    out += verb.examples.empty() ? "" : "\nexamples:\n";
    for (const std::string& example : verb.examples) {
        out += fmt::format("  {}\n", example);
    }
    return out;
}

std::variant<CommandLine, std::string> parse_flags(
    const Verb& verb, const std::vector<std::string>& arguments) {
    namespace style = po::command_line_style;
    // Without guessing: an abbreviation that works today would break when a flag is added.
    constexpr int strict = style::unix_style & ~style::allow_guessing;
    CommandLine line;
    try {
        const po::options_description described = describe_flags(verb);
        const auto parsed = po::command_line_parser(arguments)
                                .options(described)
                                .style(strict)
                                .allow_unregistered()
                                .run();
        for (const po::option& option : parsed.options) {
            std::string wrong = take(verb, option, line);
            if (!wrong.empty()) {
                return wrong;
            }
        }
    } catch (const po::error& e) {
        return config::printable(e.what(), 300);
    }
    std::string wrong = check_arguments(verb, line);
    if (!wrong.empty()) {
        return wrong;
    }
    return line;
}

Flag output_flag() {
    return output_flag({});
}

Flag output_flag(const std::vector<std::string>& more) {
    std::vector<std::string> forms = {"table", "json"};
    forms.insert(forms.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "yaml") != more.end()) {
        forms.emplace_back(json_path_form);
    }
    return Flag{
        "output",
        'o',
        fmt::format("{}", fmt::join(forms, "|")),
        "what to print (default: for people)",
        forms};
}

Flag kubeconfig_flag() {
    return Flag{
        "kubeconfig",
        0,
        "FILE",
        "default: KUBECONFIG, else the pod's own credentials, else ~/.kube/config"};
}

Flag namespace_flag() {
    return Flag{
        "namespace",
        'n',
        "NS",
        "only this namespace (default: the one that the kubeconfig's context names, else all)"};
}

Flag config_flag() {
    return Flag{
        "config", 0, "FILE", "configuration file (docs/reference/configuration.md); default: none"};
}

}  // namespace gang::app
