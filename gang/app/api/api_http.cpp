#include "gang/app/api/api_http.hpp"

#include "config/printable.hpp"
#include "gang/app/api/access/mask.hpp"
#include "gang/app/api/answers.hpp"
#include "gang/app/api/what_if_query.hpp"
#include "gang/app/base/text.hpp"
#include "gang/app/page/assets.hpp"
#include "gang/app/serve/query.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace gang::app {
namespace {

constexpr std::string_view base = "/api/v1/";
constexpr std::string_view gang_path = "/api/v1/gangs/";
constexpr std::string_view what_if_path = "/api/v1/whatif";
constexpr std::string_view history_path = "/api/v1/history";
constexpr std::string_view events_path = "/api/v1/events";
/// Answering takes at most 1/50 of the time, however often it is asked.
constexpr std::int64_t what_if_pause_for_cost = 50;
constexpr std::size_t limit_max = 10'000;
constexpr std::size_t shown_parameter_max = 100;
/// Pictures without the names of others, of one moment.
constexpr std::size_t masked_max = 8;

HttpReply fail(int status, const std::string& why) {
    return HttpReply{status, error_json(status, why)};
}

/// What is wrong with a query; empty: nothing.
std::string unknown_parameter(
    std::string_view query, std::initializer_list<std::string_view> known) {
    for (const std::string_view name : parameter_names(query)) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return fmt::format(
                "there is no parameter {}, only {}",
                config::printable(name, shown_parameter_max),
                fmt::join(known, ", "));
        }
    }
    return {};
}

/// Nothing: it is there and no number in its limits.
std::optional<std::size_t> number_at(
    std::string_view query, std::string_view name, std::size_t otherwise) {
    const auto text = find_parameter(query, name);
    if (!text) {
        return otherwise;
    }
    std::size_t value = 0;
    const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
    const bool is_whole = ec == std::errc{} && end == text->data() + text->size();
    return is_whole && value <= limit_max * 100 ? std::optional(value) : std::nullopt;
}

/// The common part of both lists' queries.
struct Paging {
    std::string text;
    std::size_t skip = 0;
    std::size_t limit = 0;
};

core::Result<Paging> read_paging(std::string_view query, std::size_t limit) {
    const auto skip = number_at(query, "skip", 0);
    const auto most = number_at(query, "limit", limit);
    if (!skip || !most || *most == 0 || *most > limit_max) {
        return core::Error{
            fmt::format("skip is to be a number from 0, limit one from 1 to {}", limit_max)};
    }
    return Paging{find_parameter(query, "q").value_or(""), *skip, *most};
}

/// "Waiting,Running"; nothing: a word among them is no state.
std::optional<std::vector<GangState>> read_states(std::string_view text) {
    std::vector<GangState> states;
    while (!text.empty()) {
        const auto end = text.find(',');
        const auto state = find_gang_state(text.substr(0, end));
        if (!state) {
            return std::nullopt;
        }
        states.push_back(*state);
        text = end == std::string_view::npos ? "" : text.substr(end + 1);
    }
    return states;
}

std::string quoted(const std::string& id) {
    return "\"" + id + "\"";
}

/// The page may be older than the program that now answers: nothing is kept in caches.
std::optional<HttpReply> find_asset(std::string_view path) {
    for (const Asset& asset : page_assets()) {
        if (asset.path == path) {
            return HttpReply{200, std::string(asset.text), asset.content_type};
        }
    }
    return std::nullopt;
}

}  // namespace

HttpLimits api_limits() {
    HttpLimits limits;
    limits.connections_max = 64;
    limits.header_max = 16 * 1024;  // a proxy on the way adds fields
    limits.write_ms = 30'000;       // for a list of thousands on a slow line
    return limits;
}

HttpManners api_manners() {
    HttpManners manners;
    // Nothing but our own files runs or is asked, and no other page may show this one.
    manners.fields = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
         "'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"}};
    manners.refuse = [](int status, const std::string& why) { return fail(status, why); };
    return manners;
}

ApiHttp::ApiHttp(ApiSource source)
    : snapshots_(std::make_shared<Snapshots>(std::move(source))),
      viewers_(snapshots_),
      hosts_(snapshots_->source().config.api.hosts) {}

std::vector<std::string_view> ApiHttp::paths() {
    return {
        "/api/v1/summary",
        "/api/v1/gangs",
        "/api/v1/gangs/NAMESPACE/NAME",
        "/api/v1/nodes",
        "/api/v1/nodes/NAME",
        "/api/v1/queues",
        "/api/v1/whatif",
        "/api/v1/history",
        "/api/v1/config",
        "/api/v1/events"};
}

HttpReply ApiHttp::reply(const HttpAsk& ask, const Sight& sight) {
    sight_ = sight;
    if (const auto refusal = hosts_.refuse(ask)) {
        return fail(refusal->status, refusal->why);
    }
    const auto [path, query] = split_target(ask.target);
    if (auto asset = find_asset(path)) {
        return *std::move(asset);
    }
    if (!path.starts_with(base)) {
        return fail(404, "there is a page at / and JSON under /api/v1/");
    }
    const Standing standing = snapshots_->source().standing();
    if (!standing.leads) {
        return HttpReply{503, standby_json(standing), "application/json", {{"Retry-After", "1"}}};
    }
    HttpReply out = answer(path.substr(base.size()), query, ask);
    // One gang's explanation knows more than the snapshot, and newer; so does the history.
    const bool is_of_snapshot = out.status == 200 && !out.stream && !path.starts_with(gang_path) &&
                                path != what_if_path && path != history_path;
    if (is_of_snapshot) {
        const std::string tag = quoted(seen().id);
        out.fields.push_back({"ETag", tag});
        if (ask.if_none_match == tag) {
            out.status = 304;
            out.body.clear();
        }
    }
    return out;
}

bool ApiHttp::is_for_leader(const HttpAsk& ask) const {
    const auto [path, query] = split_target(ask.target);
    return path.starts_with(base) && path != events_path && !hosts_.refuse(ask) &&
           !snapshots_->source().standing().leads;
}

const Snapshot& ApiHttp::seen() {
    const Snapshot& all = snapshots_->current();
    if (sight_.is_all) {
        return all;
    }
    if (masked_of_ != all.id) {
        masked_.clear();
        masked_of_ = all.id;
    }
    const auto found = masked_.find(sight_);
    if (found != masked_.end()) {
        found->second.unix_ms = all.unix_ms;
        return found->second;
    }
    if (masked_.size() >= masked_max) {
        masked_.clear();
    }
    return masked_.emplace(sight_, masked(all, sight_)).first->second;
}

std::vector<std::string> ApiHttp::namespaces() {
    std::set<std::string> found;
    if (snapshots_->source().standing().leads) {
        for (const GangView& gang : snapshots_->current().gangs) {
            found.insert(gang.namespace_name);
        }
    }
    return {found.begin(), found.end()};
}

void ApiHttp::give_up_masked() {
    masked_.clear();
    masked_of_.clear();
}

HttpReply ApiHttp::answer(std::string_view path, std::string_view query, const HttpAsk& ask) {
    constexpr std::string_view one_gang = "gangs/";
    constexpr std::string_view one_node = "nodes/";
    if (path == "gangs") {
        return gangs(query);
    }
    if (path == "nodes") {
        return nodes(query);
    }
    if (path.starts_with(one_gang)) {
        return gang(path.substr(one_gang.size()), query);
    }
    if (path == "whatif") {
        return what_if(query);
    }
    if (path == "history") {
        return history();
    }
    if (path == "events") {
        return events(ask);
    }
    const Snapshot& snapshot = seen();
    if (path == "summary") {
        return HttpReply{200, summary_json(snapshot, snapshots_->source())};
    }
    if (path == "queues") {
        return HttpReply{200, queues_json(snapshot)};
    }
    if (path == "config" && !sight_.is_all) {
        return fail(403, "the configuration names others: it takes the right to list all pods");
    }
    if (path == "config") {
        const ApiSource& source = snapshots_->source();
        return HttpReply{
            200,
            config_json(
                snapshot, source.current_config ? source.current_config() : source.config)};
    }
    if (path.empty()) {
        return HttpReply{200, index_json(snapshot, paths())};
    }
    if (path.starts_with(one_node)) {
        const auto name = percent_decode(path.substr(one_node.size()));
        auto body = name ? node_json(snapshot, *name) : std::nullopt;
        return body ? HttpReply{200, *std::move(body)} : fail(404, "there is no node of this name");
    }
    return fail(404, fmt::format("there are {}", fmt::join(paths(), ", ")));
}

HttpReply ApiHttp::gangs(std::string_view query) {
    const std::string unknown =
        unknown_parameter(query, {"state", "namespace", "q", "skip", "limit", "format"});
    const auto paging = read_paging(query, GangQuery().limit);
    const auto states = read_states(find_parameter(query, "state").value_or(""));
    if (!unknown.empty() || !paging) {
        return fail(400, unknown.empty() ? paging.error().message : unknown);
    }
    if (!states) {
        return fail(
            400, "state is to be a list such as Waiting,Parked; docs/reference/reasons.md has all");
    }
    const GangQuery wanted{
        *states,
        find_parameter(query, "namespace").value_or(""),
        paging->text,
        paging->skip,
        paging->limit};
    const std::string format = find_parameter(query, "format").value_or("json");
    if (format == "text") {
        return HttpReply{200, gangs_text(seen(), wanted), plain_text};
    }
    return format == "json" ? HttpReply{200, gangs_json(seen(), wanted)}
                            : fail(400, "format is to be json or text");
}

HttpReply ApiHttp::nodes(std::string_view query) {
    const std::string unknown = unknown_parameter(query, {"q", "skip", "limit", "units"});
    const auto paging = read_paging(query, NodeQuery().limit);
    if (!unknown.empty() || !paging) {
        return fail(400, unknown.empty() ? paging.error().message : unknown);
    }
    const std::string units = find_parameter(query, "units").value_or("false");
    if (units != "true" && units != "false") {
        return fail(400, "units is to be true or false");
    }
    return HttpReply{
        200,
        nodes_json(
            seen(), NodeQuery{paging->text, paging->skip, paging->limit, units == "true"})};
}

HttpReply ApiHttp::gang(std::string_view name, std::string_view query) {
    const std::string format = find_parameter(query, "format").value_or("json");
    const std::string unknown = unknown_parameter(query, {"format"});
    if (!unknown.empty() || (format != "json" && format != "text")) {
        return fail(400, unknown.empty() ? "format is to be json or text" : unknown);
    }
    const auto question = percent_decode(name);
    const bool is_full = question && std::count(question->begin(), question->end(), '/') == 1 &&
                         !question->starts_with('/') && !question->ends_with('/');
    if (!is_full) {
        return fail(400, "ask for /api/v1/gangs/NAMESPACE/NAME, where NAME is of a pod");
    }
    auto found = snapshots_->source().explain(*question);
    // Of what may not be seen nobody learns that it is there.
    if (!found || !sight_.sees(found->gang.namespace_name)) {
        return fail(404, "no gang of ours has a pod of this name");
    }
    const Snapshot& snapshot = seen();
    const Answer answer{
        "daemon",
        snapshots_->source().server,
        masked(*std::move(found), sight_),
        snapshot.standing};
    const std::string text = why_text(answer, k8s::unix_ms());
    if (format == "text") {
        return HttpReply{200, text, plain_text};
    }
    return HttpReply{200, gang_json(snapshot, answer.explanation, text)};
}

HttpReply ApiHttp::what_if(std::string_view query) {
    const auto question = read_what_if(query);
    if (!question) {
        return fail(400, question.error().message);
    }
    const std::int64_t now = k8s::monotonic_ms();
    if (now < what_if_from_ms_) {
        HttpReply later = fail(503, "asked too often for a cluster of this size: wait a moment");
        later.fields.push_back({"Retry-After", "2"});
        return later;
    }
    const WhatIfAnswer answer = snapshots_->source().what_if(*question);
    const std::int64_t end = k8s::monotonic_ms();
    what_if_from_ms_ = end + (end - now) * what_if_pause_for_cost;
    return HttpReply{200, what_if_json(seen(), answer)};
}

void ApiHttp::note_history() {
    const ApiSource& source = snapshots_->source();
    if (const auto point = source.history_point ? source.history_point() : std::nullopt) {
        history_.add(*point);
    }
}

/// With the sums of this moment as the last point.
HttpReply ApiHttp::history() {
    std::vector<HistoryPoint> points = history_.points();
    const ApiSource& source = snapshots_->source();
    if (const auto point = source.history_point ? source.history_point() : std::nullopt) {
        points.push_back(*point);
    }
    return HttpReply{200, history_json(seen(), points)};
}

HttpReply ApiHttp::events(const HttpAsk& ask) {
    auto stream = viewers_.open(ask.last_event_id);
    if (!stream) {
        HttpReply full = fail(503, "as many viewers as may watch do so already");
        full.fields.push_back({"Retry-After", "30"});
        return full;
    }
    // Proxies are asked not to wait until there is more.
    return HttpReply{
        200, "", "text/event-stream", {{"X-Accel-Buffering", "no"}}, std::move(stream)};
}

}  // namespace gang::app
