#pragma once
// Whose turn it is to lead.
//
//   lease    nobody writes while somebody else holds the Lease
//   epochs   every leader has a higher epoch than the one before it

#include <cstdint>
#include <string>

namespace gang::sim {

/// A wrong clock, or a Lease that others write: two may lead until they have noticed.
inline constexpr std::int64_t lease_doubtful_ms = 180'000;

struct World;

class LeaseChecker {
public:
    explicit LeaseChecker(World& world) : world_(world) {}

    /// A write leaves the process that calls itself `holder` in the Lease.
    void sent(std::uint32_t replica, const std::string& holder);
    void leads(std::uint32_t replica, std::int64_t epoch);
    void clock_was_wrong();
    void lease_was_touched();

private:
    World& world_;
    std::int64_t counts_from_ms_ = 0;  ///< from when on the Lease says who may write
    std::int64_t epoch_ = 0;           ///< the highest so far
    bool was_touched_ = false;
};

}  // namespace gang::sim
