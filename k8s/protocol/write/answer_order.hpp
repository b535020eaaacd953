#pragma once
// Keeps the answers for one pod in the order in which they were asked for, also when one of them is
// a refusal at a bound, which is known at once. No sockets, no clock.
//
// Writes that were taken are answered in the order of their pod (write_queue.hpp), so only their
// number is kept here. A refusal waits until all of them are answered, and while it waits whatever
// is asked for the same pod is refused behind it.

#include "core/base/uid_table.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace k8s {

class AnswerOrder {
public:
    using Answer = std::function<void()>;

    /// An awaited write of the pod was taken; answered() is called once for it.
    void taken(const std::string& uid) { awaited_.insert(uid, awaited_.take(uid).value_or(0) + 1); }
    void answered(const std::string& uid);
    bool is_awaited(const std::string& uid) const { return awaited_.find(uid).has_value(); }

    void refuse(const std::string& uid, Answer answer) {
        refusals_[uid].push_back(std::move(answer));
    }
    bool has_refusals(const std::string& uid) const { return refusals_.count(uid) != 0; }
    /// The refusals that may be told now: none while a write of the pod is unanswered.
    std::vector<Answer> due_refusals(const std::string& uid);

private:
    core::UidTable<std::uint32_t> awaited_;  ///< thousands in a burst
    std::map<std::string, std::vector<Answer>> refusals_;
};

}  // namespace k8s
