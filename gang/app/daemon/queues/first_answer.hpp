#pragma once
// Waits for what should be known before anybody is let in: till it came, 10 s at most.

#include "gang/app/base/log.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <string>

namespace gang::app {

class FirstAnswer {
public:
    /// `what` is for the log, in plural: "Queue objects". The log lives as long.
    FirstAnswer(boost::asio::io_context& io, const Log* log, std::string what)
        : timer_(io), log_(log), what_(std::move(what)) {}

    /// `known` is called once, later, never from inside the call or after stop().
    void await(std::function<void()> known);
    /// It came; again it changes nothing.
    void came();
    void stop();

private:
    boost::asio::steady_timer timer_;
    const Log* log_;
    std::string what_;
    std::function<void()> known_;
};

}  // namespace gang::app
