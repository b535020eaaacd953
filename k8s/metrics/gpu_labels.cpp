#include "k8s/metrics/gpu_labels.hpp"

#include <functional>
#include <optional>

namespace k8s {
namespace {

/// Where in the text that part of it is; nothing: it is a copy, somewhere else.
std::optional<std::size_t> find_part(std::string_view text, std::string_view part) {
    if (part.empty()) return 0;
    const std::less_equal<const char*> not_after;
    const bool is_within = not_after(text.data(), part.data()) &&
                           not_after(part.data() + part.size(), text.data() + text.size());
    if (!is_within) return {};
    return static_cast<std::size_t>(part.data() - text.data());
}

}  // namespace

void GpuLabelMemo::begin_poll() {
    if (has_grown_ && !began_empty_) {
        numbers_.clear();
        known_.clear();
    }
    began_empty_ = known_.empty();
    has_grown_ = false;
    begin_answer();
}

void GpuLabelMemo::begin_answer() {
    next_ = 0;
    block_ = 0;
    block_end_ = none;
}

std::size_t GpuLabelMemo::find(std::string_view text) {
    for (const std::size_t number : {next_, next_ + 1, block_, std::size_t{0}}) {
        if (number >= known_.size() || !text.starts_with(known_[number].text)) continue;
        go_to(number);
        return number;
    }
    return none;
}

std::size_t GpuLabelMemo::add(std::string_view text, const GpuLabels& labels) {
    if (const auto known = numbers_.find(text); known != numbers_.end()) {
        go_to(known->second);
        return known->second;
    }
    if (known_.size() == known_max) return none;
    const std::size_t number = known_.size();
    Known& kept = known_.emplace_back(Known{std::string(text), labels});
    for (std::string_view* const label :
         {&kept.labels.node, &kept.labels.id, &kept.labels.uuid, &kept.labels.model}) {
        const auto place = find_part(text, *label);
        if (!place) {
            known_.pop_back();
            return none;
        }
        *label = std::string_view(kept.text).substr(*place, label->size());
    }
    numbers_.emplace(kept.text, static_cast<std::uint32_t>(number));
    has_grown_ = true;
    go_to(number);
    return number;
}

void GpuLabelMemo::go_to(std::size_t number) {
    if (number < next_) {
        block_ = number;
        block_end_ = next_;
    } else if (number == block_end_) {
        block_ = number;
    }
    next_ = number + 1;
}

}  // namespace k8s
