#pragma once
// JSON text 64 bytes at a time: where its quotes and brackets are. The one thing that is done to
// every byte that comes; whoever walks through the text (json_scan.hpp) goes from bit to bit.
// One version for each kind of processor, chosen when the program runs; all give the same answer,
// bit for bit.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace k8s {

inline constexpr std::size_t json_block_size = 64;

/// Bit i is byte i of the block.
struct JsonBlock {
    std::uint64_t quotes = 0;   ///< that no backslash takes the meaning of
    std::uint64_t opening = 0;  ///< brackets of either kind, outside of strings
    std::uint64_t closing = 0;
    /// Backslashes, control characters, bytes above 0x7f: a string without any is as it is written.
    std::uint64_t odd = 0;
    std::uint32_t opened = 0;  ///< how many bits are set
    std::uint32_t closed = 0;
    friend bool operator==(const JsonBlock&, const JsonBlock&) = default;
};

/// What reaches from one block into the next.
struct JsonCarry {
    std::uint64_t in_string = 0;  ///< all bits set: the block begins inside a string
    std::uint64_t escaped = 0;    ///< 1: the block's first byte is escaped
    bool has_nul = false;         ///< seen anywhere so far; no JSON text has a NUL byte
    friend bool operator==(const JsonCarry&, const JsonCarry&) = default;
};

/// Reads `count` whole blocks, no byte more.
using LookAtBlocks = void (*)(const char* text, std::size_t count, JsonCarry&, JsonBlock* into);

struct BlockReader {
    std::string_view name;
    LookAtBlocks look;
};

/// Those that this processor can run, the plain one first and the best one last.
const std::vector<BlockReader>& block_readers();

}  // namespace k8s
