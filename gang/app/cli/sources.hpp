#pragma once
// Where the verbs that ask (`gangs`, `why`, `timeline`) get their answers: a daemon's control
// endpoint if it serves the same cluster, and the API server.

#include "config/schema.hpp"
#include "core/base/result.hpp"
#include "gang/app/base/flags.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/cli/control_client.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/watch/reader.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gang::app {

/// A Service in front of schedulers, and which of its ports is the page's and the API's.
struct PageService {
    std::string namespace_name = "gang-system";
    std::string name = "gang-scheduler";
    std::string port = "api";
};

/// "gang-system/gang-scheduler", or with ":PORT", a name or a number, behind it.
core::Result<PageService> parse_service(std::string_view text);

/// How the API server is reached: once for all questions, for a credential plugin may ask a person.
struct Roads {
    std::shared_ptr<k8s::Endpoint> endpoint;
    bool is_service_silent = false;  ///< it did not answer, or may not be asked: so it is left alone
};

/// What the flags say about where to ask.
struct Sources {
    config::Schema config;
    core::Result<k8s::Access> access = core::Error{};
    std::string control;            ///< address, or empty
    bool control_is_asked = false;  ///< by the user: then it is trusted to serve the right cluster
    std::string namespace_name;     ///< to look in; empty: all
    bool namespace_is_asked = false;  ///< by the user, not by the kubeconfig's context
    std::optional<PageService> service = PageService();  ///< none: it is not to be asked
    std::shared_ptr<Roads> roads = std::make_shared<Roads>();  ///< shared by copies
};

/// An error is one of usage or configuration.
core::Result<Sources> find_sources(const CommandLine& line);

/// A daemon of another cluster may sit at the default address.
bool is_same_cluster(const Sources& sources, const std::string& server);

/// The daemon's words, or why there are none.
core::Result<ControlAnswer> ask_control(const Sources& sources, const std::string& target);

/// For people: "asked a standby, POD leads: ...".
std::string describe_standby(
    const Standing& standing,
    std::string_view what_follows = "this is what the API server shows");

/// The daemon's answer, when it has one about the right cluster and namespace. A standby's is none:
/// then `note` says so.
std::optional<Answer> explain_by_daemon(
    const Sources& sources, const std::string& question, std::string& note);

/// What the leader says at `target`, as `read(body)` reads it. Nothing: the API server is to be asked
/// instead; a standby is none, and then `note` says so. An error: the daemon that the user named does
/// not answer.
template <typename Read>
auto ask_leader(
    const Sources& sources, const std::string& target, const Read& read, std::string& note)
    -> core::Result<std::optional<std::decay_t<decltype(*read(std::string()))>>> {
    using Report = std::decay_t<decltype(*read(std::string()))>;
    const auto answer = ask_control(sources, target);
    if (!answer && sources.control_is_asked && !sources.control.empty()) {
        return answer.error();
    }
    if (!answer || answer->status != 200) {
        return std::optional<Report>();
    }
    auto report = read(answer->body);
    if (!report || !is_same_cluster(sources, report->server)) {
        return std::optional<Report>();
    }
    if (!report->standing.leads) {
        note = describe_standby(report->standing);
        return std::optional<Report>();
    }
    return std::optional<Report>(*std::move(report));
}

/// The API server as this program asks it: with its name and version as the user agent.
core::Result<std::shared_ptr<k8s::Endpoint>> make_endpoint(const k8s::Access& access);
core::Result<k8s::Reader> make_reader(const Sources& sources);
/// The one of these sources, made at the first call.
core::Result<std::shared_ptr<k8s::Endpoint>> endpoint_of(const Sources& sources);

/// What `find(sources)` finds where the user said; a namespace that only the kubeconfig's context
/// names is where the search begins, and all namespaces are where it goes on.
template <typename Find>
auto find_widely(const Sources& sources, const Find& find) {
    auto found = find(sources);
    if (found || sources.namespace_is_asked || sources.namespace_name.empty()) {
        return found;
    }
    Sources everywhere = sources;
    everywhere.namespace_name.clear();
    auto wider = find(everywhere);
    return wider ? wider : found;
}

/// "pod/NAME" as kubectl has it is NAME; a namespace of that name needs --namespace.
std::string without_kind(const std::string& question);

/// A refused list of all namespaces' pods, and how to ask for less.
core::Error with_hint(core::Error refused, const std::string& namespace_name);

/// Pods of the namespace that may be ours: those that name one of our schedulers, and of other schedulers' those of
/// Spark, which it may have placed by our word. In a cluster of others' pods that is little of what there is.
core::Result<std::vector<core::Pod>> read_our_pods(
    const Sources& sources, const std::string& namespace_name);

/// Pods of the namespace.
core::Result<std::vector<core::Pod>> read_pods(
    const Sources& sources, const std::string& namespace_name);

/// Flags of every verb that asks about the whole cluster, and of those that ask about a namespace.
/// `forms`: of -o, beside table and json.
std::vector<Flag> cluster_flags(const std::vector<std::string>& forms = {"yaml"});
std::vector<Flag> ask_flags(const std::vector<std::string>& forms = {"yaml"});
/// Of those who ask the scheduler's Service; ask_flags() have it.
Flag service_flag();

}  // namespace gang::app
