#pragma once
// What tenants submit, one after the other until the calm: Spark applications, jobs with a pod
// group, pods outside gangs.

#include "gang/sim/base/random.hpp"
#include "gang/sim/base/swarm.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

class Submissions {
public:
    explicit Submissions(World& world) : world_(world) {}

    /// The next one, and the one after it is planned.
    void submit();

private:
    void submit_lone_pods();

    World& world_;
    std::uint32_t lone_pods_ = 0;
    int gangs_ = 0;  ///< applications and jobs, submitted so far
};

/// Of a pod, in a world with queues; else 0.
inline std::int32_t draw_priority(const Plan& plan, Random& random) {
    return plan.has_queues ? static_cast<std::int32_t>(random.between(-1, 1)) * 1'000 : 0;
}

}  // namespace gang::sim
