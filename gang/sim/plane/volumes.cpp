#include "gang/sim/plane/volumes.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

constexpr int shared_claims = 3;
constexpr int one_pod_claims = 2;
constexpr int failing_percent = 15;  ///< of the volumes: cannot be made on that node
constexpr std::int64_t mishap_gap_ms = 30'000;
/// A pod has no more, so that every node can take it.
constexpr std::int64_t claims_max = 2;

std::string claim_name(const Call& call) {
    return call.pod.namespace_name + "/" + call.pod.name;
}

}  // namespace

void Volumes::begin() {
    if (!world_.plan.has_volumes) {
        return;
    }
    for (NodeId node = 0; node < static_cast<NodeId>(world_.plan.nodes); ++node) {
        if (world_.random.percent(70)) {
            limits_[node] = world_.random.between(claims_max, 4);
        }
    }
    first_limits_ = limits_;
    for (int i = 0; i < shared_claims; ++i) {
        add_bound("t1/s" + std::to_string(i), false);
    }
    for (int i = 0; i < one_pod_claims; ++i) {
        add_bound("t1/o" + std::to_string(i), true);
    }
    world_.queue.plan(
        world_.now_ms + world_.random.between(1'000, mishap_gap_ms), Happening::volume_mishap);
}

/// At least half of the nodes, so that one of them has room some time.
void Volumes::add_bound(const std::string& claim, bool one_pod) {
    Record record;
    record.claim.state = core::ClaimState::bound;
    record.claim.volume = claim;
    record.claim.driver = volume_driver;
    record.claim.handle = claim;
    record.claim.one_pod = one_pod;
    std::set<NodeId> nodes;
    const auto count = static_cast<NodeId>(world_.plan.nodes);
    const auto first = static_cast<NodeId>(world_.random.below(count));
    for (NodeId i = 0; i < count / 2 + 1; ++i) {
        nodes.insert((first + i) % count);
    }
    pin(record, std::move(nodes));
    claims_[claim] = std::move(record);
}

void Volumes::pin(Record& record, std::set<NodeId> nodes) {
    record.nodes = std::move(nodes);
    core::NodeSelectorTerm term;
    term.match_fields = {{"metadata.name", core::SelectorOperator::in, {}}};
    for (const NodeId node : record.nodes) {
        term.match_fields[0].values.push_back("n" + std::to_string(node));
    }
    record.claim.nodes = {{core::VolumeRule::affinity, {std::move(term)}}};
}

/// One that is there at most: two may have no node in common.
void Volumes::give_claims(core::Pod& pod) {
    Random& random = world_.random;
    // Cards, or rules between pods, may want it elsewhere than its volume can be: it would wait for ever.
    if (!world_.plan.has_volumes || random.percent(30) || pod.rules.has_value() ||
        pod.requests.extended_amount(card_resource) > 0) {
        return;
    }
    std::vector<core::ClaimUse> uses;
    if (random.percent(50)) {
        uses.push_back({"s" + std::to_string(random.below(shared_claims)), false});
    } else if (random.percent(30)) {
        uses.push_back({"o" + std::to_string(random.below(one_pod_claims)), false});
    }
    if (uses.empty() || random.percent(30)) {
        const std::string own = "w" + std::to_string(++made_);
        add_own(pod.namespace_name + "/" + own, {});
        uses.push_back({own, false});
    }
    std::sort(uses.begin(), uses.end());
    // It may be the only pod that a small node takes.
    pod.requests.cpu_milli = std::min<std::int64_t>(pod.requests.cpu_milli, 300);
    pod.claims = std::move(uses);
}

void Volumes::add_own(const std::string& claim, const std::string& owner_uid) {
    Record record;
    record.claim.state = core::ClaimState::consumer;
    record.claim.storage_class = volume_class;
    record.claim.driver = volume_driver;
    record.claim.owner_uid = owner_uid;
    claims_[claim] = std::move(record);
}

void Volumes::mishap() {
    if (world_.faults.is_calm() || limits_.empty()) {
        return;
    }
    auto chosen = limits_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(world_.random.below(limits_.size())));
    ++chosen->second;
    const NodeId node = chosen->first;
    world_.record.say([node] { return "n" + std::to_string(node) + " can attach one more"; });
    for (std::uint32_t i = 0; i < world_.replicas.size(); ++i) {
        if (world_.replicas[i].is_running()) {
            world_.replicas[i].process().clients.volumes.limit_changes(node);
        }
    }
    world_.queue.plan(
        world_.now_ms + world_.random.between(1'000, mishap_gap_ms), Happening::volume_mishap);
}

void Volumes::read(Call& call) const {
    if (call.pod.namespace_name.empty()) {
        const bool is_there = call.pod.name == volume_class;
        call.answer.status = is_there ? 200 : 404;
        call.answer.claim.state = core::ClaimState::consumer;
        call.answer.claim.storage_class = volume_class;
        call.answer.claim.driver = volume_driver;
        return;
    }
    const Record* const found = find(claim_name(call));
    call.answer.status = found == nullptr ? 404 : 200;
    if (found != nullptr) {
        call.answer.claim = found->claim;
    }
}

void Volumes::select_node(Call& call) {
    const std::string name = claim_name(call);
    const auto found = claims_.find(name);
    if (found == claims_.end()) {
        call.answer.status = 404;
        return;
    }
    core::Claim& claim = found->second.claim;
    if (claim.state == core::ClaimState::consumer && claim.selected_node.empty()) {
        claim.selected_node = call.node;
        core::NodeSelectorTerm term;
        term.match_fields = {{"metadata.name", core::SelectorOperator::in, {call.node}}};
        claim.nodes = {{core::VolumeRule::unreachable, {std::move(term)}}};
        waiting_.push_back(name);
        world_.queue.plan(
            world_.now_ms + world_.random.long_tail(20, 20'000),
            Happening::volume_made,
            static_cast<std::uint32_t>(waiting_.size() - 1));
    }
    call.answer.status = 200;
    call.answer.claim = claim;
}

void Volumes::make(std::uint32_t number) {
    Record& record = claims_.at(waiting_[number]);
    core::Claim& claim = record.claim;
    const NodeId node = number_of(claim.selected_node);
    const bool fails = world_.store.find_node(node) == nullptr ||
                       (!world_.faults.is_calm() && world_.random.percent(failing_percent));
    if (fails) {
        claim.selected_node.clear();
        claim.nodes.clear();
        return;
    }
    ++world_.record.counts.volumes_made;
    claim.state = core::ClaimState::bound;
    claim.volume = waiting_[number];
    claim.handle = waiting_[number];
    const auto other = static_cast<NodeId>(
        world_.random.below(static_cast<std::uint64_t>(world_.plan.nodes)));
    pin(record, {node, other});
}

core::NodeVolumeLimits Volumes::limits_of(NodeId node) const {
    core::NodeVolumeLimits made{"n" + std::to_string(node), {}};
    if (const auto found = limits_.find(node); found != limits_.end()) {
        made.limits.push_back({volume_driver, found->second});
    }
    return made;
}

std::vector<core::NodeVolumeLimits> Volumes::limits() const {
    std::vector<core::NodeVolumeLimits> all;
    for (const auto& [node, count] : limits_) {
        all.push_back(limits_of(node));
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t Volumes::limit(NodeId node) const {
    const auto found = limits_.find(node);
    return found == limits_.end() ? -1 : found->second;
}

std::int64_t Volumes::first_limit(NodeId node) const {
    const auto found = first_limits_.find(node);
    return found == first_limits_.end() ? -1 : found->second;
}

const Volumes::Record* Volumes::find(const std::string& claim) const {
    const auto found = claims_.find(claim);
    return found == claims_.end() ? nullptr : &found->second;
}

}  // namespace gang::sim
