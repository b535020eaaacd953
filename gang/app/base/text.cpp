#include "gang/app/base/text.hpp"

#include "config/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::app {
namespace {

constexpr std::size_t cell_max = 200;

/// Characters, not bytes: good enough for names, which are ASCII nearly always.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string two_units(std::int64_t total, std::int64_t unit, char large, char small) {
    const std::int64_t rest = total % unit;
    return rest == 0 ? fmt::format("{}{}", total / unit, large)
                     : fmt::format("{}{}{}{}", total / unit, large, rest, small);
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    return format_table(rows, widths);
}

std::string format_table(
    const std::vector<std::vector<std::string>>& rows, std::vector<std::size_t>& widths) {
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows) {
        auto& shown = cells.emplace_back();
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            shown.push_back(row[i].empty() ? "-" : config::printable(row[i], cell_max));
            widths[i] = std::max(widths[i], width(shown.back()));
        }
    }
    std::string out;
    for (const auto& row : cells) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool last = i + 1 == row.size();
            out += row[i];
            out += last ? "\n" : std::string(widths[i] - width(row[i]) + 2, ' ');
        }
    }
    return out;
}

std::string format_age(std::int64_t milliseconds) {
    const std::int64_t seconds = std::max<std::int64_t>(milliseconds, 0) / 1000;
    const std::int64_t minutes = seconds / 60;
    const std::int64_t hours = minutes / 60;
    if (seconds < 120) {
        return fmt::format("{}s", seconds);
    }
    if (minutes < 10) {
        return two_units(seconds, 60, 'm', 's');
    }
    if (minutes < 180) {
        return fmt::format("{}m", minutes);
    }
    return hours < 48 ? two_units(minutes, 60, 'h', 'm') : two_units(hours, 24, 'd', 'h');
}

std::vector<ReasonCode> all_reason_codes() {
    std::vector<ReasonCode> out;
    for (auto code = static_cast<int>(ReasonCode::none) + 1;
         code <= static_cast<int>(last_reason_code);
         ++code) {
        out.push_back(static_cast<ReasonCode>(code));
    }
    return out;
}

std::optional<ReasonCode> find_reason_code(std::string_view text) {
    const ReasonCode code = find_code(fmt::format("[{}]", text));
    return code == ReasonCode::none ? std::nullopt : std::optional(code);
}

std::optional<GangState> find_gang_state(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(GangState::ended); ++i) {
        if (to_string(static_cast<GangState>(i)) == text) {
            return static_cast<GangState>(i);
        }
    }
    return std::nullopt;
}

std::optional<SaidReason> read_condition(std::string_view message) {
    const ReasonCode code = find_code(message);
    if (code == ReasonCode::none) {
        return std::nullopt;
    }
    std::string_view sentence = message.substr(0, message.rfind('['));
    while (sentence.ends_with(' ')) {
        sentence.remove_suffix(1);
    }
    return SaidReason{code, std::string(sentence)};
}

}  // namespace gang::app
