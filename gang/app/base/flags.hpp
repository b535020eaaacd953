#pragma once
// Flags of a verb: declared as plain values, parsed with Boost.Program_options, strict. An unknown
// flag, a missing value or a stray argument is a usage error.

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gang::app {

struct Flag {
    std::string name;         ///< without dashes
    char letter = 0;          ///< 0: no short form
    std::string placeholder;  ///< "FILE"; empty: a switch, whose value is `bare`
    std::string help;
    /// Empty: any text. One that ends in "=" is how a text of the user's begins.
    std::vector<std::string> allowed = {};
    std::optional<std::string> bare =
        {};  ///< the value of the flag alone; none: a value must follow
};

/// What the user wrote.
class CommandLine {
public:
    std::map<std::string, std::vector<std::string>> values;
    std::vector<std::string> arguments;

    bool has(const std::string& flag) const { return values.contains(flag); }
    /// The last value given, or the fallback.
    std::string text(const std::string& flag, const std::string& fallback = "") const;
    bool wants_json() const { return text("output") == "json"; }
    bool wants_yaml() const { return text("output") == "yaml"; }
    /// JSON in any form: nothing else may stand between.
    bool wants_data() const { return wants_json() || wants_yaml() || json_path(); }
    bool wants_wide() const { return text("output") == "wide"; }
    /// The template of -o jsonpath=TEMPLATE; nothing: another form is asked for.
    std::optional<std::string> json_path() const;
    bool wants_names() const { return text("output") == "name"; }
};

struct Verb {
    std::string name;
    std::string summary;   ///< one line
    /// "POD|APP"; empty: takes none; "FILE...": one or more; "[NODE]": one or none; else one.
    std::string argument;
    std::vector<Flag> flags;
    std::vector<std::string> examples;
    std::function<int(const CommandLine&, std::ostream& out, std::ostream& err)> run;
};

/// `--help` of one verb.
std::string help_text(const Verb& verb);

/// What the user wrote, or the text of a usage error.
std::variant<CommandLine, std::string> parse_flags(
    const Verb& verb, const std::vector<std::string>& arguments);

/// How a template begins: a form of -o that verbs with YAML have as well.
inline constexpr std::string_view json_path_form = "jsonpath=";

/// Flags that several verbs have.
Flag output_flag();
/// With further forms that the verb has: "wide", "yaml", "name".
Flag output_flag(const std::vector<std::string>& more);
Flag kubeconfig_flag();
Flag namespace_flag();
Flag config_flag();

}  // namespace gang::app
