#include "core/cluster/device/sampled_room.hpp"

#include "core/cluster/device/card_room.hpp"

#include <algorithm>
#include <utility>

namespace core {

std::optional<GpuAsk> GpuAsk::make(std::string_view name) {
    auto wish = wish_of(name);
    if (!wish) return std::nullopt;
    GpuAsk ask(*std::move(wish));
    if (!ask.wish_.model.empty()) {
        auto pattern = ModelPattern::make(ask.wish_.model);
        if (!pattern) return std::nullopt;
        ask.pattern_ = *std::move(pattern);
    }
    return ask;
}

bool GpuAsk::matches(const std::string& model) const {
    if (!pattern_) return true;
    if (const auto known = known_.find(model); known != known_.end()) return known->second;
    if (known_.size() >= models_max) known_.clear();
    return known_.emplace(model, pattern_->matches(model)).first->second;
}

GpuRoom find_gpu_room(
    const GpuAsk& ask, std::span<const SampledGpu> gpus, std::span<const std::int64_t> free) {
    const GpuWish& wish = ask.wish();
    std::vector<std::int64_t> of_model;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (!ask.matches(gpus[i].model)) continue;
        of_model.push_back(std::max<std::int64_t>(free[i], 0));
        all += of_model.back();  // no overflow: see gpu_memory_max, which bounds each
    }
    const auto cards = static_cast<std::int64_t>(of_model.size());
    if (cards < wish.number) return {0, GpuLack::number, cards};
    std::int64_t pods = gpu_pods_unlimited;
    if (wish.each_mib > 0) {
        const auto wide =
            std::count_if(of_model.begin(), of_model.end(), [&wish](std::int64_t left) {
                return left >= wish.each_mib;
            });
        if (wide < wish.number) return {0, GpuLack::memory_each, wide};
        pods = times_on_several(of_model, wish.each_mib, static_cast<int>(wish.number));
    }
    if (wish.total_mib > 0) {
        if (all < wish.total_mib) return {0, GpuLack::memory_total, all};
        pods = std::min(pods, all / std::max(memory_of(wish), std::int64_t{1}));
    }
    return {std::min(pods, gpu_pods_unlimited), GpuLack::nothing, 0};
}

void take_gpu_memory(
    const GpuAsk& ask,
    std::int64_t mib,
    std::span<const SampledGpu> gpus,
    std::span<std::int64_t> free) {
    std::vector<std::size_t> cards;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (ask.matches(gpus[i].model)) cards.push_back(i);
    }
    if (cards.empty()) return;
    std::stable_sort(cards.begin(), cards.end(), [&free](std::size_t a, std::size_t b) {
        return free[a] > free[b];
    });
    const std::size_t number = std::min(cards.size(), static_cast<std::size_t>(ask.wish().number));
    for (std::size_t i = 0; i < number && mib > 0; ++i) {
        const std::int64_t here = std::min(mib, ask.wish().each_mib);
        free[cards[i]] -= here;
        mib -= here;
    }
    for (std::size_t i = 0; i < cards.size() && mib > 0; ++i) {
        const bool is_last = i + 1 == cards.size();
        const std::int64_t here = is_last ? mib : std::clamp<std::int64_t>(free[cards[i]], 0, mib);
        free[cards[i]] -= here;
        mib -= here;
    }
}

}  // namespace core
