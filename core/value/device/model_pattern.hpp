#pragma once
// A regular expression for the names of GPU models, as tenants write them: "1070.Ti", "a100|h100".
// Case does not count, and the expression may match anywhere in the name. It is matched by
// following all its states at once (Thompson, 1968), so that no expression takes longer than its
// length times the text's: `(a+)+$` is as quick as any other.
//
// Understood: . [] [^] () (?:) | * + ? {n,m} ^ $ \d \w \s \D \W \S and a backslash before
// punctuation. What is not understood is an error, never a character.

#include "core/base/result.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Of an expression, bytes.
inline constexpr std::size_t model_pattern_max = 256;

class ModelPattern {
public:
    /// The error says what is not understood, and where.
    static Result<ModelPattern> make(std::string_view expression);

    bool matches(std::string_view text) const;

private:
    enum class Op : std::uint8_t { bytes, split, jump, text_begin, text_end, match };
    /// Offsets are from the step itself.
    struct Step {
        Op op = Op::match;
        std::int32_t first = 1;
        std::int32_t second = 1;  ///< of a split
        std::uint32_t bytes = 0;  ///< index into sets_
    };
    using Steps = std::vector<Step>;
    class Parser;
    class Run;

    Steps steps_;
    std::vector<std::bitset<256>> sets_;
};

/// An expression that matches this text alone, wherever it stands.
std::string quote_for_pattern(std::string_view text);

}  // namespace core
