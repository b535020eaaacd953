#pragma once
// Which lists of Kubernetes objects are sets or maps in disguise. Strategic merge patch and
// server-side apply both ask here; a list that is not named is atomic (replaced as a whole).

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

struct ListRule {
    enum class Form { atomic, keyed, set };
    Form form = Form::atomic;
    std::string_view merge_key = {};                ///< strategic merge patch: one key
    std::vector<std::string_view> apply_keys = {};  ///< server-side apply; empty: the merge key
    bool is_atomic_in_apply = false;

    std::vector<std::string_view> keys() const {
        return apply_keys.empty() ? std::vector{merge_key} : apply_keys;
    }
};

/// Rule of the list `field` inside the object that is the value (or an item) of `parent`; the
/// parent of a top-level field is empty.
ListRule list_rule(const Kind& kind, std::string_view parent, std::string_view field);

/// The key's value in an item; a port without a protocol is TCP.
Json key_value(const Json& item, std::string_view key);

}  // namespace k8s::embedded
