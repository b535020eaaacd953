#include "gang/app/cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::app {
namespace {

/// Asked while somebody types: a daemon or API server that is slow must not hold up the prompt.
constexpr std::string_view ask_gangs =
    "timeout 5 gang-scheduler gangs -o name 2>/dev/null | sed 's|^pod/||'";

bool takes_gang(const Verb& verb) {
    return verb.argument.starts_with("POD");
}

bool takes_file(std::string_view placeholder) {
    return placeholder.starts_with("FILE") || placeholder == "DIR";
}

/// Single-quoted for a shell.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

std::string flag_words(const Verb& verb) {
    std::string out = "--help";
    for (const Flag& flag : verb.flags) {
        out += " --" + flag.name + (flag.letter == 0 ? "" : fmt::format(" -{}", flag.letter));
    }
    return out;
}

std::string verb_names(const std::vector<Verb>& verbs) {
    std::string out = "help";
    for (const Verb& verb : verbs) {
        out += " " + verb.name;
    }
    return out;
}

/// What may follow a flag, as the branch of a `case "$verb $previous"`; empty: anything.
std::string bash_values(const Verb& verb, const Flag& flag) {
    if (flag.placeholder.empty() || (flag.allowed.empty() && !takes_file(flag.placeholder))) {
        return "";
    }
    const std::string letter =
        flag.letter == 0 ? "" : fmt::format("|'{} -{}'", verb.name, flag.letter);
    const std::string reply =
        flag.allowed.empty()
            ? std::string("compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))")
            : fmt::format(
                  "COMPREPLY=($(compgen -W '{}' -- \"$current\"))", fmt::join(flag.allowed, " "));
    return fmt::format("        '{} --{}'{}) {}; return ;;\n", verb.name, flag.name, letter, reply);
}

std::string bash_arguments(const Verb& verb) {
    if (takes_gang(verb)) {
        return fmt::format("words=\"$words $({})\"", ask_gangs);
    }
    return takes_file(verb.argument)
               ? "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))"
               : "";
}

std::string bash_script(const std::vector<Verb>& verbs) {
    std::string values;
    std::string words;
    for (const Verb& verb : verbs) {
        for (const Flag& flag : verb.flags) {
            values += bash_values(verb, flag);
        }
        const std::string arguments = bash_arguments(verb);
        words += fmt::format(
            "        {}) words='{}'{} ;;\n",
            verb.name,
            flag_words(verb),
            arguments.empty() ? "" : "; [[ $current == -* ]] || { " + arguments + "; }");
    }
    return fmt::format(
        R"(# bash completion of gang-scheduler. Load it with: source <(gang-scheduler completion bash)
_gang_scheduler() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local verb="${{COMP_WORDS[1]}}" words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{0}' -- "$current"))
        return
    fi
    case "$verb $previous" in
{1}    esac
    case "$verb" in
        help) words='{0}' ;;
{2}    esac
    COMPREPLY+=($(compgen -W "$words" -- "$current"))
}}
complete -F _gang_scheduler gang-scheduler
)",
        verb_names(verbs),
        values,
        words);
}

/// zsh has a way to run completions that were written for bash.
std::string zsh_script(const std::vector<Verb>& verbs) {
    return "# zsh completion of gang-scheduler. Load it with: source <(gang-scheduler completion "
           "zsh)\n"
           "autoload -U +X compinit && compinit\n"
           "autoload -U +X bashcompinit && bashcompinit\n"
           "compopt() { :; }\n" +
           bash_script(verbs);
}

std::string fish_flag(const Verb& verb, const Flag& flag) {
    std::string out = fmt::format(
        "complete -c gang-scheduler -n '__fish_seen_subcommand_from {}' -l {}",
        verb.name,
        flag.name);
    out += flag.letter == 0 ? "" : fmt::format(" -s {}", flag.letter);
    if (!flag.placeholder.empty()) {
        out += takes_file(flag.placeholder) ? " -r -F" : " -x";
    }
    if (!flag.allowed.empty() && !flag.placeholder.empty()) {
        out += fmt::format(" -a '{}'", fmt::join(flag.allowed, " "));
    }
    return out + " -d " + quoted(flag.help) + "\n";
}

std::string fish_script(const std::vector<Verb>& verbs) {
    std::string out =
        "# fish completion of gang-scheduler. Load it with: gang-scheduler completion fish | "
        "source\n"
        "complete -c gang-scheduler -f\n";
    for (const Verb& verb : verbs) {
        out += fmt::format(
            "complete -c gang-scheduler -n __fish_use_subcommand -a {} -d {}\n",
            verb.name,
            quoted(verb.summary));
        for (const Flag& flag : verb.flags) {
            out += fish_flag(verb, flag);
        }
        const std::string condition = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
        if (takes_gang(verb)) {
            out += fmt::format(
                "complete -c gang-scheduler {} -a {}\n",
                condition,
                quoted(fmt::format("({})", ask_gangs)));
        } else if (takes_file(verb.argument)) {
            out += fmt::format("complete -c gang-scheduler {} -F\n", condition);
        }
    }
    return out;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
    static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    return shells;
}

std::string completion_script(const std::vector<Verb>& verbs, std::string_view shell) {
    if (shell == "fish") {
        return fish_script(verbs);
    }
    return shell == "zsh" ? zsh_script(verbs) : bash_script(verbs);
}

}  // namespace gang::app
