#pragma once
// What the leader says to whoever is not beside it: by its Service, through the API server's proxy, with the user's own
// kubeconfig. It takes `api.enabled` and the right to get services/proxy of that one Service.

#include "gang/app/base/json_text.hpp"
#include "gang/app/cli/service/ui_proxy.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "gang/app/show/queue_report.hpp"

#include <optional>
#include <string>

namespace gang::app {

// Nothing: the Service does not say it, and the pods are to be asked. Where that is for want of a right, `note` says
// so, if it says nothing else; with an answer it is empty. A Service that does not answer is not asked again by these
// sources.

/// All gangs, or those of the namespace of `sources`. Nothing, too, where the Service shows no names.
std::optional<GangList> gangs_by_service(const Sources& sources, std::string& note);
/// `question`: namespace/name of a pod; or a driver's name, an application's id or its name, that is the only one.
std::optional<Answer> explain_by_service(
    const Sources& sources, const std::string& question, std::string& note);
std::optional<QueueReport> queues_by_service(const Sources& sources, std::string& note);
std::optional<LedgerReport> nodes_by_service(const Sources& sources, std::string& note);

}  // namespace gang::app
