#pragma once
// What to do next about one claim whose volume is to be made for a node, or that gets one that is
// there: a pure decision on each state of it that is read. kube-scheduler's VolumeBinding does the
// same between its choice of a node and the bind (PreBind, 1.37).
//
//   nobody's --annotate--> ours --the provisioner makes the volume--> bound
//                           '---- the annotation goes again: not on that node
//   nobody's --claim_volume: the volume is ours--> the control plane binds both --> bound

#include "core/value/claim.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace k8s {

class ClaimProgress {
public:
    enum class Step : std::uint8_t {
        annotate,  ///< write the node to it, on this state of it
        claim_volume,  ///< write it to its volume
        wait,      ///< read it again later
        done,      ///< it has its volume
        give_up    ///< why() says why
    };

    explicit ClaimProgress(std::string node) : node_(std::move(node)) {}
    /// It gets this volume; empty: none is left.
    ClaimProgress(std::string node, std::string volume)
        : node_(std::move(node)), volume_(std::move(volume)), is_there_(true) {}

    Step next(const core::Claim& claim);
    /// The annotation was written, or the claim to its volume.
    void written() { is_written_ = true; }
    const std::string& why() const { return why_; }

private:
    Step give_up(std::string why);

    Step next_of_volume(const core::Claim& claim);

    std::string node_;
    std::string volume_;
    std::string why_;
    bool is_there_ = false;
    bool is_written_ = false;
};

}  // namespace k8s
