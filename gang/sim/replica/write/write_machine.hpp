#pragma once
// The machine of one write, be it a bind, a patch of a status or an eviction: the product's own,
// and what each wants next as one type.

#include "gang/sim/base/call.hpp"
#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/evict.hpp"
#include "k8s/protocol/status.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace gang::sim {

/// Ask for that, wait so long, or it has ended.
using WriteStep = std::variant<
    Operation,
    k8s::protocol::Wait,
    k8s::protocol::BindFinished,
    k8s::protocol::PatchFinished,
    k8s::protocol::EvictionFinished>;

class WriteMachine {
public:
    using Machine =
        std::variant<k8s::protocol::Bind, k8s::protocol::StatusWrite, k8s::protocol::Evict>;

    explicit WriteMachine(Machine machine) : machine_(std::move(machine)) {}

    WriteStep start(bool may_write);
    WriteStep on_waited(bool may_write);
    /// `asked`: what it is an answer to.
    WriteStep on_answer(
        Operation asked, const Answer& answer, bool may_write, std::uint32_t random);
    WriteStep on_no_answer(
        Operation asked, bool maybe_sent, const std::string& message, std::uint32_t random);

private:
    Machine machine_;
};

}  // namespace gang::sim
