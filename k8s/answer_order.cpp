#include "k8s/answer_order.hpp"

#include <utility>

namespace k8s {

void AnswerOrder::answered(const std::string& uid) {
    const auto known = awaited_.find(uid);
    if (known != awaited_.end() && --known->second == 0) awaited_.erase(known);
}

std::vector<AnswerOrder::Answer> AnswerOrder::due_refusals(const std::string& uid) {
    const auto refused = refusals_.find(uid);
    if (refused == refusals_.end() || awaited_.count(uid) != 0) return {};
    std::vector<Answer> due = std::move(refused->second);
    refusals_.erase(refused);
    return due;
}

}  // namespace k8s
