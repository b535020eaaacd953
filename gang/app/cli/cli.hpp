#pragma once
// The command line: a table of verbs.
//
// Exit codes: 0 done, 1 it did not work (nothing of that name, no answer, a lost lease), 2 wrong
// usage or a wrong configuration file; of `why` also 3, the gang waits, and 4, it can never start as
// things are.

#include "gang/app/base/flags.hpp"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

inline constexpr int exit_done = 0;
inline constexpr int exit_error = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_waits = 3;
inline constexpr int exit_never = 4;

/// Every verb, in the order of the help.
const std::vector<Verb>& verbs();

/// `arguments` without the program's name.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

/// Says what went wrong, in the one form that all verbs have: "gang-scheduler VERB: MESSAGE".
/// Returns exit_error.
int failure(std::ostream& err, std::string_view verb, std::string_view message);

/// As failure(), of a flag or the configuration; where a flag is wrong, the help is named.
/// Returns exit_usage.
int usage_error(std::ostream& err, std::string_view verb, std::string_view message);

// One per verb, see verbs().
Verb run_verb();
Verb cluster_verb();
Verb demo_verb();
Verb gangs_verb();
Verb why_verb();
Verb top_verb();
Verb timeline_verb();
Verb ui_verb();
Verb nodes_verb();
Verb ledger_verb();
Verb queues_verb();
Verb replay_verb();
Verb size_verb();
Verb check_config_verb();
Verb completion_verb();
Verb man_verb();
Verb version_verb();

}  // namespace gang::app
