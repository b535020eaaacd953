#pragma once
// Calls of kube-scheduler that wait for the decision engine or the API server. Each has a deadline:
// kube-scheduler places nothing else while it waits for a filter.

#include "gang/app/serve/http_server.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gang::app {

/// Makes the reply of what was decided: the nodes that passed, and the message.
template <typename Decided>
class OpenCalls {
public:
    struct Call {
        std::function<HttpReply(const Decided&)> reply;
        std::function<HttpReply()> give_up;
        HttpAnswer answer;
        std::int64_t until_ms = 0;
    };

    void open(std::int64_t token, Call call) {
        deadlines_.emplace(std::pair(call.until_ms, token), token);
        calls_.emplace(token, std::move(call));
    }
    /// False: nobody waits for it any more.
    bool close(std::int64_t token, const Decided& decided) {
        auto call = take(token);
        if (call) {
            call->answer(call->reply(decided));
        }
        return call.has_value();
    }
    /// Gives up what is due. Returns how many calls that was.
    std::size_t expire(std::int64_t now_ms) {
        std::size_t expired = 0;
        while (!deadlines_.empty() && deadlines_.begin()->first.first <= now_ms) {
            auto call = take(deadlines_.begin()->second);
            call->answer(call->give_up());
            ++expired;
        }
        return expired;
    }
    std::optional<std::int64_t> next_deadline_ms() const {
        return deadlines_.empty() ? std::nullopt : std::optional(deadlines_.begin()->first.first);
    }

private:
    std::optional<Call> take(std::int64_t token) {
        auto found = calls_.extract(token);
        if (!found) {
            return std::nullopt;
        }
        deadlines_.erase({found.mapped().until_ms, token});
        return std::move(found.mapped());
    }

    std::map<std::int64_t, Call> calls_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> deadlines_;  ///< to the token
};

}  // namespace gang::app
