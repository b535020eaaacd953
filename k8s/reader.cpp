#include "k8s/reader.hpp"

#include "k8s/codec_node.hpp"
#include "k8s/codec_pod.hpp"
#include "k8s/codec_status.hpp"
#include "k8s/codec_watch.hpp"
#include "k8s/connection.hpp"
#include "k8s/sleep.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::size_t page_bytes_max = 256 * 1024 * 1024;
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

core::Error refused(const Response& response) {
    const Status status = decode_status(response.status, response.body);
    return core::Error{fmt::format("{} ({})", status.message, response.status)};
}

core::Result<std::string> body_of(Reply reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return core::Error{failure->message};
    auto& response = std::get<Response>(reply);
    if (response.status != 200) return refused(response);
    return std::move(response.body);
}

struct ListQuestion {
    WatchKind kind;
    std::string path;
};

template <typename Object>
core::Result<std::vector<Object>> list(
    Asker& asker, const ListQuestion& question, const ReaderOptions& options) {
    std::vector<Object> objects;
    std::string token;
    int restarts = 0;
    for (;;) {
        std::string target = fmt::format("{}?limit={}", question.path, options.page_size);
        if (!token.empty()) target += "&continue=" + percent_encode(token);
        Reply reply = asker.ask(Question(target, CallLimits(options.timeout_ms, page_bytes_max)));
        const auto* response = std::get_if<Response>(&reply);
        if (response != nullptr && response->status == 410 && restarts++ < restarts_max) {
            objects.clear();
            token.clear();
            continue;
        }
        auto body = body_of(std::move(reply));
        if (!body) return body.error();
        auto page = decode_page(question.kind, *std::move(body));
        if (!page) return page.error();
        for (DecodedObject& item : page->items) {
            objects.push_back(std::get<Object>(std::move(item.object)));
        }
        if (page->continue_token.empty()) return objects;
        if (objects.size() > options.objects_max || page->continue_token == token) {
            return core::Error{"the list does not end"};
        }
        token = page->continue_token;
    }
}

std::string namespaced(const std::string& namespace_name, const char* resource) {
    return fmt::format("/api/v1/namespaces/{}/{}", percent_encode(namespace_name), resource);
}

}  // namespace

Reader::Reader(std::shared_ptr<Endpoint> endpoint, ReaderOptions options)
    : endpoint_(std::move(endpoint)), options_(options) {}

core::Result<std::vector<core::Pod>> Reader::list_pods(const std::string& namespace_name) {
    Asker asker(endpoint_);
    const std::string path =
        namespace_name.empty() ? "/api/v1/pods" : namespaced(namespace_name, "pods");
    return list<core::Pod>(asker, ListQuestion{WatchKind::pods, path}, options_);
}

core::Result<std::vector<core::Node>> Reader::list_nodes() {
    Asker asker(endpoint_);
    return list<core::Node>(asker, ListQuestion{WatchKind::nodes, "/api/v1/nodes"}, options_);
}

core::Result<core::Pod> Reader::get_pod(
    const std::string& namespace_name, const std::string& name) {
    Asker asker(endpoint_);
    const std::string target = namespaced(namespace_name, "pods/") + percent_encode(name);
    auto body = body_of(asker.ask(Question(target, CallLimits(options_.timeout_ms))));
    if (!body) return body.error();
    return decode_pod(*body);
}

core::Result<ConfigMap> Reader::get_config_map(
    const std::string& namespace_name, const std::string& name) {
    Asker asker(endpoint_);
    const std::string target = namespaced(namespace_name, "configmaps/") + percent_encode(name);
    auto body =
        body_of(asker.ask(Question(target, CallLimits(options_.timeout_ms, config_map_json_max))));
    if (!body) return body.error();
    return decode_config_map(*body);
}

}  // namespace k8s
