#pragma once
// How many objects to ask for in one page of a list: pods of real clusters are ten times the size
// of small ones, and a page is held as text while it is read.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace k8s {

inline constexpr std::int64_t page_objects_first = 100;  ///< as long as their size is not known
inline constexpr std::int64_t page_objects_min = 10;
inline constexpr std::int64_t page_bytes_wanted = 2 * 1024 * 1024;

class PageSize {
public:
    /// `max`: objects; what clients of Kubernetes ask for is 500.
    explicit PageSize(std::int64_t max) : max_(max), objects_(std::min(page_objects_first, max)) {}

    std::int64_t objects() const { return objects_; }

    /// A full page of objects() had so many bytes. The last page of a list is not full.
    void note_full_page(std::size_t bytes) {
        const std::int64_t each =
            std::max<std::int64_t>(static_cast<std::int64_t>(bytes) / objects_, 1);
        objects_ = std::min(std::max(page_bytes_wanted / each, page_objects_min), max_);
    }

private:
    std::int64_t max_;
    std::int64_t objects_;
};

}  // namespace k8s
