#pragma once
// PodRecords: the book of what simulated kubelets saw, a page for each pod in the order of binding,
// until it is full.

#include "k8s/embedded/kubelet/kubelet.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace k8s::embedded {

class PodRecords {
public:
    /// Of one pod; nothing: the book was full.
    using Page = std::optional<std::size_t>;

    explicit PodRecords(std::size_t size_max) : size_max_(size_max) {}

    Page add(PodRecord record) {
        if (records_.size() >= size_max_) return std::nullopt;
        records_.push_back(std::move(record));
        return records_.size() - 1;
    }
    void note_started(Page page, std::int64_t now_ms) {
        if (page) records_[*page].started_ms = now_ms;
    }
    void note_ended(Page page, std::int64_t now_ms) {
        if (page) records_[*page].ended_ms = now_ms;
    }
    void note_refusal(Page page, const std::string& reason) {
        if (page) records_[*page].refusal = reason;
    }
    const std::vector<PodRecord>& all() const { return records_; }

private:
    std::size_t size_max_;
    std::vector<PodRecord> records_;
};

}  // namespace k8s::embedded
