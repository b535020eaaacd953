#include "gang/app/cli/sources.hpp"

#include "config/printable.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/server_name.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/cli/access_flags.hpp"
#include "gang/app/serve/control_http.hpp"
#include "k8s/base/http.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace gang::app {

core::Result<PageService> parse_service(std::string_view text) {
    PageService service;
    const std::size_t slash = text.find('/');
    const std::size_t colon = text.rfind(':');
    const bool has_port = colon != std::string_view::npos && colon > slash;
    if (has_port) {
        service.port = text.substr(colon + 1);
        text = text.substr(0, colon);
    }
    service.namespace_name = text.substr(0, slash);
    service.name = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    const bool is_whole = !service.namespace_name.empty() && !service.name.empty() &&
                          !service.port.empty() &&
                          service.namespace_name.find(':') == std::string::npos &&
                          service.name.find_first_of("/:") == std::string::npos;
    if (!is_whole) {
        return core::Error{"expected NAMESPACE/NAME, NAMESPACE/NAME:PORT or none"};
    }
    return service;
}

core::Result<Sources> find_sources(const CommandLine& line) {
    auto config = load_config(line.text("config"));
    if (!config) {
        return config.error();
    }
    Sources out;
    out.config = std::move(config->schema);
    const std::string control = line.text("control", out.config.control_listen);
    out.control = control == "none" ? "" : control;
    out.control_is_asked = line.has("control");
    if (line.has("namespace") && line.has("all-namespaces")) {
        return core::Error{"--namespace and --all-namespaces: give one of them"};
    }
    if (auto checked = check_access_flags(line, out.config.kubeconfig); !checked) {
        return checked.error();
    }
    out.access = find_access(line, out.config.kubeconfig);
    out.namespace_is_asked = line.has("namespace");
    if (out.namespace_is_asked) {
        out.namespace_name = line.text("namespace");
    } else if (!line.has("all-namespaces") && out.access && out.access->context_names_namespace) {
        out.namespace_name = out.access->namespace_name;
    }
    if (out.access.has_value() && out.access->plugin) {
        out.access->plugin->is_attended = true;
    }
    if (line.text("service") == "none") {
        out.service.reset();
    } else if (line.has("service")) {
        const auto service = parse_service(line.text("service"));
        if (!service) {
            return core::Error{"--service: " + service.error().message};
        }
        out.service = *service;
    }
    if (!out.control.empty()) {
        const auto address = config::parse_private(out.control);
        if (!address) {
            return core::Error{"--control: " + address.error().message};
        }
    }
    return out;
}

bool is_same_cluster(const Sources& sources, const std::string& server) {
    return sources.control_is_asked || !sources.access || server_name(*sources.access) == server;
}

core::Result<ControlAnswer> ask_control(const Sources& sources, const std::string& target) {
    const auto address = config::parse_private(sources.control);
    if (!address) {
        return core::Error{"no control endpoint"};
    }
    return ask_daemon(*address, target);
}

std::string describe_standby(const Standing& standing, std::string_view what_follows) {
    return fmt::format(
        "asked a standby{}: {}",
        standing.leader.empty() ? "" : ", " + config::printable(standing.leader, 300) + " leads",
        what_follows);
}

std::optional<Answer> explain_by_daemon(
    const Sources& sources, const std::string& question, std::string& note) {
    const auto reply = ask_control(sources, explain_target(question));
    if (!reply || reply->status != 200) {
        return std::nullopt;
    }
    auto answer = answer_from_json(reply->body);
    if (!answer || !is_same_cluster(sources, answer->server)) {
        return std::nullopt;
    }
    if (!answer->standing.leads) {
        note = describe_standby(answer->standing);
        return std::nullopt;
    }
    const std::string& wanted = sources.namespace_name;
    const bool fits = wanted.empty() || wanted == answer->explanation.gang.namespace_name;
    return fits ? std::optional(*std::move(answer)) : std::nullopt;
}

core::Result<std::shared_ptr<k8s::Endpoint>> make_endpoint(const k8s::Access& access) {
    return k8s::Endpoint::make(access, fmt::format("gang-scheduler/{}", version));
}

core::Result<std::shared_ptr<k8s::Endpoint>> endpoint_of(const Sources& sources) {
    if (!sources.access) {
        return sources.access.error();
    }
    if (!sources.roads->endpoint) {
        auto made = make_endpoint(*sources.access);
        if (!made) {
            return made.error();
        }
        sources.roads->endpoint = *std::move(made);
    }
    return sources.roads->endpoint;
}

core::Result<k8s::Reader> make_reader(const Sources& sources) {
    auto endpoint = endpoint_of(sources);
    if (!endpoint) {
        return endpoint.error();
    }
    return k8s::Reader(*endpoint);
}

std::string without_kind(const std::string& question) {
    for (const std::string_view kind : {"pod/", "pods/", "po/"}) {
        if (question.starts_with(kind)) {
            return question.substr(kind.size());
        }
    }
    return question;
}

core::Error with_hint(core::Error refused, const std::string& namespace_name) {
    if (namespace_name.empty() && refused.message.ends_with("(403)")) {
        refused.message += "; try -n NAMESPACE";
    }
    return refused;
}

core::Result<std::vector<core::Pod>> read_our_pods(
    const Sources& sources, const std::string& namespace_name) {
    auto reader = make_reader(sources);
    if (!reader) {
        return reader.error();
    }
    std::vector<std::string> selectors = {"labelSelector=spark-role"};
    for (const std::string& name : sources.config.scheduler_names()) {
        selectors.push_back("fieldSelector=" + k8s::percent_encode("spec.schedulerName=" + name));
    }
    std::map<std::string, core::Pod> by_uid;  // the later list's
    for (const std::string& selector : selectors) {
        auto pods = reader->list_pods(namespace_name, selector);
        if (!pods) {
            return with_hint(pods.error(), namespace_name);
        }
        for (core::Pod& pod : *pods) {
            by_uid.insert_or_assign(pod.uid, std::move(pod));
        }
    }
    std::vector<core::Pod> out;
    for (auto& [uid, pod] : by_uid) {
        out.push_back(std::move(pod));
    }
    return out;
}

core::Result<std::vector<core::Pod>> read_pods(
    const Sources& sources, const std::string& namespace_name) {
    auto reader = make_reader(sources);
    if (!reader) {
        return reader.error();
    }
    auto pods = reader->list_pods(namespace_name);
    if (!pods) {
        return with_hint(pods.error(), namespace_name);
    }
    return pods;
}

std::vector<Flag> ask_flags(const std::vector<std::string>& forms) {
    std::vector<Flag> flags = cluster_flags(forms);
    flags.insert(
        flags.begin(), Flag{"all-namespaces", 'A', "", "look in all namespaces", {}, "true"});
    flags.insert(flags.begin(), namespace_flag());
    flags.push_back(service_flag());
    return flags;
}

Flag service_flag() {
    return Flag{
        "service",
        0,
        "NAMESPACE/NAME[:PORT]|none",
        "the scheduler's Service, asked through the API server (default: gang-system/gang-scheduler)"};
}

std::vector<Flag> cluster_flags(const std::vector<std::string>& forms) {
    std::vector<Flag> flags = {output_flag(forms)};
    for (Flag& flag : access_flags()) {
        flags.push_back(std::move(flag));
    }
    flags.push_back(Flag{
        "control",
        0,
        "ADDR:PORT|unix:PATH|none",
        "the daemon's control endpoint (default: 127.0.0.1:10351, if it serves this cluster)"});
    flags.push_back(config_flag());
    return flags;
}

}  // namespace gang::app
