#include "gang/sim/autoscaler/autoscaler.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
constexpr std::int64_t mebibyte = 1024LL * 1024;
constexpr std::int64_t scan_ms = 10'000;
constexpr std::int64_t empty_ms_max = 30'000;
constexpr int without_kind_percent = 7;
const Author cluster_autoscaler{Actor::controller, nobody, 0, 0, 0, 0};

std::string pool_of(const core::Constraints& constraints) {
    for (const auto& [key, value] : constraints.node_selector) {
        if (key == pool_label) {
            return value;
        }
    }
    return {};
}

}  // namespace

std::int64_t Autoscaler::Demand::count() const {
    std::int64_t sum = 0;
    for (const Shape& shape : shapes) {
        sum += shape.is_asked() ? shape.count : 0;
    }
    return sum;
}

bool Autoscaler::Demand::is_nothing() const {
    return !has_request && std::none_of(shapes.begin(), shapes.end(), [](const Shape& shape) {
        return shape.has_template || shape.count > 0;
    });
}

void Autoscaler::begin() {
    if (!world_.plan.has_autoscaler) {
        return;
    }
    has_kind_ = !world_.random.percent(without_kind_percent);
    nodes_max_ = static_cast<int>(world_.random.between(4, 12));
    world_.queue.plan(scan_ms, Happening::autoscaler_scans);
}

core::Node Autoscaler::node_for(const std::string& pool) const {
    core::Node node;
    node.allocatable.cpu_milli = 1'000 * std::max<std::int64_t>(4, world_.plan.node_cpu_max);
    node.allocatable.memory_bytes =
        gibibyte * 4 * std::max<std::int64_t>(4, world_.plan.node_cpu_max);
    node.pods = 110;
    node.ready = true;
    if (!pool.empty()) {
        node.labels = {{std::string(pool_label), pool}};
    }
    return node;
}

const Autoscaler::Demand* Autoscaler::find(const std::string& driver_uid) const {
    const auto found = demands_.find(driver_uid);
    return found == demands_.end() ? nullptr : &found->second;
}

bool Autoscaler::is_bought(NodeId node) const {
    return node >= static_cast<NodeId>(world_.plan.nodes);
}

std::int64_t Autoscaler::there() const {
    std::int64_t count = 0;
    for (NodeId node = 0; node < world_.store.nodes.size(); ++node) {
        count += is_bought(node) && world_.store.find_node(node) != nullptr ? 1 : 0;
    }
    return count;
}

/// What nodes have beside their pods: slots that nobody is in yet are nothing that it knows of.
std::vector<Autoscaler::Room> Autoscaler::rooms() const {
    std::vector<Room> made;
    for (NodeId id = 0; id < world_.store.nodes.size(); ++id) {
        const core::Node* const node = world_.store.find_node(id);
        if (node == nullptr || node->unschedulable || !node->taints.empty()) {
            continue;
        }
        const std::string* const pool = core::find_value(node->labels, std::string(pool_label));
        made.push_back(
            {id,
             pool == nullptr ? std::string() : *pool,
             node->allocatable.cpu_milli,
             node->allocatable.memory_bytes,
             node->pods});
    }
    for (const auto& pod : world_.store.pods) {
        const NodeId id = pod && !core::is_terminal(*pod) ? number_of(pod->node_name) : nobody;
        const auto room = std::find_if(
            made.begin(), made.end(), [id](const Room& one) { return one.node == id; });
        if (id != nobody && room != made.end()) {
            room->cpu_milli -= pod->requests.cpu_milli;
            room->memory_bytes -= pod->requests.memory_bytes;
            --room->pods;
            room->is_used = true;
        }
    }
    return made;
}

bool Autoscaler::place(
    std::vector<Room>& rooms, const core::Resources& each, const std::string& pool) {
    for (Room& room : rooms) {
        if ((pool.empty() || pool == room.pool) && room.cpu_milli >= each.cpu_milli &&
            room.memory_bytes >= each.memory_bytes && room.pods > 0) {
            room.cpu_milli -= each.cpu_milli;
            room.memory_bytes -= each.memory_bytes;
            --room.pods;
            room.is_used = true;
            return true;
        }
    }
    return false;
}

/// Nodes that are to be bought for it, by the pools that they are to be of. Its driver is a pod
/// that it sees.
std::vector<std::string> Autoscaler::lacking(std::vector<Room>& rooms, const Demand& demand) const {
    const core::Pod* const driver = world_.store.find_pod(number_of(demand.driver.uid));
    std::vector<std::string> pools;
    const auto put = [&](const core::Resources& each, const std::string& pool) {
        if (place(rooms, each, pool)) {
            return;
        }
        const core::Node made = node_for(pool);
        rooms.push_back(
            {nobody, pool, made.allocatable.cpu_milli, made.allocatable.memory_bytes, made.pods});
        pools.push_back(pool);
        place(rooms, each, pool);
    };
    for (const Shape& shape : demand.shapes) {
        for (std::int64_t i = 0; shape.is_asked() && i < shape.count; ++i) {
            put(shape.each, shape.pool);
        }
    }
    if (driver != nullptr && driver->node_name.empty()) {
        put(driver->requests, demand.shapes.front().pool);
    }
    return pools;
}

void Autoscaler::decide(Demand& demand) {
    if (std::exchange(demand.is_decided, true) || world_.faults.is_calm()) {
        return;
    }
    const std::int64_t kind = world_.random.between(1, 100);
    if (kind <= 15) {
        demand.answered_percent = 0;
    } else if (kind <= 35) {
        demand.answered_percent = static_cast<int>(world_.random.between(20, 90));
    } else if (kind <= 50) {
        demand.late_ms = world_.random.between(30'000, 200'000);
    }
}

void Autoscaler::scan() {
    std::vector<Room> now = rooms();
    for (auto& [uid, demand] : demands_) {
        const bool can_be_bought =
            std::all_of(demand.shapes.begin(), demand.shapes.end(), [](const Shape& shape) {
                return shape.each.extended.empty();  // no such nodes are sold
            });
        if (demand.count() == 0 || !can_be_bought) {
            continue;
        }
        decide(demand);
        std::vector<std::string> pools = lacking(now, demand);
        pools.resize(pools.size() - std::min(pools.size(), demand.on_their_way));
        const bool is_once = world_.plan.asks_once && !world_.faults.is_calm();
        if (!(is_once && demand.is_answered)) {
            buy(demand, std::move(pools));
            demand.is_answered = true;
        }
    }
    remove_empty(now);
    world_.queue.plan(
        world_.now_ms + world_.random.between(scan_ms / 2, 3 * scan_ms / 2),
        Happening::autoscaler_scans);
}

void Autoscaler::buy(Demand& demand, std::vector<std::string> pools) {
    pools.resize(pools.size() * static_cast<std::size_t>(demand.answered_percent) / 100);
    for (std::string& pool : pools) {
        if (there() + ordered_ >= nodes_max_) {
            return;
        }
        ++demand.on_their_way;
        ++ordered_;
        world_.record.say([&] { return "a node is bought for " + demand.driver.uid; });
        world_.queue.plan(
            world_.now_ms + demand.late_ms + world_.random.long_tail(2'000, 60'000),
            Happening::node_bought,
            static_cast<std::uint32_t>(orders_.size()));
        orders_.push_back({demand.driver.uid, std::move(pool)});
    }
}

/// Most are ready at once.
void Autoscaler::node_comes(std::uint32_t number) {
    const Order order = orders_[number];
    --ordered_;
    if (const auto found = demands_.find(order.driver_uid); found != demands_.end()) {
        --found->second.on_their_way;
    }
    ++world_.record.counts.nodes_bought;
    core::Node node = node_for(order.pool);
    if (world_.random.percent(30)) {
        node.ready = false;
    }
    const NodeId id = world_.writes.add_node(std::move(node), {Actor::controller});
    if (!world_.store.find_node(id)->ready) {
        world_.queue.plan(
            world_.now_ms + world_.random.between(500, 30'000), Happening::node_ready, id);
    }
}

void Autoscaler::node_is_ready(NodeId node) {
    world_.writes.set_ready(node);
    if (world_.store.find_node(node) != nullptr) {
        world_.writes.change_node(
            node, cluster_autoscaler, [](core::Node& changed) { changed.ready = true; });
    }
}

/// On which no pod is, and none of what is asked for would be.
void Autoscaler::remove_empty(const std::vector<Room>& rooms) {
    std::set<NodeId> used;
    for (const Room& room : rooms) {
        if (room.is_used) {
            used.insert(room.node);
        }
    }
    for (NodeId id = 0; id < world_.store.nodes.size(); ++id) {
        if (!is_bought(id) || world_.store.find_node(id) == nullptr || used.contains(id)) {
            empty_since_ms_.erase(id);
            continue;
        }
        const std::int64_t since_ms = empty_since_ms_.try_emplace(id, world_.now_ms).first->second;
        if (world_.now_ms - since_ms > empty_ms_max) {
            empty_since_ms_.erase(id);
            ++world_.record.counts.nodes_given_back;
            world_.writes.remove_node(id, cluster_autoscaler);
        }
    }
}

void Autoscaler::calm_down() {
    for (auto& [uid, demand] : demands_) {
        demand.answered_percent = 100;
        demand.late_ms = 0;
    }
}

/// As server-side apply: made if it is not there. A request's numbers of pods never change.
void Autoscaler::write(Call& call) {
    const auto part = static_cast<DemandPart>(call.demand_part);
    if (part != DemandPart::pod_template && !has_kind_) {
        call.answer.status = 404;
        return;
    }
    Demand& demand = demands_[call.pod.uid];
    demand.driver = call.pod;
    demand.shapes.resize(std::max(demand.shapes.size(), call.demand_shape + call.demand.size()));
    const bool is_other = !std::equal(
        call.demand.begin(),
        call.demand.end(),
        demand.shapes.begin() + static_cast<std::ptrdiff_t>(call.demand_shape),
        [](const core::CapacityShape& said, const Shape& there) {
            return said.count == there.count;
        });
    if (part == DemandPart::request && demand.has_request && is_other) {
        call.answer.status = 422;
        return;
    }
    call.answer.status = 200;
    if (part == DemandPart::pod_template) {
        Shape& shape = demand.shapes[call.demand_shape];
        demand.created_ms = demand.created_ms == 0 ? world_.now_ms : demand.created_ms;
        shape.has_template = true;
        world_.record.say([&] { return "a template for " + demand.driver.uid; });
        shape.each = call.demand.front().requests;
        shape.pool = pool_of(call.demand.front().constraints);
        return;
    }
    demand.has_request = part == DemandPart::request;
    demand.is_answered = demand.is_answered && !is_other;
    for (std::size_t i = 0; i < call.demand.size(); ++i) {
        demand.shapes[call.demand_shape + i].count = call.demand[i].count;
    }
    world_.record.say([&] {
        return "asked for " + std::to_string(demand.count()) + " pods of " + demand.driver.uid;
    });
}

void Autoscaler::remove(Call& call) {
    const auto found = demands_.find(call.pod.uid);
    const auto part = static_cast<DemandPart>(call.demand_part);
    const bool is_there =
        found != demands_.end() && call.demand_shape < found->second.shapes.size();
    call.answer.status = is_there ? 200 : 404;
    if (!is_there) {
        return;
    }
    Demand& demand = found->second;
    if (part == DemandPart::pod_template) {
        demand.shapes[call.demand_shape].has_template = false;
    } else if (part == DemandPart::buffer) {
        demand.shapes[call.demand_shape].count = 0;
    } else {
        demand.has_request = false;
        for (Shape& shape : demand.shapes) {
            shape.count = 0;
        }
    }
    if (demand.is_nothing()) {
        world_.record.say([&] { return "nothing is asked for " + demand.driver.uid + " any more"; });
        demands_.erase(found);
    }
}

void Autoscaler::list(Call& call) const {
    call.answer.status = 200;
    world_.record.say([&] { return std::to_string(demands_.size()) + " demands are listed"; });
    for (const auto& [uid, demand] : demands_) {
        const auto last =
            std::find_if(demand.shapes.rbegin(), demand.shapes.rend(), [](const Shape& shape) {
                return shape.has_template;
            });
        if (last != demand.shapes.rend()) {
            call.answer.capacity.push_back(
                {demand.driver.namespace_name,
                 uid,
                 static_cast<std::int64_t>(demand.shapes.rend() - last),
                 unix_begin_ms + demand.created_ms});
        }
    }
}

}  // namespace gang::sim
