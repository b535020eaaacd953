#pragma once
// Cuts a byte stream into lines. Watch events end with a newline and know nothing of chunks, TLS
// records or packets. A line that grows past the bound is an error, not memory.

#include <cstddef>
#include <optional>
#include <span>
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
    /// The same, to be changed in place; the byte behind it is a NUL.
    std::optional<std::span<char>> next_in_place();

    /// Forgets everything, also a line that never ended.
    void clear();

private:
    std::size_t line_max_;
    std::string text_;
    std::size_t begin_ = 0;    ///< of the line in progress
    std::size_t scanned_ = 0;  ///< no newline between begin_ and here
};

}  // namespace k8s::protocol
