#include "k8s/embedded/kubelet/referee.hpp"

#include "core/filter/filters.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/exclusive.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace k8s::embedded {
namespace {

struct Amount {
    std::string name;
    std::int64_t requested = 0;
    std::int64_t used = 0;
    std::int64_t capacity = 0;

    // Written so that no sum of hostile numbers can overflow.
    bool is_short() const { return requested > 0 && requested > capacity - used; }
};

Refusal out_of(const Amount& amount) {
    return {
        "OutOf" + amount.name,
        fmt::format(
            "Pod was rejected: Node didn't have enough resource: {}, requested: {}, used: {}, "
            "capacity: {}",
            amount.name,
            amount.requested,
            amount.used,
            amount.capacity)};
}

Refusal failed_predicate(const char* name) {
    return {name, fmt::format("Pod was rejected: Predicate {} failed", name)};
}

}  // namespace

core::Resources Referee::used() const {
    core::Resources total;
    for (const auto& [uid, request] : admitted_) {
        auto next = core::sum(total, request);
        ENSURE(next);  // each was admitted within the node's capacity
        total = std::move(*next);
    }
    return total;
}

std::optional<Refusal> Referee::find_shortage(const core::Resources& request) const {
    const core::Resources& room = node_.allocatable;
    const core::Resources taken = used();
    const auto pods_now = static_cast<std::int64_t>(admitted_.size());
    const Amount pods{"pods", 1, pods_now, node_.pods};
    if (pods.is_short()) return out_of(pods);
    const Amount cpu{"cpu", request.cpu_milli, taken.cpu_milli, room.cpu_milli};
    if (cpu.is_short()) return out_of(cpu);
    const Amount memory{"memory", request.memory_bytes, taken.memory_bytes, room.memory_bytes};
    if (memory.is_short()) return out_of(memory);
    const Amount disk{
        "ephemeral-storage", request.ephemeral_bytes, taken.ephemeral_bytes, room.ephemeral_bytes};
    if (disk.is_short()) return out_of(disk);
    for (const core::ExtendedResource& wanted : request.extended) {
        if (core::is_exclusive(wanted.name) || core::is_card_ask(wanted.name)) continue;
        const Amount card{
            wanted.name,
            wanted.amount,
            taken.extended_amount(wanted.name),
            room.extended_amount(wanted.name)};
        if (card.is_short()) return out_of(card);
    }
    return std::nullopt;
}

bool Referee::has_taken_port(const core::Resources& request) const {
    const core::Resources taken = used();
    return std::any_of(
        request.extended.begin(), request.extended.end(), [&taken](const auto& wanted) {
            return core::is_host_port(wanted.name) &&
                   wanted.amount > core::exclusive_all - taken.extended_amount(wanted.name);
        });
}

std::optional<Refusal> Referee::admit(const core::Pod& pod) {
    if (admitted_.contains(pod.uid)) return std::nullopt;
    if (!pod.problem.empty()) {
        return Refusal{"UnexpectedAdmissionError", "Pod was rejected: " + pod.problem};
    }
    if (auto shortage = find_shortage(pod.requests)) return shortage;
    const bool fits_labels = core::matches_node_selector(node_, pod.constraints->node_selector) &&
                             core::matches_required_affinity(node_, pod.constraints);
    if (!fits_labels) return failed_predicate("NodeAffinity");
    if (has_taken_port(pod.requests)) return failed_predicate("NodePorts");
    admitted_.emplace(pod.uid, pod.requests);
    return std::nullopt;
}

}  // namespace k8s::embedded
