#include "gang/scheduler.hpp"

#include "gang/engine.hpp"

#include <utility>

namespace gang {

struct Scheduler::State {
    explicit State(config::Schema schema) : engine(std::move(schema)) {}
    Engine engine;
};

Scheduler::Scheduler(config::Schema schema) : state_(std::make_unique<State>(std::move(schema))) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

Decisions Scheduler::step(const StampedEvent& event) {
    return state_->engine.step(event);
}

std::vector<GangView> Scheduler::gangs() const {
    return state_->engine.gangs();
}

std::optional<Explanation> Scheduler::explain(std::string_view pod_or_app) const {
    return state_->engine.explain(pod_or_app);
}

std::optional<Drift> Scheduler::compare(const core::Pod& listed) const {
    return state_->engine.compare(listed);
}

std::optional<Drift> Scheduler::compare(const core::Node& listed) const {
    return state_->engine.compare(listed);
}

void Scheduler::for_each_pod(
    const std::function<void(std::string_view uid, std::string_view name)>& visit) const {
    state_->engine.for_each_pod(visit);
}

std::vector<NodeLedger> Scheduler::ledger() const {
    return state_->engine.ledger();
}

std::size_t Scheduler::remembered() const {
    return state_->engine.remembered();
}

std::vector<core::Account> Scheduler::accounts() const {
    return state_->engine.accounts();
}

const Counters& Scheduler::counters() const {
    return state_->engine.counters();
}

bool Scheduler::is_settled() const {
    return state_->engine.is_settled();
}

Totals Scheduler::totals(std::int64_t now_ms) const {
    return state_->engine.totals(now_ms);
}

}  // namespace gang
