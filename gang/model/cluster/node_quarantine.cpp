#include "gang/model/cluster/node_quarantine.hpp"

#include <iterator>

namespace gang {
namespace {

/// Nobody may ever tell: then the node is tried again.
constexpr std::int64_t quarantine_ms_max = 30'000;

/// True: the time was set, and has come.
bool has_ended(std::int64_t& until_ms, std::int64_t now_ms) {
    const bool is_over = until_ms != 0 && until_ms <= now_ms;
    until_ms = is_over ? 0 : until_ms;
    return is_over;
}

}  // namespace

std::int64_t NodeQuarantine::refused(const std::string& node, bool host_port, std::int64_t now_ms) {
    const std::int64_t until_ms = now_ms + quarantine_ms_max;
    Until& until = nodes_[node];
    (host_port ? until.host_ports_ms : until.pods_ms) = until_ms;
    return until_ms;
}

bool NodeQuarantine::lift(const std::string& node) {
    return !nodes_.empty() && nodes_.erase(node) > 0;
}

std::vector<std::string> NodeQuarantine::expire(std::int64_t now_ms) {
    std::vector<std::string> changed;
    for (auto next = nodes_.begin(); next != nodes_.end();) {
        auto& [node, until] = *next;
        const bool pods_ended = has_ended(until.pods_ms, now_ms);
        const bool host_ports_ended = has_ended(until.host_ports_ms, now_ms);
        if (pods_ended || host_ports_ended) {
            changed.push_back(node);
        }
        const bool is_out = until.pods_ms == 0 && until.host_ports_ms == 0;
        next = is_out ? nodes_.erase(next) : std::next(next);
    }
    return changed;
}

NodeQuarantine::State NodeQuarantine::state(const std::string& node, std::int64_t now_ms) const {
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) {
        return {};
    }
    return {found->second.pods_ms > now_ms, found->second.host_ports_ms > now_ms};
}

}  // namespace gang
