#include "core/value/image/node_images.hpp"

#include <algorithm>

namespace core {

void sort_by_name(NodeImages& images) {
    std::stable_sort(images.begin(), images.end(), [](const NodeImage& a, const NodeImage& b) {
        return a.name < b.name;
    });
    const auto is_same = [](const NodeImage& a, const NodeImage& b) { return a.name == b.name; };
    images.erase(std::unique(images.begin(), images.end(), is_same), images.end());
}

/// A colon before the last slash is that of a port.
std::string full_image_name(std::string name) {
    const auto colon = name.rfind(':');
    const auto slash = name.rfind('/');
    const bool has_tag =
        colon != std::string::npos && (slash == std::string::npos || colon > slash);
    if (!has_tag) name += ":latest";
    return name;
}

}  // namespace core
