#include "gang/app/base/log.hpp"

#include <doctest/doctest.h>

#include <string>

using config::LogFormat;
using config::LogLevel;
using gang::app::Log;

namespace {

/// What one line says after its time, which no test can know.
std::string without_time(const std::string& line, LogFormat format) {
    return format == LogFormat::json ? line.substr(line.find(",\"level\"") + 1)
                                     : line.substr(line.find(' ') + 1);
}

std::string logged(LogFormat format, const std::string& message, const std::string& value) {
    std::string got;
    const Log log(format, LogLevel::info, [&](const std::string& line) { got += line; });
    log.write(LogLevel::info, message, {{"pod", value}});
    return without_time(got, format);
}

}  // namespace

TEST_CASE("log: console lines quote what could be misread") {
    CHECK(logged(LogFormat::console, "bind", "etl/a") == "info bind pod=etl/a\n");
    CHECK(logged(LogFormat::console, "bind", "two words") == "info bind pod=\"two words\"\n");
    CHECK(logged(LogFormat::console, "bind", "") == "info bind pod=\"\"\n");
    CHECK(logged(LogFormat::console, "bind", "a\"b") == "info bind pod=\"a\\\"b\"\n");
}

TEST_CASE("log: a value cannot begin a line or colour the terminal") {
    CHECK(
        logged(LogFormat::console, "m", "x\n2026 error fake\x1b[31m") ==
        "info m pod=\"x\\n2026 error fake\\x1b[31m\"\n");
    const auto json = logged(LogFormat::json, "m", "x\n\x1b\"");
    CHECK(json == "\"level\":\"info\",\"msg\":\"m\",\"pod\":\"x\\\\n\\\\x1b\\\"\"}\n");
}

TEST_CASE("log: lines below the level are not written") {
    int lines = 0;
    const Log log(LogFormat::json, LogLevel::warning, [&](const std::string&) { ++lines; });
    log.write(LogLevel::info, "quiet");
    log.write(LogLevel::warning, "loud");
    log.write(LogLevel::error, "louder");
    CHECK(lines == 2);
    CHECK_FALSE(log.enabled(LogLevel::debug));
}
