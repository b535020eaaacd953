#pragma once
// Lists quotas of namespaces, one namespace after the other, as k8s/quota does with sockets. Both
// lists are one call here.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"

#include <cstdint>
#include <deque>
#include <string>

namespace gang::sim {

class Process;

class QuotaClient {
public:
    explicit QuotaClient(Process& process) : process_(process) {}

    void fetch(const FetchQuotas& decision);
    void answered(const Call& call);
    /// Nothing is under way.
    bool is_idle() const { return asked_.empty(); }

    static constexpr std::uint32_t first_ticket = std::uint32_t{1} << 26;

private:
    void send();

    Process& process_;
    std::deque<std::string> asked_;  ///< namespaces; the first is under way
    std::uint32_t sent_ = 0;
};

}  // namespace gang::sim
