#pragma once
// Sends a script over so many keep-alive connections, each with one request in flight.

#include "tests/bench/load/script.hpp"
#include "tests/bench/load/session.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace load {

struct Sent {
    std::int64_t first_us = 0;  ///< when the first request was begun; see clock.hpp
    std::int64_t last_us = 0;   ///< when the last answer had come
    std::vector<std::int64_t> latencies_us;
    std::map<int, std::size_t> statuses;
    std::string refusal;  ///< the first answer that was not 2xx
};

class Sender {
public:
    Sender(boost::asio::io_context& io, const Target& target, Script script);

    /// Opens the connections, then begins. Exceptions leave io.run().
    void start(int connections);
    /// The watch shows this pod bound: whatever waits for it is sent.
    void pod_bound(const std::string& name);

    bool is_done() const { return sent_.latencies_us.size() == total_; }
    const Sent& sent() const { return sent_; }

private:
    boost::asio::awaitable<void> begin(int connections);
    boost::asio::awaitable<void> serve(std::shared_ptr<Session> session);
    boost::asio::awaitable<void> arrive();
    void push(Step step);
    void note(const Answer& answer, std::int64_t began);

    boost::asio::io_context& io_;
    Target target_;
    Script script_;
    std::size_t total_;
    std::deque<Step> ready_;
    boost::asio::steady_timer more_;  ///< never expires; cancelled when something became ready
    Sent sent_;
};

}  // namespace load
