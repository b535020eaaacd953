#pragma once
// Walks forward through JSON text from bracket to bracket and from quote to quote, without looking
// at what lies between. Strings and their escapes are respected, nothing else is: what is passed
// over is not checked. Never reads outside of the text.

#include "k8s/json/scan/json_blocks.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace k8s {

class JsonScanner {
public:
    /// From `begin` on, which is outside of any string, and no further than `end`.
    JsonScanner(const char* begin, const char* end, LookAtBlocks look = block_readers().back().look)
        : begin_(begin), size_(static_cast<std::size_t>(end - begin)), look_(look) {}

    struct StringEnd {
        const char* close = nullptr;  ///< the closing quote; nullptr: there is none
        bool is_plain = false;  ///< no escape, no control character, nothing that is not ASCII
    };

    // Each call is about a place at or behind that of the call before.

    /// Of the string whose opening quote is at `open`.
    StringEnd find_string_end(const char* open) {
        StringEnd found{nullptr, true};
        const std::size_t at = static_cast<std::size_t>(open - begin_) + 1;
        std::uint64_t rest = ~std::uint64_t{0} << at % json_block_size;
        for (std::size_t number = at / json_block_size; const JsonBlock* block = find(number);
             ++number, rest = ~std::uint64_t{0}) {
            const std::uint64_t quotes = block->quotes & rest;
            if (quotes == 0) {
                found.is_plain = found.is_plain && (block->odd & rest) == 0;
                continue;
            }
            const std::uint64_t before = (quotes & (~quotes + 1)) - 1;
            found.is_plain = found.is_plain && (block->odd & rest & before) == 0;
            found.close = begin_ + number * json_block_size + std::countr_zero(quotes);
            return found;
        }
        return found;
    }

    /// The bracket that closes the one at `open`, or nullptr. Any closing bracket closes any
    /// opening one; which of them it must be is the parser's matter. Nesting is counted, not
    /// remembered: any depth costs the same.
    const char* find_closing(const char* open);

    /// The next call is about a place at or behind this one, which is outside of any string: what
    /// is before it need not be walked through.
    void jump(const char* place) {
        if (place < begin_ + (first_ + count_) * json_block_size) return;
        size_ -= static_cast<std::size_t>(place - begin_);
        begin_ = place;
        first_ = 0;
        count_ = 0;
        const bool has_nul = carry_.has_nul;
        carry_ = {};
        carry_.has_nul = has_nul;
    }

    /// In what has been walked through so far, and in up to a kilobyte behind.
    bool has_nul() const { return carry_.has_nul; }

private:
    static constexpr std::size_t window = 16;

    /// The block of this number; nullptr behind the end. What is before a block that was asked for
    /// may be gone.
    const JsonBlock* find(std::size_t number) {
        while (number >= first_ + count_) {
            if (!look_further()) return nullptr;
        }
        return &blocks_[number - first_];
    }

    bool look_further();

    const char* begin_;
    std::size_t size_;
    LookAtBlocks look_;
    JsonCarry carry_;
    std::size_t first_ = 0;  ///< number of the first block in the window
    std::size_t count_ = 0;  ///< blocks in the window
    std::array<JsonBlock, window> blocks_;
};

}  // namespace k8s
