#pragma once
// A YAML document as a plain tree with positions. It keeps what the type checks need and yaml-cpp's
// own nodes forget: whether a scalar was quoted, and every key in order, repeated ones too.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace config {

struct Mark {
    int line = 1;    ///< from 1
    int column = 1;  ///< from 1
    friend bool operator==(const Mark&, const Mark&) = default;
};

struct TreeEntry;

struct Tree {
    enum class Kind : std::uint8_t { null, plain, quoted, sequence, map };
    Kind kind = Kind::null;
    Mark mark;
    std::string scalar;            ///< plain and quoted
    std::vector<Tree> items;       ///< sequence
    std::vector<TreeEntry> pairs;  ///< map, in the file's order
};

/// Not a std::pair: Clang 14 would ask for a complete Tree inside Tree.
struct TreeEntry {
    Tree key;
    Tree value;
};

/// One thing that is wrong, and where.
struct Complaint {
    Mark mark;
    std::string text;
    friend bool operator==(const Complaint&, const Complaint&) = default;
};

struct ParsedTree {
    Tree tree;  ///< null for a text without any content
    std::vector<Complaint> complaints;
};

/// The one document of the text. What is not accepted of YAML (aliases, anchors, tags, a second
/// document, control characters, a syntax error) comes as a complaint; the tree is then incomplete.
ParsedTree parse_tree(std::string_view text);

}  // namespace config
