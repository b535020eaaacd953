#include "gang/app/api/snapshot.hpp"

#include "gang/app/show/queue_report.hpp"
#include "k8s/base/time.hpp"

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

constexpr std::int64_t kept_ms_min = 250;
/// Making takes at most 1/100 of the time.
constexpr std::int64_t kept_for_cost = 100;

class Digest {
public:
    template <typename... T>
    void add(const T&... values) {
        (boost::hash_combine(state_, values), ...);
    }
    void add_amounts(const core::Resources& resources) {
        add(resources.cpu_milli, resources.memory_bytes, resources.ephemeral_bytes);
        for (const core::ExtendedResource& entry : resources.extended) {
            add(entry.name, entry.amount);
        }
    }
    std::string text() const { return fmt::format("{:016x}", state_); }

private:
    std::size_t state_ = 0;
};

void add_gang(Digest& digest, const GangView& gang) {
    digest.add(gang.namespace_name, gang.driver, gang.driver_uid, gang.application, gang.message);
    digest.add(static_cast<int>(gang.state), static_cast<int>(gang.code), gang.position);
    digest.add(gang.executors, gang.slots_open, gang.slots_assumed, gang.slots_bound);
    digest.add(gang.waiting_since_ms);
    digest.add_amounts(gang.needs);
}

void add_node(Digest& digest, const NodeLedger& node) {
    digest.add(node.name, node.is_present, node.adds_up);
    digest.add(node.pods_allocatable, node.pods_bound, node.pods_free);
    for (const core::Resources* amounts :
         {&node.allocatable, &node.bound, &node.held, &node.free}) {
        digest.add_amounts(*amounts);
    }
    for (const HeldUnit& unit : node.units) {
        digest.add(unit.gang, unit.slot, static_cast<int>(unit.state), unit.since_ms);
    }
}

std::string digest_of(const Snapshot& snapshot) {
    Digest digest;
    digest.add(snapshot.standing.leads, snapshot.standing.leader, snapshot.synced);
    digest.add(snapshot.gangs.size(), snapshot.nodes.size());
    for (const GangView& gang : snapshot.gangs) {
        add_gang(digest, gang);
    }
    for (const NodeLedger& node : snapshot.nodes) {
        add_node(digest, node);
    }
    for (const QueueView& queue : snapshot.queues) {
        digest.add(to_json(queue));
    }
    return digest.text();
}

}  // namespace

void Snapshots::make() {
    Snapshot made;
    made_at_ = source_.changes();
    made.standing = source_.standing();
    made.synced = source_.synced();
    made.unix_ms = k8s::unix_ms();
    if (made.standing.leads) {
        made.gangs = source_.gangs();
        made.nodes = source_.nodes();
        made.queues = source_.queues();
    }
    made.id = digest_of(made);
    kept_ = std::move(made);
}

const Snapshot& Snapshots::current() {
    asked_ = true;
    const std::int64_t now = k8s::monotonic_ms();
    const bool is_due = !kept_ || now >= good_until_ms_;
    const bool may_differ = !kept_ || source_.changes() != made_at_ ||
                            !(source_.standing() == kept_->standing) ||
                            source_.synced() != kept_->synced;
    if (is_due && may_differ) {
        make();
        const std::int64_t end = k8s::monotonic_ms();
        good_until_ms_ = end + std::max(kept_ms_min, (end - now) * kept_for_cost);
    }
    return *kept_;
}

bool Snapshots::give_up_unused() {
    if (std::exchange(asked_, false)) {
        return true;
    }
    kept_.reset();
    return false;
}

}  // namespace gang::app
