#pragma once
// The log: one line per decision or trouble, on standard error, as console text or as JSON. Values
// come from pods and servers, so everything that is not plain printable text is escaped.
//
//   2026-07-01T12:30:00.123Z info bind pod=etl/pi-driver node=n1
//   {"ts":"2026-07-01T12:30:00.123Z","level":"info","msg":"bind","pod":"etl/pi-driver","node":"n1"}

#include "config/schema.hpp"
#include "k8s/base/notice.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace gang::app {

/// One key=value of a line. Numbers are given as text.
struct LogField {
    std::string_view key;
    std::string value;
};

class Log {
public:
    /// Takes finished lines, newline included.
    using Sink = std::function<void(const std::string& line)>;

    /// `format` automatic: console on a terminal, else JSON. `sink` empty: standard error.
    Log(config::LogFormat format, config::LogLevel level, Sink sink = {});

    void set_level(config::LogLevel level) { level_ = level; }
    bool enabled(config::LogLevel level) const { return level >= level_; }

    void write(
        config::LogLevel level,
        std::string_view message,
        std::initializer_list<LogField> fields = {}) const;

    /// A notice of the edge (k8s/base/notice.hpp): its words KEY=VALUE and KEY="VALUE" become
    /// fields, the others the message, behind `from`.
    void write_notice(
        config::LogLevel level, std::string_view from, std::string_view text) const;

private:
    void write_line(
        config::LogLevel level, std::string_view message, std::span<const LogField> fields) const;

    config::LogFormat format_;
    config::LogLevel level_;
    Sink sink_;
};

/// Writes each notice of a client of the API server into the log, behind `from`. The log outlives it.
k8s::NoticeSink notice_sink(const Log* log, std::string from);

}  // namespace gang::app
