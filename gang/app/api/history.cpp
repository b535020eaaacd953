#include "gang/app/api/history.hpp"

namespace gang::app {

void History::add(const HistoryPoint& point) {
    if (ring_.size() < points_max) {
        ring_.push_back(point);
    } else {
        ring_[next_] = point;
        next_ = (next_ + 1) % points_max;
    }
}

std::vector<HistoryPoint> History::points() const {
    std::vector<HistoryPoint> out;
    out.reserve(ring_.size());
    for (std::size_t i = 0; i < ring_.size(); ++i) {
        out.push_back(ring_[(next_ + i) % ring_.size()]);
    }
    return out;
}

}  // namespace gang::app
