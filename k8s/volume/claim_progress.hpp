#pragma once
// What to do next about one claim whose volume is to be made for a node: a pure decision on each
// state of it that is read. kube-scheduler's VolumeBinding does the same between its choice of a
// node and the bind (PreBind, 1.36).
//
//   nobody's --annotate--> ours --the provisioner makes the volume--> bound
//                           '---- the annotation goes again: not on that node

#include "core/value/claim.hpp"

#include <cstdint>
#include <string>

namespace k8s {

class ClaimProgress {
public:
    enum class Step : std::uint8_t {
        annotate,  ///< write the node to it, on this state of it
        wait,      ///< read it again later
        done,      ///< it has its volume
        give_up    ///< why() says why
    };

    explicit ClaimProgress(std::string node) : node_(std::move(node)) {}

    Step next(const core::Claim& claim);
    /// The annotation was written.
    void annotated() { is_annotated_ = true; }
    const std::string& why() const { return why_; }

private:
    Step give_up(std::string why);

    std::string node_;
    std::string why_;
    bool is_annotated_ = false;
};

}  // namespace k8s
