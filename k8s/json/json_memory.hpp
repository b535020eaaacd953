#pragma once
// What a FilteredParser parses into, kept from parse to parse: the tape, and the document that is
// made of it on demand. Included only from .cpp files.

#include "k8s/json/json.hpp"
#include "k8s/json/scan/json_scalar.hpp"
#include "k8s/json/scan/json_tape.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace k8s {

/// RapidJSON's allocator for a stack: one block, kept from parse to parse.
class JsonStackBlock {
public:
    void* Malloc(std::size_t bytes) { return Realloc(nullptr, 0, bytes); }
    void* Realloc(void*, std::size_t old_bytes, std::size_t bytes) {
        if (bytes > capacity_) {
            auto larger = std::make_unique_for_overwrite<char[]>(bytes);
            if (old_bytes > 0) std::memcpy(larger.get(), block_.get(), old_bytes);
            block_ = std::move(larger);
            capacity_ = bytes;
        }
        return block_.get();
    }
    static void Free(void*) {}
    void give_back_if_large() {
        if (capacity_ <= stack_bytes_kept) return;
        block_.reset();
        capacity_ = 0;
    }

private:
    static constexpr std::size_t stack_bytes_kept = 1024 * 1024;

    std::unique_ptr<char[]> block_;
    std::size_t capacity_ = 0;
};

using JsonDocument =
    rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<>, JsonStackBlock>;

struct JsonMemory {
    static constexpr std::size_t pool_bytes = 64 * 1024;
    static constexpr std::size_t stack_bytes = 16 * 1024;

    JsonMemory()
        : buffer(std::make_unique_for_overwrite<char[]>(pool_bytes)),
          pool(buffer.get(), pool_bytes),
          document(&pool, stack_bytes, &stack) {}

    void clear() {
        document.SetNull();
        is_made = false;
        pool.Clear();
        stack.give_back_if_large();
        tape.clear();
        tape.give_back_if_large();
        scalars.give_back_if_large();
    }

    std::unique_ptr<char[]> buffer;
    JsonStackBlock stack;
    rapidjson::MemoryPoolAllocator<> pool;
    JsonDocument document;
    bool is_made = false;  ///< the document, of the tape
    JsonTape tape;
    JsonScalarReader scalars;
};

}  // namespace k8s
