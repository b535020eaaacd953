#include "gang/app/called/extender_client.hpp"

#include "config/gpu_metrics.hpp"
#include "gang/app/called/extender_replies.hpp"
#include "gang/app/extender/wire.hpp"
#include "k8s/base/http.hpp"
#include "k8s/base/sleep.hpp"
#include "k8s/base/small_file.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace gang::app {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t api_call_ms = 4'000;
constexpr std::size_t nodes_bytes_max = 256 * 1024 * 1024;
constexpr std::size_t reply_bytes_max = 64 * 1024 * 1024;
/// Whole Node objects are read again after that.
constexpr std::int64_t nodes_kept_ms = 10'000;
/// kube-scheduler makes scores of 0 to 10 comparable with its own, which go to 100.
constexpr std::int64_t points_per_score = 10;

/// The Nodes that are wanted, as they stand in the list.
std::vector<std::string_view> objects_of(
    const ExtenderArgs& all, const std::vector<std::string>& names) {
    const std::set<std::string_view> wanted(names.begin(), names.end());
    std::vector<std::string_view> found;
    for (std::size_t i = 0; i < all.nodes.size(); ++i) {
        if (wanted.contains(all.nodes[i])) found.push_back(all.objects[i]);
    }
    return found;
}

core::Result<std::string> pem_of(const std::string& file) {
    if (file.empty()) return std::string();
    auto pem = k8s::read_small_file(file, k8s::pem_max);
    if (!pem || pem->empty()) return core::Error{"cannot read " + file};
    return *std::move(pem);
}

core::Result<ExtenderTarget> target_of(
    const config::CalledExtender& said, const std::string& user_agent) {
    const auto url = config::parse_metrics_url(said.url_prefix);
    if (!url) return url.error();
    k8s::Access access;
    access.tls = url->tls;
    access.host = url->host;
    access.port = url->port;
    access.tls_server_name = said.tls.server_name;
    auto ca = pem_of(said.tls.ca_file);
    auto certificate = pem_of(said.tls.cert_file);
    auto key = pem_of(said.tls.key_file);
    for (const auto* pem : {&ca, &certificate, &key}) {
        if (!*pem) return pem->error();
    }
    access.ca_pem = *std::move(ca);
    access.ca_file = said.tls.ca_file;
    access.client_certificate_pem = *std::move(certificate);
    access.client_certificate_file = said.tls.cert_file;
    access.client_key_pem = *std::move(key);
    access.client_key_file = said.tls.key_file;
    access.insecure_skip_verify = url->tls && (said.tls.insecure || said.tls.ca_file.empty());
    auto endpoint = k8s::Endpoint::make(std::move(access), user_agent);
    if (!endpoint) return endpoint.error();
    return ExtenderTarget{said, *std::move(endpoint), url->path};
}

}  // namespace

core::Result<std::vector<ExtenderTarget>> find_extenders(
    const std::vector<config::CalledExtender>& said, const std::string& user_agent) {
    std::vector<ExtenderTarget> targets;
    for (const config::CalledExtender& one : said) {
        auto target = target_of(one, user_agent);
        if (!target) {
            return core::Error{"extender " + one.url_prefix + ": " + target.error().message};
        }
        targets.push_back(*std::move(target));
    }
    return targets;
}

struct ExtenderClient::Impl : std::enable_shared_from_this<ExtenderClient::Impl> {
    /// What is known of one question while it is asked.
    struct Round {
        Round(AskExtenders what, std::function<void(ExtendersAnswered)> then)
            : question(std::move(what)), done(std::move(then)) {}
        AskExtenders question;
        std::function<void(ExtendersAnswered)> done;
        std::string pod;  ///< its JSON
        ExtendersAnswered answer;
        std::map<std::string, std::int64_t> points;
    };

    Impl(
        asio::io_context& context,
        std::shared_ptr<k8s::Endpoint> server,
        std::vector<ExtenderTarget> with,
        k8s::NoticeSink sink)
        : io(context),
          api_server(std::move(server)),
          targets(std::move(with)),
          notice(std::move(sink)),
          said(targets.size()) {}

    asio::io_context& io;
    std::shared_ptr<k8s::Endpoint> api_server;
    std::vector<ExtenderTarget> targets;
    k8s::NoticeSink notice;
    std::vector<std::string> said;  ///< of each extender: what was wrong last
    std::string nodes_text;         ///< ExtenderArgs with all Nodes
    std::int64_t nodes_ms = std::numeric_limits<std::int64_t>::min() / 2;
    bool stopped = false;

    asio::awaitable<void> run(std::shared_ptr<Round> round);
    asio::awaitable<void> read_pod(std::shared_ptr<Round> round);
    asio::awaitable<void> filter(std::shared_ptr<Round> round, std::size_t which);
    asio::awaitable<void> prioritize(std::shared_ptr<Round> round, std::size_t which);
    asio::awaitable<core::Result<std::string>> call(
        std::shared_ptr<Round> round, std::size_t which, std::string verb);
    asio::awaitable<core::Result<std::string>> get(std::string target, std::size_t bytes_max);
    asio::awaitable<core::Result<core::Done>> read_nodes();
    void finish(const std::shared_ptr<Round>& round);
    void say(std::size_t which, std::string now);
};

asio::awaitable<void> ExtenderClient::Impl::run(std::shared_ptr<Round> round) {
    round->answer.question = round->question.question;
    round->answer.nodes = round->question.nodes;
    co_await read_pod(round);
    for (const std::int64_t which : round->question.extenders) {
        const bool is_over = !round->answer.problem.empty() || round->answer.nodes.empty();
        if (!is_over && !stopped) co_await filter(round, static_cast<std::size_t>(which));
    }
    for (const std::int64_t which : round->question.extenders) {
        const bool is_over = !round->answer.problem.empty() || round->answer.nodes.empty();
        if (!is_over && !stopped) co_await prioritize(round, static_cast<std::size_t>(which));
    }
    finish(round);
}

asio::awaitable<void> ExtenderClient::Impl::read_pod(std::shared_ptr<Round> round) {
    const AskExtenders& question = round->question;
    if (question.is_to_come) {
        round->pod = pod_to_come(question);
        co_return;
    }
    std::string target = "/api/v1/namespaces/" + k8s::percent_encode(question.pod.namespace_name) +
                         "/pods/" + k8s::percent_encode(question.pod.name);
    core::Result<std::string> body = co_await get(std::move(target), reply_bytes_max);
    if (!body) {
        round->answer.problem = "the pod could not be read: " + body.error().message;
        co_return;
    }
    const auto state = k8s::decode_pod_state(*body);
    if (!state || state->uid != question.pod.uid) {
        round->answer.problem = "the pod is gone";
        co_return;
    }
    round->pod = *std::move(body);
}

asio::awaitable<core::Result<std::string>> ExtenderClient::Impl::get(
    std::string target, std::size_t bytes_max) {
    k8s::Connection connection(io, api_server);
    k8s::CallLimits limits(api_call_ms, bytes_max);
    k8s::Reply reply =
        co_await connection.call(k8s::Request("GET", std::move(target)), std::move(limits));
    co_return k8s::body_of(std::move(reply));
}

asio::awaitable<core::Result<core::Done>> ExtenderClient::Impl::read_nodes() {
    if (k8s::monotonic_ms() - nodes_ms < nodes_kept_ms) co_return core::Done{};
    std::string target = "/api/v1/nodes";
    core::Result<std::string> body = co_await get(std::move(target), nodes_bytes_max);
    if (!body) co_return body.error();
    nodes_text = "{\"Pod\":{\"metadata\":{}},\"Nodes\":" + *std::move(body) + "}";
    nodes_ms = k8s::monotonic_ms();
    co_return core::Done{};
}

asio::awaitable<core::Result<std::string>> ExtenderClient::Impl::call(
    std::shared_ptr<Round> round, std::size_t which, std::string verb) {
    const ExtenderTarget& target = targets[which];
    std::string body;
    if (target.said.is_node_cache_capable) {
        body = extender_args(round->pod, round->answer.nodes, nullptr);
    } else {
        core::Result<core::Done> nodes = co_await read_nodes();
        if (!nodes) co_return core::Error{"nodes could not be read: " + nodes.error().message};
        const auto all = read_extender_args(nodes_text);
        if (!all) co_return all.error();
        const std::vector<std::string_view> objects = objects_of(*all, round->answer.nodes);
        body = extender_args(round->pod, round->answer.nodes, &objects);
    }
    k8s::Request request("POST", target.path + "/" + verb);
    request.content_type = "application/json";
    request.body = std::move(body);
    k8s::CallLimits limits(target.said.timeout_ms, reply_bytes_max);
    k8s::Connection connection(io, target.endpoint);
    k8s::Reply reply = co_await connection.call(std::move(request), std::move(limits));
    if (const auto* response = std::get_if<k8s::Response>(&reply);
        response != nullptr && response->status != 200) {
        co_return core::Error{"it answered with status " + std::to_string(response->status)};
    }
    co_return k8s::body_of(std::move(reply));
}

asio::awaitable<void> ExtenderClient::Impl::filter(
    std::shared_ptr<Round> round, std::size_t which) {
    const config::CalledExtender& with = targets[which].said;
    if (with.filter_verb.empty()) co_return;
    core::Result<std::string> body = co_await call(round, which, with.filter_verb);
    core::Result<FilterReply> reply = core::Error{};
    if (body) {
        reply = read_filter_reply(*body, round->answer.nodes, with.is_node_cache_capable);
    } else {
        reply = body.error();
    }
    say(which, reply ? std::string() : reply.error().message);
    if (reply) {
        round->answer.nodes = reply->nodes;
        if (round->answer.refusal.empty()) round->answer.refusal = reply->refusal;
    } else if (!with.is_ignorable) {
        round->answer.problem = "extender " + with.url_prefix + ": " + reply.error().message;
    }
}

/// What goes wrong here costs its scores, and nothing else.
asio::awaitable<void> ExtenderClient::Impl::prioritize(
    std::shared_ptr<Round> round, std::size_t which) {
    const config::CalledExtender& with = targets[which].said;
    if (with.prioritize_verb.empty()) co_return;
    core::Result<std::string> body = co_await call(round, which, with.prioritize_verb);
    core::Result<PriorityReply> reply = core::Error{};
    if (body) {
        reply = read_priorities(*body, round->answer.nodes);
    } else {
        reply = body.error();
    }
    say(which, reply ? reply->warning : reply.error().message);
    if (!reply) co_return;
    for (const auto& [node, score] : reply->scores) {
        round->points[node] += score * with.weight * points_per_score;
    }
}

void ExtenderClient::Impl::finish(const std::shared_ptr<Round>& round) {
    for (const auto& [node, points] : round->points) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
        if (points > 0) {
            const auto kept = static_cast<std::int32_t>(std::min(points, most));
            round->answer.points.push_back({node, kept});
        }
    }
    asio::post(io, [self = shared_from_this(), round] {
        if (!self->stopped) round->done(std::move(round->answer));
    });
}

/// What is as it was is not said again.
void ExtenderClient::Impl::say(std::size_t which, std::string now) {
    if (said[which] == now) return;
    said[which] = now;
    const std::string& url = targets[which].said.url_prefix;
    if (notice) {
        notice(
            now.empty() ? k8s::NoticeLevel::info : k8s::NoticeLevel::warning,
            "extender=" + url +
                (now.empty() ? " it answers as it should" : " problem=\"" + now + "\""));
    }
}

ExtenderClient::ExtenderClient(
    asio::io_context& io,
    std::shared_ptr<k8s::Endpoint> api_server,
    std::vector<ExtenderTarget> targets,
    k8s::NoticeSink notice)
    : impl_(std::make_shared<Impl>(
          io, std::move(api_server), std::move(targets), std::move(notice))) {}

ExtenderClient::~ExtenderClient() {
    stop();
}

void ExtenderClient::ask(AskExtenders question, std::function<void(ExtendersAnswered)> done) {
    auto round = std::make_shared<Impl::Round>(std::move(question), std::move(done));
    asio::co_spawn(impl_->io, impl_->run(std::move(round)), k8s::keep_alive(impl_));
}

void ExtenderClient::stop() {
    impl_->stopped = true;
}

}  // namespace gang::app
