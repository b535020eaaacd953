#pragma once
// Whom a gang that waits may have evicted, by the queues of both: from outside the queue whose
// guarantee covers the gang it reclaims; of its own queue, and of all if the file says so, a lower
// priority has to go.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/shares/amounts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gang {

class PreemptorRights {
public:
    /// Of this one, which is charged to a queue and whose amounts are known. Both outlive this.
    PreemptorRights(const Model& model, const Application& preemptor, const Amounts& wanted);

    /// It may have some of the running evicted, whoever runs.
    bool has_any() const { return below_guarantee_ != no_queue || is_within_ || is_across_; }
    /// Nothing: a gang or pod of this queue and priority may not be evicted for it.
    std::optional<EvictReason> reason_for(QueueIndex queue, std::int32_t priority) const;
    /// Whether the gang's own queue is this one or below it: what it takes inside stays inside.
    bool is_below(QueueIndex queue) const { return is_below(queue_, queue); }
    std::string_view preemptor() const { return preemptor_; }  ///< its uid

private:
    bool is_below(QueueIndex queue, QueueIndex above) const;
    bool is_reclaimable(QueueIndex queue) const;

    const Model& model_;
    std::string_view preemptor_;
    QueueIndex queue_ = no_queue;
    QueueIndex below_guarantee_ = no_queue;  ///< outside of it others are reclaimed from
    std::int32_t priority_ = 0;
    bool is_within_ = false;
    bool is_across_ = false;
};

}  // namespace gang
