#include "gang/app/base/log.hpp"

#include "config/printable.hpp"
#include "gang/app/base/json_text.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>
#include <vector>

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

config::LogLevel to_level(k8s::NoticeLevel level) {
    switch (level) {
        case k8s::NoticeLevel::debug:
            return config::LogLevel::debug;
        case k8s::NoticeLevel::info:
            return config::LogLevel::info;
        case k8s::NoticeLevel::warning:
            return config::LogLevel::warning;
        case k8s::NoticeLevel::error:
            return config::LogLevel::error;
    }
    return config::LogLevel::error;
}

struct Word {
    bool is_field = false;
    std::string_view key;
    std::string_view value;
};

/// Keys of notices. A server's words may look like fields, and make none of these names twice:
/// what stands in quotes reaches to the last quote of the text.
bool is_notice_key(std::string_view key) {
    constexpr std::array<std::string_view, 7> keys = {
        "watch", "problem", "listed", "credentials", "holder", "pod", "extender"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// The first word, which is taken off the text with the spaces behind it.
Word take_word(std::string_view& text) {
    const std::size_t equals = text.find('=');
    const std::size_t space = text.find(' ');
    Word word;
    std::size_t end = std::min(space, text.size());
    word.value = text.substr(0, end);
    if (equals < space && is_notice_key(text.substr(0, equals))) {
        word.is_field = true;
        word.key = text.substr(0, equals);
        word.value = text.substr(equals + 1, end - equals - 1);
        const std::size_t last_quote = text.rfind('"');
        if (word.value.starts_with('"') && last_quote > equals + 1) {
            word.value = text.substr(equals + 2, last_quote - equals - 2);
            end = last_quote + 1;
        }
    }
    const std::size_t next = text.find_first_not_of(' ', end);
    text.remove_prefix(std::min(next, text.size()));
    return word;
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
    write_line(level, message, {fields.begin(), fields.size()});
}

void Log::write_notice(
    config::LogLevel level, std::string_view from, std::string_view text) const {
    std::string message(from);
    std::vector<LogField> fields;
    std::string_view separator = ": ";
    while (!text.empty()) {
        const Word word = take_word(text);
        if (word.is_field) {
            fields.push_back({word.key, std::string(word.value)});
        } else {
            message += std::string(separator) + std::string(word.value);
            separator = " ";
        }
    }
    write_line(level, message, fields);
}

void Log::write_line(
    config::LogLevel level, std::string_view message, std::span<const LogField> fields) const {
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

k8s::NoticeSink notice_sink(const Log* log, std::string from) {
    return [log, from = std::move(from)](k8s::NoticeLevel level, const std::string& text) {
        log->write_notice(to_level(level), from, text);
    };
}

}  // namespace gang::app
