// `man`: the manual page, made from the table of verbs, so that it says what `--help` says.
#include "gang/app/base/version.hpp"
#include "gang/app/cli/cli.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {
namespace {

/// As text: a backslash, a dash and what begins a line mean something to man.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string flag_entry(const Flag& flag) {
    const std::string letter = flag.letter == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", flag.letter);
    const std::string value =
        flag.placeholder.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(flag.placeholder));
    return fmt::format(
        ".TP\n{}\\fB\\-\\-{}\\fR{}\n{}\n", letter, roff(flag.name), value, roff(flag.help));
}

std::string verb_section(const Verb& verb) {
    const std::string argument =
        verb.argument.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(verb.argument));
    std::string out = fmt::format(
        ".SS \"{0}\"\n\\fBgang\\-scheduler {0}\\fR{1}{2}\n.PP\n{3}\n",
        roff(verb.name),
        argument,
        verb.flags.empty() ? "" : " [flags]",
        roff(verb.summary));
    for (const Flag& flag : verb.flags) {
        out += flag_entry(flag);
    }
    if (!verb.examples.empty()) {
        out += ".PP\nExamples:\n.PP\n.nf\n.RS\n";
        for (const std::string& example : verb.examples) {
            out += roff(example) + "\n";
        }
        out += ".RE\n.fi\n";
    }
    return out;
}

/// In the language of man(7): section 1.
std::string man_page(const std::vector<Verb>& verbs) {
    std::string out = fmt::format(
        ".TH GANG\\-SCHEDULER 1 \"\" \"gang\\-scheduler {}\" \"User Commands\"\n"
        ".SH NAME\n"
        "gang\\-scheduler \\- a Kubernetes scheduler that starts a Spark driver only when all its "
        "executors have their place\n"
        ".SH SYNOPSIS\n"
        ".B gang\\-scheduler\n"
        "\\fIVERB\\fR [flags]\n"
        ".SH VERBS\n",
        version);
    for (const Verb& verb : verbs) {
        out += verb_section(verb);
    }
    return out +
           ".SH EXIT STATUS\n"
           "0: done. 1: it did not work. 2: wrong usage or a wrong configuration file. Of "
           "\\fBwhy\\fR, 3: the gang waits; 4: it can never start as things are.\n"
           ".SH ENVIRONMENT\n"
           ".TP\n\\fBKUBECONFIG\\fR\nFiles that name the API server, where no \\fB\\-\\-kubeconfig\\fR "
           "is given.\n"
           ".TP\n\\fBNO_COLOR\\fR\nIf it is set, nothing is coloured.\n";
}

int man(const CommandLine&, std::ostream& out, std::ostream&) {
    out << man_page(verbs());
    return exit_done;
}

}  // namespace

Verb man_verb() {
    return Verb{
        "man",
        "print the manual page",
        "",
        {},
        {"gang-scheduler man > ~/.local/share/man/man1/gang-scheduler.1",
         "gang-scheduler man | man -l -"},
        man};
}

}  // namespace gang::app
