#include "core/cluster/image/image_counts.hpp"

#include <algorithm>
#include <utility>

namespace core {

namespace {

// The numbers of imagelocality/image_locality.go, 1.37.
constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::int64_t least_bytes = 23 * mebibyte;
constexpr std::int64_t most_bytes_per_container = 1000 * mebibyte;
constexpr std::int64_t best = 100;

/// With its floating point.
std::int64_t scaled(std::int64_t bytes, std::uint64_t nodes_with, std::size_t nodes) {
    const double spread = static_cast<double>(nodes_with) / static_cast<double>(nodes);
    return static_cast<std::int64_t>(static_cast<double>(bytes) * spread);
}

}  // namespace

bool ImageCounts::set(NodeIndex node, const NodeImages& images) {
    if (images.empty() && held_.empty()) return false;
    std::vector<Held> now;
    now.reserve(images.size());
    for (const NodeImage& image : images) {
        // No image of a real node comes near this, and sums of many must not overflow.
        const std::int64_t bytes = std::clamp<std::int64_t>(image.bytes, 0, std::int64_t{1} << 50);
        now.push_back({names_.intern(image.name).id, bytes});
    }
    std::sort(now.begin(), now.end(), [](const Held& a, const Held& b) { return a.image < b.image; });
    const auto found = held_.find(node);
    std::vector<Held> before =
        found == held_.end() ? std::vector<Held>() : std::exchange(found->second, {});
    for (const Held& one : before) names_.release(one.image);
    const bool is_other = now != before;
    if (!now.empty()) {
        held_[node] = std::move(now);
    } else if (found != held_.end()) {
        held_.erase(found);
    }
    return is_other;
}

std::int64_t ImageCounts::score(
    NodeIndex node, const std::vector<std::string>& images, std::size_t nodes) const {
    const auto held = held_.find(node);
    if (held == held_.end() || images.empty() || nodes == 0) return 0;
    std::int64_t sum = 0;
    for (const std::string& name : images) {
        const auto id = names_.find(name);
        if (!id) continue;
        const auto here = std::lower_bound(
            held->second.begin(), held->second.end(), *id, [](const Held& one, ImageId wanted) {
                return one.image < wanted;
            });
        if (here == held->second.end() || here->image != *id) continue;
        sum += scaled(here->bytes, names_.references(*id), nodes);
    }
    const std::int64_t most =
        most_bytes_per_container * static_cast<std::int64_t>(images.size());
    return best * (std::clamp(sum, least_bytes, most) - least_bytes) / (most - least_bytes);
}

Account ImageCounts::account() const {
    std::uint64_t held = 0;
    for (const auto& [node, images] : held_) held += images.size();
    return {"image names", names_.references(), held};
}

}  // namespace core
