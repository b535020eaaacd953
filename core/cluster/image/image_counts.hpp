#pragma once
// Which images the nodes have, for profiles with the score ImageLocality. A name is kept once, for
// all nodes; without such a profile nobody tells of images, and nothing is kept.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/value/account.hpp"
#include "core/value/image/node_images.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace core {

class ImageCounts {
public:
    /// What the node has now, instead of what it had. False: it is the same.
    bool set(NodeIndex node, const NodeImages& images);
    /// The node went.
    void forget(NodeIndex node) { set(node, {}); }

    /// kube-scheduler's ImageLocality: 0 to 100 for a pod with a container for each of `images`.
    /// The more bytes of them are on the node, the better; an image counts for less if few of the
    /// `nodes` have it, or all pods would go to these.
    std::int64_t score(
        NodeIndex node, const std::vector<std::string>& images, std::size_t nodes) const;

    /// Distinct names.
    std::size_t size() const { return names_.size(); }

    /// References to names, and who holds them.
    Account account() const;

    friend bool operator==(const ImageCounts&, const ImageCounts&) = default;

private:
    /// 16 bytes: there is one for each name of each node.
    struct Held {
        ImageId image;
        std::int64_t bytes = 0;
        friend bool operator==(const Held&, const Held&) = default;
    };

    Interner<std::string, ImageId> names_;          ///< one reference for each node that has it
    std::map<NodeIndex, std::vector<Held>> held_;  ///< sorted by image; of nodes that have any
};

}  // namespace core
