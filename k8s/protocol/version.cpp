#include "k8s/protocol/version.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {

bool is_version(std::string_view text) {
    return !text.empty() && text.front() != '0' &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::partial_ordering compare_versions(std::string_view a, std::string_view b) {
    if (!is_version(a) || !is_version(b)) return std::partial_ordering::unordered;
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

}  // namespace k8s::protocol
