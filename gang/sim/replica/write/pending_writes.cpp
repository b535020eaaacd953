#include "gang/sim/replica/write/pending_writes.hpp"

#include "core/base/result.hpp"

#include <utility>

namespace gang::sim {
namespace {

PodRef ref_of(const k8s::PodName& pod) {
    return {pod.namespace_name, pod.name, pod.uid};
}

PodRef pod_of(const k8s::WriteJob& job) {
    if (const auto* bind = std::get_if<k8s::BindJob>(&job)) {
        return ref_of(bind->request.pod);
    }
    if (const auto* patch = std::get_if<k8s::PatchJob>(&job)) {
        return ref_of(patch->patch.pod);
    }
    if (const auto* eviction = std::get_if<k8s::EvictJob>(&job)) {
        return ref_of(eviction->pod);
    }
    const auto& fetch = std::get<k8s::FetchJob>(job);
    return {fetch.namespace_name, {}, fetch.name};
}

}  // namespace

std::uint32_t PendingWrites::add(k8s::WriteJob asked) {
    std::uint32_t id = 0;
    if (free_.empty()) {
        id = static_cast<std::uint32_t>(writes_.size());
        writes_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
        const std::uint32_t serial = writes_[id].wake_serial;
        writes_[id] = PendingWrite{};
        writes_[id].wake_serial = serial + 1;
    }
    ENSURE(id <= id_max);
    PendingWrite& write = writes_[id];
    write.asked = std::move(asked);
    write.pod = pod_of(write.asked);
    droppable_ += k8s::is_droppable(write.asked) ? 1 : 0;
    return id;
}

void PendingWrites::remove(std::uint32_t id) {
    droppable_ -= k8s::is_droppable(writes_[id].asked) ? 1 : 0;
    free_.push_back(id);
}

std::optional<std::uint32_t> PendingWrites::find(std::uint32_t tag) const {
    const std::uint32_t id = tag & id_max;
    return tag == tag_of(id) ? std::optional(id) : std::nullopt;
}

void PendingWrites::resume(std::uint32_t id) {
    writes_[id].is_delayed = false;
    resumed_.push_back(id);
}

std::optional<std::uint32_t> PendingWrites::take_resumed() {
    if (resumed_.empty()) {
        return std::nullopt;
    }
    const std::uint32_t id = resumed_.front();
    resumed_.pop_front();
    return id;
}

void PendingWrites::give_up_conditions(const std::string& uid) {
    for (std::uint32_t id = 0; id < writes_.size(); ++id) {
        PendingWrite& write = writes_[id];
        if (write.is_delayed && k8s::is_droppable(write.asked) && write.pod.uid == uid) {
            write.is_given_up = true;
            ++write.wake_serial;  // what wakes it later is for nobody
            resume(id);
        }
    }
}

}  // namespace gang::sim
