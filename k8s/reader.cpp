#include "k8s/reader.hpp"

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

std::string pods_path(const std::string& namespace_name) {
    if (namespace_name.empty()) return "/api/v1/pods";
    return fmt::format("/api/v1/namespaces/{}/pods", percent_encode(namespace_name));
}

}  // namespace

Reader::Reader(std::shared_ptr<Endpoint> endpoint, ReaderOptions options)
    : endpoint_(std::move(endpoint)), options_(options) {}

core::Result<std::vector<core::Pod>> Reader::list_pods(const std::string& namespace_name) {
    Asker asker(endpoint_);
    const std::string path = pods_path(namespace_name);
    std::vector<core::Pod> pods;
    std::string token;
    int restarts = 0;
    for (;;) {
        std::string target = fmt::format("{}?limit={}", path, options_.page_size);
        if (!token.empty()) target += "&continue=" + percent_encode(token);
        Reply reply = asker.ask(Question(target, CallLimits(options_.timeout_ms, page_bytes_max)));
        const auto* response = std::get_if<Response>(&reply);
        if (response != nullptr && response->status == 410 && restarts++ < restarts_max) {
            pods.clear();
            token.clear();
            continue;
        }
        auto body = body_of(std::move(reply));
        if (!body) return body.error();
        auto page = decode_page(WatchKind::pods, *std::move(body));
        if (!page) return page.error();
        for (DecodedObject& item : page->items) {
            pods.push_back(std::get<core::Pod>(std::move(item.object)));
        }
        if (page->continue_token.empty()) return pods;
        if (pods.size() > options_.objects_max || page->continue_token == token) {
            return core::Error{"the list does not end"};
        }
        token = page->continue_token;
    }
}

}  // namespace k8s
