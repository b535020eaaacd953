#pragma once
// The GPUs of all nodes as their metrics show them, and what nodes offer to pods with a wish of
// them: of each wish (core/value/device/gpu_wish.hpp) as many as run there already and as would fit
// beside those. A sample that is too old offers nothing more.
//
//   samples     --.
//   GPU moves   ---> what each node has free --> what it offers of each wish, and its score
//   time        --/
//
// Without gpuMetrics in the configuration nothing here ever does anything.

#include "config/gpu_metrics.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cluster/device/gpu_promises.hpp"
#include "core/cluster/device/sampled_room.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

class GpuBoard {
public:
    /// Both outlive it.
    GpuBoard(const config::GpuMetrics& config, core::Cluster& cluster);

    bool is_on() const { return config_.is_on(); }

    /// What a pod of ours wishes becomes one of its requests; what it says and nobody can read,
    /// its problem.
    void read(core::Pod& pod) const;

    /// `is_open(allocation)`: it is the room of an executor that is still to come. Whatever else is
    /// on a node when its first sample comes is taken as shown by it.
    template <typename IsOpen>
    void sampled(const MetricsSampled& event, std::int64_t now_ms, const IsOpen& is_open);
    void missed(std::string why) { problem_ = std::move(why); }
    /// Samples grow old. True: some are too old by now.
    bool expire(std::int64_t now_ms);
    /// When the next of them will be too old (Unix ms).
    std::optional<std::int64_t> next_stale_ms() const;
    /// Takes over which pods came and went, and new wishes.
    void settle();

    /// The node came, or is another: what it offers is to be looked at.
    void node_changed(const std::string& name) { changed_.insert(name); }
    /// Nodes that offer something else than when this was last asked.
    std::set<std::string> take_changed() { return std::exchange(changed_, {}); }
    /// Sets what the node offers of wishes, and its score.
    void offer(core::Node& node) const;

    /// Of a wish that no node can meet now.
    enum class Verdict : std::uint8_t {
        none,   ///< some node can
        stale,  ///< no node has a sample that is new enough
        never,  ///< no node has enough GPUs of the model
        full    ///< there are nodes with enough of them, and too little is free there
    };
    struct Answer {
        Verdict verdict = Verdict::none;
        std::string text;  ///< what the node that comes nearest lacks, in words
    };
    Answer ask(std::string_view wish) const;
    /// Of each wish, what a node with this name has; empty: it has no sample.
    const core::GpuPromises* find_node(const std::string& node) const;
    std::size_t nodes_with_samples() const;

private:
    static constexpr std::size_t wishes_kept = 64;
    static constexpr std::int64_t sweep_every_ms = 60'000;

    struct Node {
        core::GpuPromises gpus;
        std::int64_t sampled_ms = 0;
        bool was_sampled = false;
        bool is_fresh = false;
        std::int32_t score = 0;
    };
    /// The node's place in an answer: how near it comes.
    struct Candidate {
        core::GpuRoom room;
        const std::string* node = nullptr;
    };

    bool is_fresh(const Node& node, std::int64_t now_ms) const {
        return node.was_sampled && now_ms - node.sampled_ms <= config_.stale_after_ms;
    }
    void score_nodes();
    void change_all();
    void begin_sample(std::int64_t now_ms);
    std::vector<core::AllocationId> take_sample(
        const core::SampledNode& sample, std::int64_t now_ms);
    void drop_unused(std::int64_t now_ms);
    std::shared_ptr<const core::GpuAsk> find_ask(const std::string& wish);

    const config::GpuMetrics& config_;
    core::Cluster& cluster_;
    std::map<std::string, Node> nodes_;  ///< with a sample, or a pod that has a wish
    std::map<std::string, std::shared_ptr<const core::GpuAsk>, std::less<>> wishes_;
    std::set<std::string> changed_;
    std::string problem_;  ///< why the last sample did not come
    std::int64_t swept_ms_ = 0;
};

template <typename IsOpen>
void GpuBoard::sampled(const MetricsSampled& event, std::int64_t now_ms, const IsOpen& is_open) {
    begin_sample(now_ms);
    for (const core::SampledNode& sample : event.nodes) {
        for (const core::AllocationId before : take_sample(sample, now_ms)) {
            if (!is_open(before)) nodes_.at(sample.node).gpus.take_as_shown(before);
        }
    }
    expire(now_ms);
    score_nodes();
}

}  // namespace gang
