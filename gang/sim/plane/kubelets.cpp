#include "gang/sim/plane/kubelets.hpp"

#include "gang/sim/world.hpp"

#include <string>

namespace gang::sim {
namespace {
const Author kubelet{Actor::kubelet, nobody, 0, 0, 0, 0};
const Author controller{Actor::controller, nobody, 0, 0, 0, 0};
constexpr std::int64_t stall_ms_max = 90'000;
}  // namespace

void Kubelets::count(Known& known, int sign) {
    if (known.node >= nodes_.size()) {
        nodes_.resize(known.node + 1);
    }
    Used& used = nodes_[known.node];
    used.cpu_milli += sign * known.cpu_milli;
    used.memory_bytes += sign * known.memory_bytes;
    used.gpus += sign * known.gpus;
    used.ports += sign * known.ports;
    used.units += sign * known.units;
    used.pods += sign;
    known.is_admitted = sign > 0;
}

void Kubelets::pod_changed(const Entry<core::Pod>& entry) {
    if (entry.id >= pods_.size()) {
        pods_.resize(entry.id + 1);
    }
    Known& known = pods_[entry.id];
    const core::Pod& pod = entry.object;
    const bool is_over = entry.change == Change::deleted || core::is_terminal(pod);
    if (is_over) {
        if (known.is_admitted) {
            plugins_.release(entry.id);
            count(known, -1);
        }
        return;
    }
    if (!pod.node_name.empty() && !known.is_planned) {
        known.is_planned = true;
        known.node = number_of(pod.node_name);
        known.cpu_milli = pod.requests.cpu_milli;
        known.memory_bytes = pod.requests.memory_bytes;
        known.gpus = pod.requests.extended_amount(gpu_resource);
        known.ports = wants_host_port(pod.requests) ? 1 : 0;
        known.units = pod.requests.extended_amount(card_resource);
        std::int64_t after_ms = world_.random.between(2, 400);
        if (world_.faults.strikes(Fault::kubelet_stalls)) {
            after_ms += world_.random.long_tail(1'000, stall_ms_max);
        }
        world_.queue.plan(world_.now_ms + after_ms, Happening::kubelet_admits, entry.id);
    }
}

void Kubelets::admit(PodId id) {
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr || core::is_terminal(*pod) || pod->deleting) {
        return;
    }
    Known& known = pods_[id];
    const core::Node* node = world_.store.find_node(known.node);
    if (node == nullptr) {
        // Bound to a node that is gone: the garbage collector finds it.
        world_.queue.plan(
            world_.now_ms + world_.random.between(1'000, 20'000), Happening::kubelet_ends, id);
        return;
    }
    if (!node->ready) {
        world_.queue.plan(world_.now_ms + 2'000, Happening::kubelet_admits, id);
        return;
    }
    if (known.node >= nodes_.size()) {
        nodes_.resize(known.node + 1);
    }
    const Used& used = nodes_[known.node];
    const bool fits = used.cpu_milli + known.cpu_milli <= node->allocatable.cpu_milli &&
                      used.memory_bytes + known.memory_bytes <= node->allocatable.memory_bytes &&
                      used.gpus + known.gpus <= node->allocatable.extended_amount(gpu_resource) &&
                      used.units + known.units <=
                          node->allocatable.extended_amount(card_resource) &&
                      used.ports + known.ports <= 1 && used.pods + 1 <= node->pods;
    if (!fits || world_.faults.strikes(Fault::kubelet_refuses)) {
        world_.record.counts.kubelet_refusals += fits ? 0 : 1;
        world_.writes.change_pod(id, kubelet, [](core::Pod& refused) {
            refused.phase = core::PodPhase::failed;
            refused.failure = "OutOfcpu";
        });
        world_.writes.delete_pod(id, {Actor::spark}, 0);
        return;
    }
    count(known, 1);
    const core::StringMap words = plugins_.allocate(id, *pod, *node);
    world_.writes.change_pod(id, kubelet, [&words](core::Pod& runs) {
        runs.phase = core::PodPhase::running;
        merge_annotations(runs, words);
    });
    if (world_.cluster.applications.find(id) == nobody &&
        world_.cluster.group_jobs.find(id) == nobody) {  // a lone pod, which does its work and ends
        world_.queue.plan(
            world_.now_ms + world_.random.between(1'000, 30'000), Happening::kubelet_ends, id);
    }
}

void Kubelets::end(PodId id) {
    if (world_.store.find_pod(id) != nullptr) {
        world_.writes.remove_pod(id, kubelet);
    }
}

void Kubelets::node_removed(NodeId node) {
    for (PodId id = 0; id < pods_.size(); ++id) {
        if (pods_[id].node == node && world_.store.find_pod(id) != nullptr) {
            world_.queue.plan(
                world_.now_ms + world_.random.between(500, 40'000), Happening::kubelet_ends, id);
        }
    }
}

void Kubelets::collect(PodId owner) {
    const ApplicationId application = world_.cluster.applications.find(owner);
    for (PodId id = 0; id < world_.store.pods.size(); ++id) {
        if (id != owner && world_.cluster.applications.find(id) == application) {
            world_.writes.delete_pod(id, controller, world_.random.between(20, 5'000));
        }
    }
}

}  // namespace gang::sim
