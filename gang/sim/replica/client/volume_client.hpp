#pragma once
// Reads claims, has their volumes made before pods are bound, and hears of volume limits, as
// k8s/volume does with sockets.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace gang::sim {

class Process;
struct World;

class VolumeClient {
public:
    VolumeClient(World& world, Process& process) : world_(world), process_(process) {}

    void fetch(const FetchClaim& decision);
    /// The bind follows when each of its claims has its volume, or is answered by `not_sent`.
    void provision(const BindPod& decision);
    void watch_limits();
    void answered(const Call& call);
    /// The pause of a bind is over; or the limits, of one node or all, are heard of.
    void wakes(std::uint32_t what);
    void limit_changes(NodeId node);
    /// Nothing is under way.
    bool is_idle() const { return asked_.empty() && binds_.empty(); }

    static constexpr std::uint32_t first_ticket = std::uint32_t{1} << 25;

private:
    /// A bind that waits for its volumes.
    struct Bind {
        BindPod decision;
        Author author;
        std::size_t at = 0;       ///< the claim that is looked at
        bool is_written = false;  ///< its node was
    };
    static constexpr std::uint32_t all_limits = std::uint32_t{1} << 30;
    static constexpr std::uint32_t one_limit = std::uint32_t{1} << 31;

    void send(Call call, std::variant<FetchClaim, std::uint32_t> asked);
    void look(std::uint32_t number);
    void looked(std::uint32_t number, const Answer& answer);
    void give_up(std::uint32_t number, std::string why);
    void wake_in(std::int64_t ms, std::uint32_t what);

    World& world_;
    Process& process_;
    std::map<std::uint32_t, std::variant<FetchClaim, std::uint32_t>> asked_;  ///< by ticket
    std::map<std::uint32_t, Bind> binds_;                                     ///< by number
    std::uint32_t sent_ = 0;
    std::uint32_t binds_made_ = 0;
    bool watches_ = false;
};

}  // namespace gang::sim
