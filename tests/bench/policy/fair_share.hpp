#pragma once
// What each queue would have if room could be poured: to each as much as it wants, to those who
// want more than there is in proportion to their weights.

#include <cstddef>
#include <vector>

namespace policy {

/// Of a queue: parts of the cluster, in the resource of which it has, or wants, most.
struct Claim {
    double held = 0;
    double wanted = 0;  ///< what it holds and what it waits for
    double weight = 1;
    bool waits = true;  ///< it wants more than it holds: sums of parts would tell by rounding alone
};

/// By queue. What nobody wants is left over; all together have at most `room`.
std::vector<double> fluid_shares(const std::vector<Claim>& claims, double room = 1);

/// Adds up over time how far queues are from that.
class FairnessMeter {
public:
    explicit FairnessMeter(std::size_t queues) : held_(queues), fair_(queues) {}

    /// For so long it was so. What is poured is what all queues held together; those count that
    /// wanted at least what they would have had of it.
    void add(const std::vector<Claim>& claims, double seconds);
    /// The mean over queues of |what it had on average - what was fair| / what was fair, each while
    /// it counted; 0: none ever did.
    double error() const;
    /// Of the queue that is worst off: how much less it had than was fair; 0: none had less.
    double worst() const;

private:
    std::vector<double> held_;
    std::vector<double> fair_;
};

}  // namespace policy
