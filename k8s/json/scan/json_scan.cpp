#include "k8s/json/scan/json_scan.hpp"

#include <algorithm>
#include <cstring>

namespace k8s {

bool JsonScanner::look_further() {
    first_ += count_;
    count_ = 0;
    const std::size_t at = first_ * json_block_size;
    if (at >= size_) return false;
    const std::size_t whole = std::min((size_ - at) / json_block_size, window);
    if (whole > 0) {
        look_(begin_ + at, whole, carry_, blocks_.data());
        count_ = whole;
        return true;
    }
    char last[json_block_size];
    std::memset(last, ' ', sizeof last);
    std::memcpy(last, begin_ + at, size_ - at);
    look_(last, 1, carry_, blocks_.data());
    count_ = 1;
    return true;
}

const char* JsonScanner::find_closing(const char* open) {
    const std::size_t from = static_cast<std::size_t>(open - begin_) + 1;
    std::size_t number = from / json_block_size;
    std::int64_t depth = 1;
    // The first block counts from the bracket on.
    std::uint64_t rest = ~std::uint64_t{0} << from % json_block_size;
    for (const JsonBlock* block = find(number); block != nullptr; block = find(++number)) {
        if (rest == ~std::uint64_t{0} && depth > block->closed) {
            depth += static_cast<std::int64_t>(block->opened) - block->closed;
            continue;
        }
        std::uint64_t opening = block->opening & rest;
        std::uint64_t closing = block->closing & rest;
        rest = ~std::uint64_t{0};
        while (closing != 0) {
            const std::uint64_t first = closing & (~closing + 1);
            for (; (opening & (first - 1)) != 0; opening &= opening - 1) ++depth;
            if (--depth == 0) return begin_ + number * json_block_size + std::countr_zero(first);
            closing &= closing - 1;
        }
        for (; opening != 0; opening &= opening - 1) ++depth;
    }
    return nullptr;
}

}  // namespace k8s
