#pragma once
// Strings with escapes or characters beyond ASCII, and numbers that are more than a few digits:
// one at a time, by RapidJSON's reader. Included only from .cpp files.

#include "core/base/result.hpp"
#include "k8s/json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace k8s {

enum class JsonKind : std::uint8_t {
    null,
    false_value,
    true_value,
    integer,  ///< `bits` is an int64
    natural,  ///< `bits` is an uint64
    real,     ///< `bits` is a double
    text,
    key,
    object,
    object_end,
    array,
    array_end
};

struct JsonScalar {
    JsonKind kind = JsonKind::null;
    std::uint64_t bits = 0;  ///< of a number
    std::string_view text;   ///< of a string, unescaped
};

class JsonScalarReader {
public:
    /// The scalar that this is from its first byte to its last; nothing if it is none. The text of
    /// a string is valid until the next call.
    std::optional<JsonScalar> read(std::string_view source);

    void give_back_if_large();

private:
    class Handler;
    std::vector<char> text_;
    rapidjson::Reader reader_;
};

}  // namespace k8s
