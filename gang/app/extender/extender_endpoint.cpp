#include "gang/app/extender/extender_endpoint.hpp"

#include "gang/app/base/json_text.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/serve/control_http.hpp"
#include "gang/app/serve/endpoints.hpp"
#include "gang/app/serve/query.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/pod/codec_pod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace gang::app {
namespace {

constexpr std::array<std::string_view, 4> verbs = {"filter", "prioritize", "bind", "preempt"};

constexpr const char* not_leading = "this replica does not lead, ask again";
constexpr const char* not_decided = "the pod's gang is not decided on yet, ask again";

HttpLimits extender_limits() {
    HttpLimits limits;
    limits.connections_max = 256;
    limits.body_max = extender_body_max;
    limits.write_ms = 10'000;
    return limits;
}

HttpReply problem(int status, std::string_view why) {
    return HttpReply{status, fmt::format("{}\n", why), plain_text};
}

}  // namespace

void ExtenderEndpoint::start(const config::Extender& config, ExtenderSource source) {
    if (!config.enabled) {
        return;
    }
    config_ = config;
    source_ = std::move(source);
    const auto address = config::parse_loopback(config.listen);
    auto started =
        address
            ? HttpServer::listen_later(
                  io_,
                  *address,
                  extender_limits(),
                  [this](HttpAsk ask, const HttpAnswer& answer) { handle(std::move(ask), answer); })
            : core::Result<std::unique_ptr<HttpServer>>(address.error());
    server_ = log_start(*log_, "extender", config.listen, std::move(started));
}

void ExtenderEndpoint::stop() {
    timer_.cancel();
    if (server_) {
        server_->stop();
    }
}

void ExtenderEndpoint::handle(HttpAsk ask, const HttpAnswer& answer) {
    const std::string_view path = split_target(ask.target).path;
    if (!is_own_host(ask.host)) {
        answer(problem(403, "only requests to a loopback host are answered"));
        return;
    }
    const auto verb = verb_of(path);
    if (!ask.is_post) {
        HttpReply refused = problem(405, "this verb is called by POST");
        refused.fields.push_back({"Allow", "POST"});
        answer(verb ? std::move(refused) : reply_to_get(path));
        return;
    }
    if (!verb) {
        answer(problem(404, "there is no such verb here"));
        return;
    }
    if (!ask.content_type.starts_with("application/json")) {
        answer(problem(415, "expected Content-Type: application/json"));
        return;
    }
    call(*verb, std::move(ask.body), answer);
}

/// Whoever probes us asks at the top, whatever the prefix is.
HttpReply ExtenderEndpoint::reply_to_get(std::string_view path) const {
    if (path.starts_with(config_.prefix)) {
        path.remove_prefix(config_.prefix.size());
    }
    while (path.starts_with('/')) {
        path.remove_prefix(1);
    }
    if (path.empty()) {
        return HttpReply{200, "gang-scheduler, an extender of kube-scheduler\n", plain_text};
    }
    if (path == "version") {
        return HttpReply{200, fmt::format("{{\"version\":{}}}", json_string(version))};
    }
    return path == "healthz" ? HttpReply{200, "ok\n", plain_text}
                             : problem(404, "there is nothing here");
}

std::optional<ExtenderEndpoint::Verb> ExtenderEndpoint::verb_of(std::string_view path) const {
    std::string_view prefix = config_.prefix;
    while (prefix.ends_with('/')) {
        prefix.remove_suffix(1);
    }
    if (!path.starts_with(prefix) || !path.substr(prefix.size()).starts_with('/')) {
        return std::nullopt;
    }
    const auto found = std::find(verbs.begin(), verbs.end(), path.substr(prefix.size() + 1));
    return found == verbs.end() ? std::nullopt
                                : std::optional(static_cast<Verb>(found - verbs.begin()));
}

HttpReply ExtenderEndpoint::counted(Verb verb, const char* outcome, HttpReply reply) const {
    metrics_->extender_answered(verbs[static_cast<std::size_t>(verb)], outcome);
    return reply;
}

/// An error in the verb's own words, or where it has none as HTTP has it.
HttpReply ExtenderEndpoint::refuse(Verb verb, const std::string& why) const {
    const char* const outcome = "error";
    switch (verb) {
        case Verb::filter:
            return counted(verb, outcome, HttpReply{200, filter_error(why)});
        case Verb::bind:
            return counted(verb, outcome, HttpReply{200, binding_result(why)});
        case Verb::prioritize:
        case Verb::preempt:
            break;
    }
    return counted(verb, outcome, problem(503, why));
}

void ExtenderEndpoint::call(Verb verb, std::string body, HttpAnswer answer) {
    if (!source_.leads()) {
        answer(refuse(verb, not_leading));
    } else if (verb == Verb::bind) {
        bind(body, std::move(answer));
    } else if (verb == Verb::preempt) {
        answer(preempt(body));
    } else {
        ask_nodes(verb, std::move(body), std::move(answer));
    }
}

void ExtenderEndpoint::ask_nodes(Verb verb, std::string body, HttpAnswer answer) {
    const auto text = std::make_shared<const std::string>(std::move(body));
    auto read = read_extender_args(*text);
    auto pod = read ? k8s::decode_pod(read->pod) : core::Result<core::Pod>(read.error());
    if (!pod) {
        // What is no call at all: a filter has a word for it.
        answer(
            verb == Verb::filter ? refuse(verb, pod.error().message)
                                 : counted(verb, "malformed", problem(400, pod.error().message)));
        return;
    }
    const auto args = std::make_shared<const ExtenderArgs>(*std::move(read));
    const std::int64_t token = ++last_token_;
    Calls::Call call;
    call.answer = std::move(answer);
    call.until_ms = k8s::monotonic_ms() + decide_ms_max;
    call.give_up = [this, verb] { return refuse(verb, not_decided); };
    // The views in `args` are of `text`.
    call.reply = [this, verb, text, args](const Decided& decided) {
        const char* const outcome = decided.nodes.empty() ? "refused" : "passed";
        if (verb == Verb::filter) {
            return counted(
                verb,
                outcome,
                HttpReply{200, filter_result(*args, {decided.nodes, decided.message})});
        }
        const std::set<std::string_view> passed(decided.nodes.begin(), decided.nodes.end());
        std::vector<HostScore> scores;
        for (const std::string& node : args->nodes) {
            scores.push_back({node, passed.contains(node) ? 10 : 0});
        }
        return counted(verb, outcome, HttpReply{200, host_priorities(scores)});
    };
    open(token, std::move(call));
    source_.push(ExtenderAsked{token, *std::move(pod), args->nodes});
}

void ExtenderEndpoint::bind(const std::string& body, HttpAnswer answer) {
    const auto args = read_binding_args(body);
    if (!args) {
        answer(counted(Verb::bind, "malformed", problem(400, args.error().message)));
        return;
    }
    const std::int64_t token = ++last_token_;
    const std::string uid = args->pod_uid;
    if (!binds_.emplace(uid, token).second) {
        answer(refuse(Verb::bind, "a bind of this pod is under way"));
        return;
    }
    Calls::Call call;
    call.answer = std::move(answer);
    call.until_ms = k8s::monotonic_ms() + bind_ms_max;
    call.give_up = [this, uid] {
        binds_.erase(uid);
        return refuse(Verb::bind, "the API server has not answered yet");
    };
    call.reply = [this, uid](const Decided& decided) {
        binds_.erase(uid);
        return decided.message.empty()
                   ? counted(Verb::bind, "passed", HttpReply{200, binding_result("")})
                   : refuse(Verb::bind, decided.message);
    };
    open(token, std::move(call));
    source_.push(ExtenderBinds{token, args->pod_namespace, args->pod_name, uid, args->node});
}

/// Nobody is evicted for a gang, which needs room for all of it at once, nor from one that would
/// then have less than it reserved.
HttpReply ExtenderEndpoint::preempt(const std::string& body) const {
    const auto args = read_preemption_args(body);
    const auto pod = args ? k8s::decode_pod(args->pod) : core::Result<core::Pod>(args.error());
    if (!pod) {
        return counted(Verb::preempt, "malformed", problem(400, pod.error().message));
    }
    std::vector<Victims> left;
    for (const Victims& victims : args->victims) {
        const bool is_spared =
            source_.is_of_extender(pod->uid) ||
            std::any_of(victims.uids.begin(), victims.uids.end(), source_.is_needed);
        if (!is_spared) {
            left.push_back(victims);
        }
    }
    const char* const outcome = left.empty() ? "refused" : "passed";
    return counted(Verb::preempt, outcome, HttpReply{200, preemption_result(left)});
}

void ExtenderEndpoint::open(std::int64_t token, Calls::Call call) {
    calls_.open(token, std::move(call));
    arm();
}

void ExtenderEndpoint::answer(const AnswerExtender& decision) {
    if (calls_.close(decision.token, {decision.nodes, decision.message})) {
        arm();
    }
}

void ExtenderEndpoint::bind_answered(const BindFinished& event) {
    const auto found = binds_.find(event.pod_uid);
    if (found == binds_.end()) {
        return;
    }
    const bool is_bound = event.outcome == BindOutcome::bound;
    const std::string why =
        is_bound ? ""
                 : fmt::format(
                       "the pod was not bound ({}): {}", to_string(event.outcome), event.message);
    calls_.close(found->second, {{}, why});
    arm();
}

void ExtenderEndpoint::arm() {
    const auto next = calls_.next_deadline_ms();
    if (!next) {
        timer_.cancel();
        return;
    }
    const std::int64_t wait = std::max<std::int64_t>(*next - k8s::monotonic_ms(), 0);
    timer_.expires_after(std::chrono::milliseconds(wait));
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec) {
            calls_.expire(k8s::monotonic_ms());
            arm();
        }
    });
}

}  // namespace gang::app
