#include "k8s/watch/pause_gate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <exception>

using namespace k8s;

namespace {

boost::asio::awaitable<void> pass(PauseGate& gate, int& passed) {
    co_await gate.until_resumed();
    ++passed;
}

void send_through(boost::asio::io_context& io, PauseGate& gate, int& passed) {
    boost::asio::co_spawn(io, pass(gate, passed), [](std::exception_ptr) {});
    io.restart();
    io.poll();
}

}  // namespace

TEST_CASE("pause gate: it holds back until it is resumed") {
    boost::asio::io_context io;
    PauseGate gate(io);
    int passed = 0;
    send_through(io, gate, passed);
    CHECK(passed == 1);
    gate.pause();
    send_through(io, gate, passed);
    CHECK(passed == 1);
    gate.resume();
    io.poll();
    CHECK(passed == 2);
}

TEST_CASE("pause gate: nobody waits at a gate that has stopped") {
    boost::asio::io_context io;
    PauseGate gate(io);
    int passed = 0;
    gate.pause();
    send_through(io, gate, passed);
    gate.stop();
    io.poll();
    CHECK(passed == 1);
    send_through(io, gate, passed);
    CHECK(passed == 2);
}
