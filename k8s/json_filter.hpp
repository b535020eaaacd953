#pragma once
// JSON text becomes a small document that holds only what a shape names (json_shape.hpp). The
// parser's events pass a filter that knows where in the document it is; subtrees that nobody reads
// are passed over by find_closing() before the parser sees them. Document, stacks and memory are
// used again and again: after warm-up a parse allocates nothing. Included only from .cpp files,
// because RapidJSON's types are in it.
//
// What the decoders find in the small document is what they would find in the whole one, member by
// member: the first of equal members, the kind of a value of a wrong kind, an element that is no
// object. Only what is passed over is not checked for being JSON beyond its brackets.

#include "core/result.hpp"
#include "k8s/json.hpp"
#include "k8s/json_shape.hpp"
#include "k8s/protocol/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace k8s {

/// RapidJSON's allocator for a stack: one block, kept from parse to parse.
class StackBlock {
public:
    static constexpr bool kNeedFree = false;
    void* Malloc(std::size_t bytes) { return Realloc(nullptr, 0, bytes); }
    void* Realloc(void* old, std::size_t old_bytes, std::size_t bytes);
    static void Free(void*) {}
    void give_back_if_large();

private:
    std::unique_ptr<char[]> block_;
    std::size_t capacity_ = 0;
};

/// One JSON text, whose strings are unescaped in place. The byte behind it must be a NUL.
struct JsonText {
    JsonText(char* begin, std::size_t size);

    char* begin;
    char* end;
    bool ascii;
    bool has_nul;
    bool cut;  ///< it ends inside a character
};

class FilteredParser {
public:
    explicit FilteredParser(std::uint64_t fingerprint_seed);
    ~FilteredParser();
    FilteredParser(const FilteredParser&) = delete;
    FilteredParser& operator=(const FilteredParser&) = delete;

    /// The whole text. The document is valid until the next parse and as long as the text.
    core::Result<core::Done> parse(const JsonText& text, const Shape& shape);

    /// The value that begins at `at`; the answer is where it ends.
    core::Result<char*> parse_value(const JsonText& text, char* at, const Shape& shape);

    const rapidjson::Value& root() const;
    /// Of the contents, apart from their resourceVersion; never 0.
    std::uint64_t fingerprint() const;
    /// Of the contents: all keys and values.
    std::size_t annotation_bytes() const { return annotation_bytes_; }
    /// The root's late array; nullptr if it has none.
    char* late() const { return root_late_; }

private:
    class Handler;
    struct Memory;

    template <unsigned flags>
    core::Result<char*> run(const JsonText& text, char* at, const Shape& shape);

    std::unique_ptr<Memory> memory_;
    protocol::Fingerprint fingerprint_;
    std::size_t annotation_bytes_ = 0;
    char* root_late_ = nullptr;
};

/// Visits the elements of the array that begins at `at`, each a value for parse_value(): the
/// visitor answers where its value ends, or what is wrong with it. Elements that are no objects are
/// an error, and so is whatever stands between them.
core::Result<core::Done> for_each_object(
    const JsonText& text, char* at, const std::function<core::Result<char*>(char*)>& visit);

}  // namespace k8s
