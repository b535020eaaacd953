#include "k8s/protocol/burials.hpp"

namespace k8s::protocol {

void Burials::bury(std::string_view uid) {
    const auto [buried, inserted] = uids_.emplace(uid);
    if (!inserted) return;
    if (order_.size() < buried_max) {
        order_.push_back(*buried);
        return;
    }
    uids_.erase(order_[next_]);
    order_[next_] = *buried;
    next_ = (next_ + 1) % buried_max;
}

}  // namespace k8s::protocol
