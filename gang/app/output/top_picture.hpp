#pragma once
// What `top` shows, line by line: the room of the cluster, who waits, who runs, and the nodes as one
// row of blocks. Pure: a picture and what is chosen come in, lines go out.

#include "gang/app/base/json_text.hpp"
#include "gang/app/show/ledger_report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

struct TopPicture {
    GangList gangs;
    LedgerReport ledger;
    std::int64_t now_ms = 0;  ///< Unix
    std::string note;         ///< what is wrong with it; empty: nothing
};

/// One choice among all that can be chosen: those who wait, those who run, and the nodes, in the
/// order in which they are shown.
struct TopItem {
    enum class Kind : std::uint8_t { gang, node };
    Kind kind = Kind::gang;
    std::string name;  ///< namespace/driver, or the node's
    friend bool operator==(const TopItem&, const TopItem&) = default;
};

/// What somebody looks at. It stays with its gang, wherever that goes.
class TopChoice {
public:
    /// The chosen item is gone: the one in its place is chosen.
    void follow(const TopPicture& picture);
    void move(const TopPicture& picture, std::ptrdiff_t by);
    /// To the first of the next group: who waits, who runs, nodes.
    void next_group(const TopPicture& picture);
    const std::optional<TopItem>& item() const { return item_; }

private:
    std::optional<TopItem> item_;
    std::size_t place_ = 0;
};

struct TopSize {
    std::size_t width = 80;   ///< columns; 0: as wide as need be
    std::size_t height = 24;  ///< lines; 0: all there are
    bool is_coloured = false;
};

/// No line is wider, and there are no more than the size says.
std::vector<std::string> top_lines(
    const TopPicture& picture, const TopChoice& choice, const TopSize& size);

/// A text from the line `first` on, in the same frame, with `title` above it.
std::vector<std::string> text_lines(
    std::string_view title, std::string_view text, std::size_t first, const TopSize& size);

}  // namespace gang::app
