#include "k8s/protocol/write/write_job.hpp"

namespace k8s {

std::string order_key_of(const BindJob& job) {
    return job.request.pod.uid;
}
std::string order_key_of(const PatchJob& job) {
    return job.patch.pod.uid;
}
std::string order_key_of(const EvictJob& job) {
    return job.pod.uid;
}
std::string order_key_of(const FetchJob&) {
    return {};
}
std::string order_key_of(const EventJob&) {
    return {};
}
std::string order_key_of(const ObjectStatusJob&) {
    return {};
}

std::string order_key_of(const WriteJob& job) {
    return std::visit([](const auto& one) { return order_key_of(one); }, job);
}

bool is_awaited_write(const WriteJob& job) {
    if (const auto* patch = std::get_if<PatchJob>(&job)) return static_cast<bool>(patch->done);
    return std::holds_alternative<BindJob>(job) || std::holds_alternative<EvictJob>(job);
}

bool is_droppable(const WriteJob& job) {
    if (const auto* patch = std::get_if<PatchJob>(&job)) return !patch->done;
    return std::holds_alternative<EventJob>(job) || std::holds_alternative<ObjectStatusJob>(job);
}

}  // namespace k8s
