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

TEST_CASE("log: fields of a notice are fields") {  // D31
    std::string got;
    const auto told = [&got](LogFormat format, const std::string& from, const std::string& text) {
        got.clear();
        const Log log(format, LogLevel::info, [&](const std::string& line) { got += line; });
        log.write_notice(LogLevel::warning, from, text);
        return without_time(got, format);
    };
    CHECK(
        told(LogFormat::json, "pods", "watch=pods problem=\"list: Unauthorized (401)\"") ==
        "\"level\":\"warning\",\"msg\":\"pods\",\"watch\":\"pods\",\"problem\":\"list: "
        "Unauthorized (401)\"}\n");
    CHECK(
        told(LogFormat::console, "credentials", "credentials=plugin problem=\"no\" the old stay") ==
        "warning credentials: the old stay credentials=plugin problem=no\n");
    CHECK(
        told(LogFormat::json, "lease", "standing by holder=\"pod-a_1\"") ==
        "\"level\":\"warning\",\"msg\":\"lease: standing by\",\"holder\":\"pod-a_1\"}\n");
    // A server's words make no fields.
    CHECK(
        told(LogFormat::json, "pods", "problem=\"a\" level=\"b\" listed=\"5\"") ==
        "\"level\":\"warning\",\"msg\":\"pods\",\"problem\":\"a\\\" level=\\\"b\\\" "
        "listed=\\\"5\"}\n");
    CHECK(told(LogFormat::console, "lease", "level=x =y") == "warning lease: level=x =y\n");
}
