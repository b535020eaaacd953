#include "gang/app/base/log.hpp"

#include "config/printable.hpp"
#include "gang/app/base/json_text.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <unistd.h>

namespace gang::app {
namespace {

constexpr std::size_t value_max = 2048;

/// "2026-07-01T12:30:00.123Z"
std::string timestamp() {
    const std::int64_t now = k8s::unix_ms();
    std::string text = k8s::format_time(now);
    text.pop_back();
    return fmt::format("{}.{:03}Z", text, now % 1000);
}

std::string_view name(config::LogLevel level) {
    constexpr std::array<std::string_view, 4> names = {"debug", "info", "warning", "error"};
    return names[static_cast<std::size_t>(level)];
}

/// Bare when it cannot be misread, else in quotes.
std::string console_value(const std::string& text) {
    const std::string shown = config::printable(text, value_max);
    const bool bare = !shown.empty() && shown.find_first_of(" \"=\\") == std::string::npos;
    if (bare) {
        return shown;
    }
    std::string quoted = "\"";
    for (const char c : shown) {
        if (c == '"') {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + "\"";
}

void to_standard_error(const std::string& line) {
    // One write per line keeps lines whole beside other writers; a broken pipe is not ours to mend.
    const auto ignored = ::write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(ignored);
}

}  // namespace

Log::Log(config::LogFormat format, config::LogLevel level, Sink sink)
    : format_(format), level_(level), sink_(std::move(sink)) {
    if (format_ == config::LogFormat::automatic) {
        const bool terminal = ::isatty(STDERR_FILENO) == 1;
        format_ = terminal ? config::LogFormat::console : config::LogFormat::json;
    }
    if (!sink_) {
        sink_ = to_standard_error;
    }
}

void Log::write(
    config::LogLevel level,
    std::string_view message,
    std::initializer_list<LogField> fields) const {
    if (!enabled(level)) {
        return;
    }
    const std::string shown = config::printable(message, value_max);
    std::string line;
    if (format_ == config::LogFormat::json) {
        line = fmt::format(
            R"({{"ts":"{}","level":"{}","msg":{})", timestamp(), name(level), json_string(shown));
        for (const LogField& field : fields) {
            line += fmt::format(
                ",\"{}\":{}", field.key, json_string(config::printable(field.value, value_max)));
        }
        line += "}\n";
    } else {
        line = fmt::format("{} {} {}", timestamp(), name(level), shown);
        for (const LogField& field : fields) {
            line += fmt::format(" {}={}", field.key, console_value(field.value));
        }
        line += '\n';
    }
    sink_(line);
}

}  // namespace gang::app
