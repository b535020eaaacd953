#pragma once
// Labels of GPUs as Prometheus writes them, known again: a GPU has them behind the metric's name in
// each of its series, and in each poll as in the one before.

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace k8s {

/// Which GPU a series is about; empty: it has no such label, or one that is no text.
struct GpuLabels {
    std::string_view node;
    std::string_view id;
    std::string_view uuid;
    std::string_view model;
};

/// Keeps the text of labels and what it says. Series come in an order: mostly by metric, or by node
/// and then by metric, and by GPU within that. So a text is looked for where the order would have
/// it. Elsewhere it is not found, and has to be read once more.
class GpuLabelMemo {
public:
    static constexpr std::size_t known_max = 65'536;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Known {
        std::string text;  ///< from behind the metric's name on, with the closing brace
        GpuLabels labels;  ///< in `text`
    };

    /// `node_label` is the label that names the node.
    explicit GpuLabelMemo(std::string node_label) : node_label_(std::move(node_label)) {}
    GpuLabelMemo(const GpuLabelMemo&) = delete;
    GpuLabelMemo& operator=(const GpuLabelMemo&) = delete;

    const std::string& node_label() const { return node_label_; }

    /// Forgets all if the last poll brought labels that the one before had not: it may have lacked
    /// others, and labels that are gone are not to pile up. Numbers that were given are void.
    void begin_poll();
    void begin_answer();

    /// The number of the labels with which the text goes on, up to their closing brace, or `none`.
    std::size_t find(std::string_view text);
    /// `text` ends with the closing brace; `labels` are in it. Their number, or `none` if there are
    /// too many, or if a label is not in the text as it is said, for it was escaped there.
    std::size_t add(std::string_view text, const GpuLabels& labels);
    /// Valid until begin_poll().
    const Known& at(std::size_t number) const { return known_[number]; }
    std::size_t size() const { return known_.size(); }

private:
    void go_to(std::size_t number);

    std::string node_label_;
    std::deque<Known> known_;  // it grows without moving what is there
    boost::unordered_flat_map<std::string_view, std::uint32_t> numbers_;  ///< by text
    bool began_empty_ = true;
    bool has_grown_ = false;
    std::size_t next_ = 0;  ///< behind the one of the series before
    /// Where the series of the last metric began, and where they ended before those of the next
    /// metric began there again.
    std::size_t block_ = 0;
    std::size_t block_end_ = none;
};

}  // namespace k8s
