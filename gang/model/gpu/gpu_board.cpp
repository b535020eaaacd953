#include "gang/model/gpu/gpu_board.hpp"

#include "core/cluster/device/gpu_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// The less it lacks, the nearer it comes.
int rank_of(core::GpuLack lack) {
    switch (lack) {
        case core::GpuLack::number:
            return 0;
        case core::GpuLack::memory_each:
            return 1;
        case core::GpuLack::memory_total:
            return 2;
        case core::GpuLack::nothing:
            return 3;
    }
    return 0;
}

std::string lack_text(const core::GpuWish& wish, const core::GpuRoom& room, std::string_view node) {
    const std::string of_model =
        wish.model.empty() ? std::string() : fmt::format(" of model {}", wish.model);
    switch (room.lack) {
        case core::GpuLack::number:
            return fmt::format(
                "needs {} GPU{}{}, {} on {}",
                wish.number,
                wish.number == 1 ? "" : "s",
                of_model,
                room.has,
                node);
        case core::GpuLack::memory_each:
            return fmt::format(
                "needs {} GPU{}{} with {} MiB free, {} on {}",
                wish.number,
                wish.number == 1 ? "" : "s",
                of_model,
                wish.each_mib,
                room.has,
                node);
        case core::GpuLack::memory_total:
            return fmt::format(
                "needs {} MiB free on all GPUs{} together, {} on {}",
                wish.total_mib,
                of_model,
                room.has,
                node);
        case core::GpuLack::nothing:
            break;
    }
    return {};
}

}  // namespace

GpuBoard::GpuBoard(const config::GpuMetrics& config, core::Cluster& cluster)
    : config_(config), cluster_(cluster) {
    if (is_on()) {
        cluster_.allocations().gpu_moves().begin();
        cluster_.allocations().room().names().note_gpu_wishes();
    }
}

void GpuBoard::change_all() {
    for (const auto& [name, node] : nodes_) {
        changed_.insert(name);
    }
}

void GpuBoard::begin_sample(std::int64_t now_ms) {
    problem_.clear();
    settle();
    drop_unused(now_ms);
    std::erase_if(
        nodes_, [](const auto& one) { return !one.second.is_fresh && one.second.gpus.is_empty(); });
}

/// What was placed there before there was any sample: the caller knows what of it this one shows.
std::vector<core::AllocationId> GpuBoard::take_sample(
    const core::SampledNode& sample, std::int64_t now_ms) {
    Node& node = nodes_[sample.node];
    std::vector<core::AllocationId> before;
    if (!node.was_sampled) {
        before = node.gpus.pods();
    }
    node.gpus.sampled(sample.gpus);
    node.was_sampled = true;
    node.sampled_ms = now_ms;
    node.is_fresh = true;
    changed_.insert(sample.node);
    return before;
}

bool GpuBoard::expire(std::int64_t now_ms) {
    bool is_any = false;
    for (auto& [name, node] : nodes_) {
        if (node.is_fresh && !is_fresh(node, now_ms)) {
            node.is_fresh = false;
            changed_.insert(name);
            is_any = true;
        }
    }
    if (is_any) {
        score_nodes();
    }
    return is_any;
}

std::optional<std::int64_t> GpuBoard::next_stale_ms() const {
    std::optional<std::int64_t> next;
    for (const auto& [name, node] : nodes_) {
        if (node.is_fresh) {
            const std::int64_t at = node.sampled_ms + config_.stale_after_ms + 1;
            next = std::min(next.value_or(at), at);
        }
    }
    return next;
}

void GpuBoard::score_nodes() {
    std::vector<std::vector<core::SampledGpu>> gpus;
    std::vector<Node*> nodes;
    std::vector<const std::string*> names;
    for (auto& [name, node] : nodes_) {
        if (node.is_fresh && !node.gpus.gpus().empty()) {
            gpus.push_back(node.gpus.gpus());
            nodes.push_back(&node);
            names.push_back(&name);
        }
    }
    const auto scores = core::score_gpus(gpus, config_.weights);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto score = static_cast<std::int32_t>(scores[i]);
        if (std::exchange(nodes[i]->score, score) != score) {
            changed_.insert(*names[i]);
        }
    }
}

void GpuBoard::settle() {
    core::GpuMoves& moves = cluster_.allocations().gpu_moves();
    core::ExtendedNames& names = cluster_.allocations().room().names();
    if (!moves.has_any() && !names.has_new_gpu_wishes()) {
        return;
    }
    for (const std::string& wish : names.take_new_gpu_wishes()) {
        if (find_ask(wish) != nullptr) {
            change_all();
        }
    }
    for (const core::GpuMove& move : moves.take()) {
        Node& node = nodes_[move.node];
        changed_.insert(move.node);
        if (!move.taken) {
            node.gpus.remove(move.allocation);
        } else if (auto ask = find_ask(move.wish)) {
            node.gpus.add(move.allocation, std::move(ask), move.count);
        }
    }
}

std::shared_ptr<const core::GpuAsk> GpuBoard::find_ask(const std::string& wish) {
    const auto known = wishes_.find(wish);
    if (known != wishes_.end()) {
        return known->second;
    }
    auto ask = core::GpuAsk::make(wish);
    if (!ask) {
        return nullptr;  // of a reservation that is not ours: nobody offers it
    }
    return wishes_.emplace(wish, std::make_shared<const core::GpuAsk>(*std::move(ask)))
        .first->second;
}

/// Wishes that nobody has any more, where tenants have many. What nodes offer holds the name, too:
/// so it is taken back, and what is then still known to the cluster is somebody's.
void GpuBoard::drop_unused(std::int64_t now_ms) {
    if (wishes_.size() <= wishes_kept || now_ms - swept_ms_ < sweep_every_ms) {
        return;
    }
    swept_ms_ = now_ms;
    const auto all = std::exchange(wishes_, {});
    for (const auto& [name, node] : nodes_) {
        if (const auto index = cluster_.nodes().find(name)) {
            core::Node bare = cluster_.room().node_as_told(*index);
            bare.allocatable = core::without_gpu_wishes(std::move(bare.allocatable));
            cluster_.upsert_node(bare);
        }
    }
    for (const auto& [wish, ask] : all) {
        if (cluster_.extended_names().find(wish)) {
            wishes_.emplace(wish, ask);
        }
    }
    change_all();
}

void GpuBoard::read(core::Pod& pod) const {
    if (!is_on()) {
        return;
    }
    const auto priority = core::read_gpu_priority(pod.labels, pod.annotations);
    const auto wish = core::read_gpu_wish(pod.labels, pod.annotations, config_.model_aliases);
    if (priority && *priority != 0) {
        pod.priority = *priority;
    }
    if (wish && *wish) {
        core::add_gpu_wish(pod.requests, **wish);
    }
    if (pod.problem.empty() && pod.node_name.empty()) {
        pod.problem = !wish ? wish.error().message : !priority ? priority.error().message : "";
    }
}

void GpuBoard::offer(core::Node& node) const {
    if (!is_on()) {
        return;
    }
    node.allocatable = core::without_gpu_wishes(std::move(node.allocatable));
    node.gpu_score = 0;
    const auto found = nodes_.find(node.name);
    if (found == nodes_.end()) {
        return;
    }
    const Node& known = found->second;
    const auto index = cluster_.nodes().find(node.name);
    const std::vector<std::int64_t> free = known.gpus.free();
    core::Resources offered;
    for (const auto& [wish, ask] : wishes_) {
        std::int64_t pods = 0;
        if (const auto id = cluster_.extended_names().find(wish); id && index) {
            const core::NodeColumns& columns = cluster_.columns();
            pods = columns.extended(*index, *id, core::View::allocatable) -
                   columns.extended(*index, *id, core::View::free);  // that are there
        }
        if (known.is_fresh) {
            pods += core::find_gpu_room(*ask, known.gpus.gpus(), free).pods;
        }
        if (pods > 0) {
            offered.extended.push_back({wish, pods});
        }
    }
    node.allocatable = core::larger(node.allocatable, offered);
    node.gpu_score = static_cast<std::int16_t>(known.is_fresh ? known.score : 0);
}

GpuBoard::Answer GpuBoard::ask(std::string_view wish) const {
    const auto known = wishes_.find(wish);
    if (known == wishes_.end()) {
        return {};
    }
    const core::GpuAsk& ask = *known->second;
    Candidate best;
    for (const auto& [name, node] : nodes_) {
        if (!node.is_fresh || !cluster_.nodes().find(name)) {
            continue;
        }
        const core::GpuRoom room = core::find_gpu_room(ask, node.gpus.gpus(), node.gpus.free());
        const auto nearness = [](const core::GpuRoom& one) {
            return std::pair(rank_of(one.lack), one.has);
        };
        if (best.node == nullptr || nearness(room) > nearness(best.room)) {
            best = {room, &name};
        }
    }
    if (best.node == nullptr) {
        const bool is_new = nodes_with_samples() == 0;
        return {
            Verdict::stale,
            fmt::format(
                "GPU metrics stale: {}{}{}{}",
                is_new ? std::string("there are none yet")
                       : fmt::format(
                             "none for longer than {} s", (config_.stale_after_ms + 999) / 1000),
                problem_.empty() ? "" : " (",
                problem_,
                problem_.empty() ? "" : ")")};
    }
    if (best.room.lack == core::GpuLack::nothing) {
        return {};
    }
    return {
        best.room.lack == core::GpuLack::number ? Verdict::never : Verdict::full,
        lack_text(ask.wish(), best.room, *best.node)};
}

const core::GpuPromises* GpuBoard::find_node(const std::string& node) const {
    const auto found = nodes_.find(node);
    return found == nodes_.end() || !found->second.was_sampled ? nullptr : &found->second.gpus;
}

std::size_t GpuBoard::nodes_with_samples() const {
    return static_cast<std::size_t>(std::count_if(
        nodes_.begin(), nodes_.end(), [](const auto& one) { return one.second.was_sampled; }));
}

}  // namespace gang
