#pragma once
// The extender protocol over HTTP: kube-scheduler's calls become events, and decisions its answers.
//
// There is no authentication, and who may call `bind` may bind any pod: it listens on loopback
// alone, and takes only what names this machine as its host and says that it is JSON, which no web
// page can send here unasked.

#include "config/schema.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/extender/open_calls.hpp"
#include "gang/app/extender/wire.hpp"
#include "gang/app/serve/http_server.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace gang::app {

/// For how long a filter may wait until the gang is decided on; its conf may be on the way.
inline constexpr std::int64_t decide_ms_max = 1'000;
/// kube-scheduler's own default is five seconds.
inline constexpr std::int64_t bind_ms_max = 4'500;
inline constexpr std::size_t extender_body_max = std::size_t{64} << 20U;

/// Called on the loop.
struct ExtenderSource {
    std::function<bool()> leads;
    std::function<void(Event)> push;
    std::function<bool(std::string_view pod_uid)> is_of_extender;
    std::function<bool(std::string_view pod_uid)> is_needed;
};

class ExtenderEndpoint {
public:
    /// `log` and `metrics` must outlive this. Nothing is served before start().
    ExtenderEndpoint(boost::asio::io_context& io, const Log* log, Metrics* metrics)
        : io_(io), log_(log), metrics_(metrics), timer_(io) {}

    void start(const config::Extender& config, ExtenderSource source);
    void stop();

    void answer(const AnswerExtender& decision);
    void bind_answered(const BindFinished& event);

private:
    /// What was decided; an error for the verbs that have one.
    struct Decided {
        std::vector<std::string> nodes;
        std::string message;
    };
    using Calls = OpenCalls<Decided>;
    enum class Verb : std::uint8_t { filter, prioritize, bind, preempt };

    void handle(HttpAsk ask, const HttpAnswer& answer);
    HttpReply reply_to_get(std::string_view path) const;
    std::optional<Verb> verb_of(std::string_view path) const;
    void call(Verb verb, std::string body, HttpAnswer answer);
    void ask_nodes(Verb verb, std::string body, HttpAnswer answer);
    void bind(const std::string& body, HttpAnswer answer);
    HttpReply preempt(const std::string& body) const;
    HttpReply counted(Verb verb, const char* outcome, HttpReply reply) const;
    HttpReply refuse(Verb verb, const std::string& why) const;
    void open(std::int64_t token, Calls::Call call);
    void arm();

    boost::asio::io_context& io_;
    const Log* log_;
    Metrics* metrics_;
    boost::asio::steady_timer timer_;
    config::Extender config_;
    ExtenderSource source_;
    std::unique_ptr<HttpServer> server_;
    std::int64_t last_token_ = 0;
    Calls calls_;
    std::map<std::string, std::int64_t> binds_;  ///< the tokens of those under way, by pod uid
};

}  // namespace gang::app
