#include "gang/app/cli/service/leader_service.hpp"

#include "gang/app/base/server_name.hpp"
#include "k8s/base/http.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gang::app {
namespace {

namespace asio = boost::asio;

/// A control plane that cannot reach the pods' network would let us wait for much longer.
constexpr std::int64_t patience_ms = 3'000;
constexpr std::size_t gangs_per_page = 10'000;
constexpr std::size_t nodes_per_page = 2'000;
constexpr std::size_t matches_max = 100;

std::string described(const PageService& service) {
    return fmt::format("{}/{}:{}", service.namespace_name, service.name, service.port);
}

/// Blocks.
k8s::Reply fetch(
    std::shared_ptr<k8s::Endpoint> endpoint, const PageService& service, std::string target) {
    asio::io_context io(1);
    UiProxy proxy(io, std::move(endpoint), service);
    k8s::Reply reply = k8s::Failure();
    asio::co_spawn(
        io,
        proxy.fetch(std::move(target), patience_ms),
        [&reply](const std::exception_ptr& e, k8s::Reply got) {
            if (!e) {
                reply = std::move(got);
            }
        });
    io.run();
    return reply;
}

/// The body of a 200 that is the scheduler's. An answer of its own that is another one leaves the way open.
std::optional<std::string> ask(const Sources& sources, const std::string& target, std::string& note) {
    if (!sources.service || !sources.access || sources.roads->is_service_silent) {
        return std::nullopt;
    }
    auto endpoint = endpoint_of(sources);
    if (!endpoint) {
        return std::nullopt;
    }
    const k8s::Reply reply = fetch(*std::move(endpoint), *sources.service, target);
    const auto* response = std::get_if<k8s::Response>(&reply);
    if (response != nullptr && is_of_scheduler(response->body)) {
        return response->status == 200 ? std::optional(response->body) : std::nullopt;
    }
    sources.roads->is_service_silent = true;
    if (response != nullptr && response->status == 403 && note.empty()) {
        note = fmt::format(
            "seen from the pods alone: who may get services/proxy of {} sees the line",
            described(*sources.service));
    }
    return std::nullopt;
}

/// Lists of one kind, page by page, as one; nothing: a page is missing.
template <typename Report, typename Item, typename Read>
std::optional<Report> read_pages(
    const Sources& sources,
    std::string_view path,
    std::string_view more,
    std::size_t page_size,
    const Read& read,
    std::vector<Item> Report::*items,
    std::string& note) {
    Report all;
    for (bool is_more = true; is_more;) {
        const std::size_t had = (all.*items).size();
        const auto body = ask(
            sources, fmt::format("{}limit={}&skip={}{}", path, page_size, had, more), note);
        core::Result<Report> page = body ? read(*body) : core::Result<Report>(core::Error());
        if (!page) {
            return std::nullopt;
        }
        std::vector<Item>& got = (*page).*items;
        is_more = got.size() == page_size;
        all.standing.leader = page->standing.leader;
        std::move(got.begin(), got.end(), std::back_inserter(all.*items));
    }
    return all;
}

/// The API's answer as that of a daemon of this cluster.
template <typename Report>
Report of_leader(Report report, const Sources& sources, std::string& note) {
    report.source = "daemon";
    report.server = server_name(*sources.access);
    note.clear();
    return report;
}

std::string one_gang(const std::string& namespace_name, const std::string& name) {
    return fmt::format(
        "/api/v1/gangs/{}/{}", k8s::percent_encode(namespace_name), k8s::percent_encode(name));
}

/// The API masks names for those it does not know, and whom the API server's proxy passes on it never knows.
bool is_masked(const GangView& gang) {
    return gang.driver_uid.empty();
}

/// The driver of the one gang that is called so; nothing: there is none, or several.
std::optional<std::string> find_name(
    const Sources& sources, const std::string& question, std::string& note) {
    const auto body = ask(
        sources,
        fmt::format("/api/v1/gangs?limit={}&q={}", matches_max, k8s::percent_encode(question)),
        note);
    const auto list = body ? gang_list_from_json(*body) : core::Result<GangList>(core::Error());
    if (!list) {
        return std::nullopt;
    }
    std::vector<const GangView*> found;
    for (const GangView& gang : list->gangs) {
        const bool is_it = gang.driver == question || gang.application == question ||
                           gang.app_name == question;
        if (is_it && !is_masked(gang) &&
            (sources.namespace_name.empty() || sources.namespace_name == gang.namespace_name)) {
            found.push_back(&gang);
        }
    }
    return found.size() == 1 ? std::optional(one_gang(found[0]->namespace_name, found[0]->driver))
                             : std::nullopt;
}

}  // namespace

std::optional<GangList> gangs_by_service(const Sources& sources, std::string& note) {
    const std::string within = sources.namespace_name.empty()
                                   ? ""
                                   : "&namespace=" + k8s::percent_encode(sources.namespace_name);
    auto all = read_pages(
        sources, "/api/v1/gangs?", within, gangs_per_page, gang_list_from_json, &GangList::gangs, note);
    // Of one namespace none may be shown, or none may be there: the pods tell.
    if (!all || std::any_of(all->gangs.begin(), all->gangs.end(), is_masked) ||
        (all->gangs.empty() && !within.empty())) {
        return std::nullopt;
    }
    return of_leader(*std::move(all), sources, note);
}

std::optional<Answer> explain_by_service(
    const Sources& sources, const std::string& question, std::string& note) {
    const std::size_t slash = question.find('/');
    const auto target = slash == std::string::npos
                            ? find_name(sources, question, note)
                            : std::optional(one_gang(
                                  question.substr(0, slash), question.substr(slash + 1)));
    const auto body = target ? ask(sources, *target, note) : std::nullopt;
    auto answer = body ? answer_from_json(*body) : core::Result<Answer>(core::Error());
    if (!answer || is_masked(answer->explanation.gang)) {
        return std::nullopt;
    }
    return of_leader(*std::move(answer), sources, note);
}

std::optional<QueueReport> queues_by_service(const Sources& sources, std::string& note) {
    const auto body = ask(sources, "/api/v1/queues", note);
    auto report =
        body ? queue_report_from_json(*body) : core::Result<QueueReport>(core::Error());
    if (!report) {
        return std::nullopt;
    }
    return of_leader(*std::move(report), sources, note);
}

std::optional<LedgerReport> nodes_by_service(const Sources& sources, std::string& note) {
    auto all = read_pages(
        sources, "/api/v1/nodes?units=true&", "", nodes_per_page, ledger_from_json, &LedgerReport::nodes, note);
    return all ? std::optional(of_leader(*std::move(all), sources, note)) : std::nullopt;
}

}  // namespace gang::app
