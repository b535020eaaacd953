#pragma once
// The container images that a node says it has, and the names under which pods ask for them.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// One name of an image that is on a node: an image has a name for each of its tags and digests.
struct NodeImage {
    std::string name;
    std::int64_t bytes = 0;
    friend auto operator<=>(const NodeImage&, const NodeImage&) = default;
};

/// Sorted by name, each name once.
using NodeImages = std::vector<NodeImage>;

/// The first size of a name counts, as in kube-scheduler.
void sort_by_name(NodeImages& images);

/// As nodes name it: with the tag "latest" if it has none. A name with a digest has one.
std::string full_image_name(std::string name);

}  // namespace core
