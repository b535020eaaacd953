#include "k8s/embedded/api/check_options.hpp"
#include "k8s/embedded/api/verbs.hpp"
#include "k8s/embedded/query/continue_token.hpp"
#include "k8s/embedded/query/events_view.hpp"
#include "k8s/embedded/query/selector.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <charconv>
#include <optional>

namespace k8s::embedded {

namespace {

constexpr std::int64_t watch_timeout_s = 2400;  // the real one: 30 to 60 minutes

std::optional<std::int64_t> parse_number(const std::string& text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || value < 0) {
        return std::nullopt;
    }
    return value;
}

/// A number in the query; 0 when it is not there.
Outcome<std::int64_t> number_param(const Call& call, const std::string& name) {
    const auto& text = call.param(name);
    if (text.empty()) {
        return std::int64_t{0};
    }
    const auto value = parse_number(text);
    if (!value) {
        return bad_request(name + ": Invalid value: \"" + text + "\": must be a number");
    }
    return *value;
}

/// The client has seen a revision that this server has not: another life of the cluster.
Failure too_large(std::int64_t wanted, Revision present) {
    Json cause{Json::Object()};
    cause.set("reason", "ResourceVersionTooLarge");
    cause.set("message", "Too large resource version");
    Json details{Json::Object()};
    details.set("causes", Json::Array{std::move(cause)}).set("retryAfterSeconds", 1);
    return {
        504,
        "Timeout",
        "Timeout: Too large resource version: " + std::to_string(wanted) +
            ", current: " + std::to_string(present),
        std::move(details)};
}

Failure page_expired() {
    return gone(
        "The provided continue parameter is too old to display a consistent list result. You "
        "must start a new list without the continue parameter.");
}

}  // namespace

Outcome<Response> Verbs::get(const Call& call) {
    const auto object = store_.find(*call.kind, call.key);
    if (object == nullptr) {
        return not_found(*call.kind, call.key.name);
    }
    return answer(call, 200, object);
}

Outcome<Scope> Verbs::read_scope(const Call& call) const {
    auto labels = parse_label_selector(call.param("labelSelector"));
    if (!labels) {
        return labels.failure();
    }
    auto fields = parse_field_selector(*call.kind, call.param("fieldSelector"));
    if (!fields) {
        return fields.failure();
    }
    Scope scope{call.key.space, both(std::move(*labels), std::move(*fields))};
    if (!call.is_collection()) {
        scope.matches = both(std::move(scope.matches), [name = call.key.name](const Json& object) {
            return name_of(object) == name;
        });
    }
    return scope;
}

Outcome<PageRequest> Verbs::read_page(const Call& call) const {
    if (auto failure = check_list_options(call)) {
        return std::move(*failure);
    }
    auto scope = read_scope(call);
    auto limit = number_param(call, "limit");
    auto version = number_param(call, "resourceVersion");
    if (!scope || !limit || !version) {
        return !scope ? scope.failure() : !limit ? limit.failure() : version.failure();
    }
    PageRequest page;
    page.scope = std::move(*scope);
    // Version 0 means "whatever is at hand": the real server serves it from its cache, in one page.
    const bool is_any = call.param("resourceVersion") == "0" && call.param("continue").empty();
    page.limit = is_any ? 0 : static_cast<std::size_t>(*limit);
    const auto& token = call.param("continue");
    if (!token.empty()) {
        const auto place = read_token(token);
        if (!place) {
            return bad_request("continue key is not valid");
        }
        if (*version != 0) {
            return bad_request("specifying resource version is not allowed when using continue");
        }
        if (place->revision > store_.revision()) {
            return page_expired();
        }
        page.at = place->revision;
        page.after = place->after;
        return page;
    }
    if (*version > store_.revision()) {
        return too_large(*version, store_.revision());
    }
    const auto& match = call.param("resourceVersionMatch");
    if (match == "Exact" || (match.empty() && *limit > 0)) {
        page.at = *version;
    }
    return page;
}

Outcome<Response> Verbs::list(const Call& call) {
    auto request = read_page(call);
    if (!request) {
        return request.failure();
    }
    const auto shown = Representation::choose(call, now_ms_());
    if (!shown) {
        return shown.failure();
    }
    const auto page = store_.list(*call.kind, *request);
    if (!page) {
        return request->after ? page_expired()
                              : gone(
                                    "The resourceVersion for the provided list is too old: " +
                                    std::to_string(request->at));
    }
    const auto next = page->next ? write_token({page->revision, *page->next}) : std::string();
    Response response;
    response.body = shown->list(*page, next);
    return response;
}

Outcome<Response> Verbs::watch(const Call& call) {
    if (auto failure = check_list_options(call)) {
        return std::move(*failure);
    }
    auto scope = read_scope(call);
    auto version = number_param(call, "resourceVersion");
    auto timeout = number_param(call, "timeoutSeconds");
    const auto shown = Representation::choose(call, now_ms_());
    if (!scope || !version) {
        return !scope ? scope.failure() : version.failure();
    }
    if (!timeout || !shown) {
        return !timeout ? timeout.failure() : shown.failure();
    }
    if (*version > store_.revision()) {
        return too_large(*version, store_.revision());
    }
    const bool wants_initial = call.target.flag("sendInitialEvents");
    WatchPlan plan;
    plan.kind = call.kind;
    plan.sends_bookmarks = call.target.flag("allowWatchBookmarks");
    plan.timeout_s = *timeout > 0 ? *timeout : watch_timeout_s;
    plan.render = shown->for_watch(now_ms_);
    plan.from = *version == 0 ? store_.revision() : *version;
    const bool refuses_initial = call.param("sendInitialEvents") == "false";
    if (wants_initial || (*version == 0 && !refuses_initial)) {
        plan.from = store_.revision();
        plan.initial = store_.list(*call.kind, PageRequest{*scope})->objects;
        plan.marks_initial_end = wants_initial && plan.sends_bookmarks;
    }
    plan.scope = std::move(*scope);
    Response response;
    response.watch = std::make_unique<WatchStream>(store_, std::move(plan));
    return response;
}

}  // namespace k8s::embedded
