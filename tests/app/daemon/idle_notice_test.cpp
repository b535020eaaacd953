// The notice that all is quiet.
#include "gang/app/daemon/loop/idle_notice.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>

using gang::app::IdleNotice;

TEST_CASE("idle notice: it comes once, at the first try at which nobody is busy") {
    boost::asio::io_context io;
    int asked = 0;
    int told = 0;
    IdleNotice notice(
        io, IdleNotice::Wiring{[&asked] { return ++asked == 3; }, [&told] { ++told; }, 1});
    notice.await();
    notice.await();
    io.run_for(std::chrono::seconds(10));
    CHECK(asked == 3);
    CHECK(told == 1);
}

TEST_CASE("idle notice: after stop nobody is told, also when it is awaited again") {
    boost::asio::io_context io;
    int told = 0;
    IdleNotice notice(io, IdleNotice::Wiring{[] { return true; }, [&told] { ++told; }, 1});
    notice.await();
    notice.stop();
    notice.await();
    io.run_for(std::chrono::seconds(10));
    CHECK(told == 0);
}

TEST_CASE("idle notice: no timer runs where nobody wants to know") {
    boost::asio::io_context io;
    IdleNotice notice(io, IdleNotice::Wiring{[] { return true; }, {}, 3'600'000});
    notice.await();
    CHECK(io.poll() == 0);
    CHECK(io.stopped());
}
