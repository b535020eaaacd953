#include "gang/sim/replica/replica.hpp"

#include "gang/sim/scheduler_schema.hpp"
#include "gang/sim/world.hpp"

namespace gang::sim {

Replica::Replica(World& world, std::uint32_t index)
    : schema(original_schema(world.plan)), world_(world), index_(index) {}

void Replica::start() {
    start_planned_ = false;
    ++life_;
    paused_until_ms_ = 0;
    exits_ = false;
    is_orderly_ = false;
    world_.checker_suite.process_started(index_);
    process_ = std::make_unique<Process>(world_, index_, life_, clock, schema);
    process_->start();
}

void Replica::crash(std::int64_t restart_ms) {
    process_.reset();
    exits_ = false;
    paused_until_ms_ = 0;
    world_.cluster.api.forget_replica(index_);
    if (!start_planned_) {
        start_planned_ = true;
        world_.queue.plan(world_.now_ms + restart_ms, Happening::replica_starts, index_);
    }
}

void Replica::leave() {
    exits_ = true;
    is_orderly_ = true;
}

void Replica::end_if_asked() {
    if (exits_ && process_ != nullptr) {
        world_.record.counts.exits += is_orderly_ ? 0 : 1;
        crash(world_.random.between(200, 8'000));
    }
}

void Replica::pause(std::int64_t ms) {
    paused_until_ms_ = world_.now_ms + ms;
}

void Replica::answered(const Call& call) {
    if (call.ticket >= Clients::first_ticket) {
        process_->clients.answered(call);
    } else if (call.ticket >= Writer::first_ticket) {
        process_->writer.answered(call);
    } else if (call.ticket == Elector::ticket) {
        process_->elector.answered(call);
    } else {
        process_->watches.of(call.ticket == 1).answered(call);
    }
}

template <typename Object>
void Replica::watch_event(const Entry<Object>& entry) {
    process_->watches.of(std::is_same_v<Object, core::Node>).event(entry);
}
template void Replica::watch_event(const Entry<core::Pod>& entry);
template void Replica::watch_event(const Entry<core::Node>& entry);

void Replica::watch_bookmark(bool is_of_nodes, const std::string& version) {
    process_->watches.of(is_of_nodes).bookmark(version);
}

void Replica::watch_failed(bool is_of_nodes, const k8s::protocol::Trouble& trouble) {
    process_->watches.of(is_of_nodes).failed(trouble);
}

void Replica::watch_closed(bool is_of_nodes, bool is_clean) {
    process_->watches.of(is_of_nodes).closed(is_clean);
}

}  // namespace gang::sim
