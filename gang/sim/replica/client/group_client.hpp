#pragma once
// Reads the objects of pod groups, and writes their statuses, as k8s/group does with sockets.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"

#include <cstdint>
#include <map>
#include <variant>

namespace gang::sim {

class Process;
struct World;

class GroupClient {
public:
    GroupClient(World& world, Process& process) : world_(world), process_(process) {}

    void fetch(const FetchPodGroup& decision);
    void write(const WriteGroupStatus& decision);
    void answered(const Call& call);
    /// Nothing is under way.
    bool is_idle() const { return asked_.empty(); }

    static constexpr std::uint32_t first_ticket = std::uint32_t{1} << 24;

private:
    using Asked = std::variant<FetchPodGroup, WriteGroupStatus>;
    void send(Call call, Asked asked);

    World& world_;
    Process& process_;
    std::map<std::uint32_t, Asked> asked_;  ///< by ticket
    std::uint32_t sent_ = 0;
};

}  // namespace gang::sim
