#include "k8s/protocol/write/answer_order.hpp"

#include <utility>

namespace k8s {

void AnswerOrder::answered(const std::string& uid) {
    const std::uint32_t before = awaited_.take(uid).value_or(0);
    if (before > 1) awaited_.insert(uid, before - 1);
}

std::vector<AnswerOrder::Answer> AnswerOrder::due_refusals(const std::string& uid) {
    const auto refused = refusals_.find(uid);
    if (refused == refusals_.end() || is_awaited(uid)) return {};
    std::vector<Answer> due = std::move(refused->second);
    refusals_.erase(refused);
    return due;
}

}  // namespace k8s
