#include "core/base/progress_text.hpp"

#include <algorithm>

namespace core {
namespace {

/// "45s", "12m5s", "3h20m".
std::string time_text(std::int64_t seconds) {
    if (seconds < 60) {
        return std::to_string(seconds) + "s";
    }
    if (seconds < 3'600) {
        return std::to_string(seconds / 60) + "m" + std::to_string(seconds % 60) + "s";
    }
    return std::to_string(seconds / 3'600) + "h" + std::to_string(seconds % 3'600 / 60) + "m";
}

/// Three digits are enough for a rate: "0.25", "3.4", "1700".
std::string rate_text(double rate) {
    if (rate >= 10) {
        return std::to_string(static_cast<std::int64_t>(rate + 0.5));
    }
    const auto hundredths = static_cast<std::int64_t>(rate * 100 + 0.5);
    std::string text = std::to_string(hundredths / 100) + ".";
    text += (hundredths % 100 < 10 ? "0" : "") + std::to_string(hundredths % 100);
    return text;
}

}  // namespace

std::string progress_text(
    std::int64_t done, std::int64_t total, std::int64_t passed_ms, std::string_view unit) {
    const double rate = passed_ms <= 0 ? 0.0
                                       : static_cast<double>(done) * 1'000.0 /
                                             static_cast<double>(passed_ms);
    std::string text;
    if (total > 0) {
        const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
        text = std::to_string(static_cast<int>(share * 100)) + "%, ";
    }
    text += std::to_string(done) + " " + std::string(unit) + ", " + rate_text(rate) + " " +
            std::string(unit) + "/s";
    if (total > done && rate > 0) {
        const double left = static_cast<double>(total - done) / rate;
        text += ", " + time_text(static_cast<std::int64_t>(left + 0.999)) + " left";
    }
    return text;
}

}  // namespace core
