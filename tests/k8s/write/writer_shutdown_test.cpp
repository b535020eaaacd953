#include "k8s/write/writer_shutdown.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace k8s;

TEST_CASE("writer shutdown: the owner is told once, on a later turn, whether all was drained") {
    boost::asio::io_context io;
    WriterContext context(io, WriterOptions());
    WriterShutdown shutdown(context);
    std::optional<bool> drained;
    shutdown.begin([&drained](bool is_drained) { drained = is_drained; });
    CHECK(context.is_stopping());
    CHECK_FALSE(context.is_closed());
    shutdown.finish();
    CHECK(context.is_closed());
    CHECK_FALSE(drained.has_value());
    io.run();
    CHECK(drained == true);
    drained.reset();
    shutdown.finish();
    io.restart();
    io.run();
    CHECK_FALSE(drained.has_value());
}

TEST_CASE("writer shutdown: what was cut off at the deadline was not drained") {
    boost::asio::io_context io;
    WriterContext context(io, WriterOptions());
    WriterShutdown shutdown(context);
    std::optional<bool> drained;
    shutdown.begin([&drained](bool is_drained) { drained = is_drained; });
    shutdown.set_deadline(1, [&shutdown] {
        shutdown.close(true);
        shutdown.finish();
    });
    io.run();
    CHECK(drained == false);
}

TEST_CASE("writer shutdown: nobody is told of what was abandoned") {
    boost::asio::io_context io;
    WriterContext context(io, WriterOptions());
    WriterShutdown shutdown(context);
    bool is_told = false;
    shutdown.begin([&is_told](bool) { is_told = true; });
    shutdown.set_deadline(60'000, [&is_told] { is_told = true; });
    shutdown.abandon();
    shutdown.finish();
    io.run();
    CHECK_FALSE(is_told);
}
