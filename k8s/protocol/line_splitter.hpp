#pragma once
// Cuts a byte stream into lines. Watch events end with a newline and know nothing of chunks, TLS
// records or packets. A line that grows past the bound is an error, not memory.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::protocol {

class LineSplitter {
public:
    static constexpr std::size_t line_max_default = 16 * 1024 * 1024;

    explicit LineSplitter(std::size_t line_max = line_max_default) : line_max_(line_max) {}

    /// Adds bytes. False: the line without end is longer than the bound; the stream is unusable.
    [[nodiscard]] bool add(std::string_view bytes);

    /// The next whole line without its newline, empty lines skipped; valid until the next add().
    std::optional<std::string_view> next();

    enum class Taken : std::uint8_t { all, stopped, too_long };
    /// Both in one: visits each line that ends in these bytes, and one that has also begun in them
    /// where it lies, without a copy. A visitor that answers false ends it; what comes behind its
    /// line is forgotten then.
    template <std::predicate<std::string_view> Visit>
    [[nodiscard]] Taken take(std::string_view bytes, const Visit& visit);

    /// Forgets everything, also a line that never ended.
    void clear();

private:
    std::size_t line_max_;
    std::string text_;
    std::size_t begin_ = 0;    ///< of the line in progress
    std::size_t scanned_ = 0;  ///< no newline between begin_ and here
};

template <std::predicate<std::string_view> Visit>
LineSplitter::Taken LineSplitter::take(std::string_view bytes, const Visit& visit) {
    if (begin_ < text_.size()) {
        const std::string_view first = bytes.substr(0, bytes.find('\n'));
        const std::size_t own = std::min(first.size() + 1, bytes.size());
        if (!add(bytes.substr(0, own))) return Taken::too_long;
        bytes.remove_prefix(own);
        while (const auto line = next()) {
            if (!visit(*line)) return Taken::stopped;
        }
    }
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
        const std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        if (!line.empty() && !visit(line)) return Taken::stopped;
    }
    return bytes.empty() || add(bytes) ? Taken::all : Taken::too_long;
}

}  // namespace k8s::protocol
