#include "k8s/watch/reader.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_watch.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

/// Of an answer that is none: a proxy's page to sign in, for one.
constexpr std::size_t shown_max = 100;

constexpr std::size_t list_page_bytes_max = 256 * 1024 * 1024;
constexpr int restarts_max = 3;

struct Question {
    Question(std::string path, CallLimits bounds) : target(std::move(path)), limits(bounds) {}
    std::string target;
    CallLimits limits;
};

asio::awaitable<void> ask_once(
    Connection& connection, Question question, std::optional<Reply>& answer) {
    Request request("GET", std::move(question.target));
    answer = co_await connection.call(std::move(request), question.limits);
}

/// One loop and one connection, for one command.
class Asker {
public:
    explicit Asker(std::shared_ptr<Endpoint> endpoint) : connection_(io_, std::move(endpoint)) {}

    Reply ask(Question question) {
        std::optional<Reply> answer;
        asio::co_spawn(
            io_, ask_once(connection_, std::move(question), answer), [](std::exception_ptr error) {
                if (error) std::rethrow_exception(error);
            });
        io_.restart();
        io_.run();
        return *std::move(answer);
    }

private:
    asio::io_context io_;
    Connection connection_;
};

std::string list_path(const std::string& namespace_name, const char* resource) {
    if (namespace_name.empty()) return fmt::format("/api/v1/{}", resource);
    return fmt::format("/api/v1/namespaces/{}/{}", percent_encode(namespace_name), resource);
}

/// One consistent list, page by page; the pages' items in `decode`'s type. The path has its
/// question mark if it has parameters.
template <typename T, typename Decode>
core::Result<std::vector<T>> read_list(
    const std::shared_ptr<Endpoint>& endpoint,
    const ReaderOptions& options,
    const std::string& path,
    Decode decode) {
    Asker asker(endpoint);
    const char* separator = path.find('?') == std::string::npos ? "?" : "&";
    std::vector<T> items;
    std::string token;
    int restarts = 0;
    for (;;) {
        std::string target = fmt::format("{}{}limit={}", path, separator, options.page_size);
        if (!token.empty()) target += "&continue=" + percent_encode(token);
        Reply reply = asker.ask(Question(target, CallLimits(options.timeout_ms, list_page_bytes_max)));
        const auto* response = std::get_if<Response>(&reply);
        if (response != nullptr && response->status == 410 && restarts++ < restarts_max) {
            items.clear();
            token.clear();
            continue;
        }
        auto body = body_of(std::move(reply));
        if (!body) return body.error();
        if (const auto first = body->find_first_not_of(" \t\r\n");
            first == std::string::npos || (*body)[first] != '{') {
            const Access& access = endpoint->access();
            return core::Error{fmt::format(
                "{}:{} is no API server: it answers with 200 and \"{}\"",
                access.host,
                access.port,
                one_line(*body, shown_max))};
        }
        core::Result<ListPage<T>> page = decode(*std::move(body));
        if (!page) return page.error();
        std::move(page->items.begin(), page->items.end(), std::back_inserter(items));
        if (page->continue_token.empty()) return items;
        if (items.size() > options.objects_max || page->continue_token == token) {
            return core::Error{"the list does not end"};
        }
        token = page->continue_token;
    }
}

core::Result<ListPage<core::Pod>> decode_pods(std::string body) {
    auto page = decode_page(WatchKind::pods, std::move(body));
    if (!page) return page.error();
    ListPage<core::Pod> out;
    out.continue_token = page->continue_token;
    for (DecodedObject& item : page->items) {
        out.items.push_back(std::get<core::Pod>(std::move(item.object)));
    }
    return out;
}

}  // namespace

Reader::Reader(std::shared_ptr<Endpoint> endpoint, ReaderOptions options)
    : endpoint_(std::move(endpoint)), options_(options) {}

core::Result<std::vector<core::Pod>> Reader::list_pods(
    const std::string& namespace_name, const std::string& selector) {
    const std::string path = list_path(namespace_name, "pods");
    return read_list<core::Pod>(
        endpoint_, options_, selector.empty() ? path : path + "?" + selector, decode_pods);
}

core::Result<std::vector<PodHistory>> Reader::list_pod_histories(
    const std::string& namespace_name) {
    return read_list<PodHistory>(
        endpoint_, options_, list_path(namespace_name, "pods"), decode_pod_histories);
}

core::Result<std::vector<RecordedEvent>> Reader::list_events(
    const std::string& namespace_name, const std::string& pod_uid) {
    return read_list<RecordedEvent>(
        endpoint_,
        options_,
        list_path(namespace_name, "events") +
            "?fieldSelector=" + percent_encode("involvedObject.uid=" + pod_uid),
        decode_events);
}

}  // namespace k8s
