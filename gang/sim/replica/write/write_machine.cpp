#include "gang/sim/replica/write/write_machine.hpp"

#include <utility>

namespace gang::sim {
namespace protocol = k8s::protocol;
namespace {

struct ToStep {
    WriteStep operator()(protocol::PostBinding) const { return Operation::bind; }
    WriteStep operator()(protocol::ReadPod) const { return Operation::get_pod; }
    WriteStep operator()(protocol::SendPatch) const { return Operation::patch_status; }
    WriteStep operator()(protocol::SendEviction) const { return Operation::evict; }
    template <typename Other>
    WriteStep operator()(Other other) const {
        return other;
    }
};

template <typename Action>
WriteStep step_of(Action action) {
    return std::visit(ToStep(), std::move(action));
}

}  // namespace

WriteStep WriteMachine::start(bool may_write) {
    return std::visit([&](auto& machine) { return step_of(machine.start(may_write)); }, machine_);
}

WriteStep WriteMachine::on_waited(bool may_write) {
    return std::visit(
        [&](auto& machine) { return step_of(machine.on_waited(may_write)); }, machine_);
}

WriteStep WriteMachine::on_answer(
    Operation asked, const Answer& answer, bool may_write, std::uint32_t random) {
    if (asked == Operation::get_pod) {
        auto& bind = std::get<protocol::Bind>(machine_);
        const bool is_known = answer.status == 404 || answer.status == 200;
        return step_of(
            is_known ? bind.on_pod(answer.pod, may_write) : bind.on_pod_unreadable(random));
    }
    const protocol::HttpAnswer http{answer.status, answer.message, answer.retry_after_ms};
    return std::visit(
        [&](auto& machine) { return step_of(machine.on_answer(http, random)); }, machine_);
}

WriteStep WriteMachine::on_no_answer(
    Operation asked, bool maybe_sent, const std::string& message, std::uint32_t random) {
    if (asked == Operation::get_pod) {
        return step_of(std::get<protocol::Bind>(machine_).on_pod_unreadable(random));
    }
    return std::visit(
        [&](auto& machine) { return step_of(machine.on_no_answer(maybe_sent, message, random)); },
        machine_);
}

}  // namespace gang::sim
