#pragma once
// A quick look at JSON text before the parser gets it: where an object or array ends that nobody
// needs, and whether the text is plain. Strings and their escapes are respected, nothing else is:
// what lies between is not checked. Never reads outside of the text.

#include <string_view>

namespace k8s {

/// The bracket that closes what has been opened right before `text`, outside of any string. Any
/// closing bracket closes any opening one; which of them it must be is the parser's matter. Nesting
/// is counted, not remembered: any depth costs the same. nullptr: it is not closed within the text.
const char* find_closing(std::string_view text);

struct TextTraits {
    bool ascii = true;     ///< no byte above 0x7f: no need to check UTF-8
    bool has_nul = false;  ///< no JSON text has a NUL byte
};
TextTraits look_at(std::string_view text);

/// A sequence of UTF-8 that the text ends in the middle of. RapidJSON takes all of its bytes before
/// it looks at them, up to two past the terminating zero. No JSON ends like that.
bool ends_inside_a_character(std::string_view text);

}  // namespace k8s
