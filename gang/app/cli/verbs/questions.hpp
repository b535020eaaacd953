#pragma once
// What several verbs ask: of the leading daemon, and where none can be asked, of the API server. A
// `note` says why the answer is less than it could be; empty: it is not.

#include "core/base/result.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/ledger_report.hpp"

#include <string>

namespace gang::app {

/// Gangs of the namespace that the sources name, without those that have ended.
core::Result<GangList> find_gangs(const Sources& sources, std::string& note);

/// Each node as the leader sees it, else as a scheduler that starts now would.
core::Result<LedgerReport> find_nodes(const Sources& sources, std::string& note);

/// Why a pod or an application waits, or what it holds.
core::Result<Answer> find_answer(
    const Sources& sources, const std::string& words, std::string& note);

}  // namespace gang::app
