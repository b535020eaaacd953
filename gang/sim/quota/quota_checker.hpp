#pragma once
// What a scheduler that looks at quotas of namespaces must keep to, by the answers that it was
// given: plain sums, which share nothing with core/quota and gang/model/quota.
//
//   namespace-quota  no driver is bound whose executors the API server would refuse: by the last
//   answer,
//                    which was asked for when the driver was there, with what is used, what
//                    executors of gangs that held room at the time of the question are promised,
//                    and those of gangs admitted since
//   quota-turn       nor while one of its namespace that came before it, and is not of a lower
//                    priority, waits for a quota that it uses
//   quota-said       at rest: who is kept by a quota says so
//   quota-room       at rest: and holds no room of the cluster
//   quota-wait       at rest in the calm: nobody says so for long whom no quota keeps

#include "core/value/quota/namespace_quotas.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/quota/namespace_quotas.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gang {
struct BindPod;
}

namespace gang::sim {

struct World;
struct Application;
class Process;

class QuotaChecker {
public:
    explicit QuotaChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    void asks(std::uint32_t replica, const Process& process, const std::string& namespace_name);
    void admits(std::uint32_t replica, const Process& process, const BindPod& bind);
    void inspect(std::uint32_t replica, const Process& process);
    /// By what the process was told; nothing is known: false.
    bool keeps_waiting(std::uint32_t replica, PodId driver) const;

private:
    struct Promise {
        Taken taken;
        std::int64_t at_ms = 0;
    };
    /// Of one namespace, as one process was told.
    struct Known {
        std::optional<core::NamespaceQuotas> quotas;
        std::int64_t asked_ms = -1;   ///< for that answer
        std::int64_t asking_ms = -1;  ///< for the one that is under way
        int failures = 0;             ///< since that answer
        /// By driver: of gangs that held room when it was asked for, or were admitted since.
        std::map<std::string, Promise> promised;
        std::map<std::string, Promise> promised_next;  ///< the same of the answer under way
    };
    struct View {
        std::map<std::string, Known> namespaces;
        /// Since when a driver has waited with its size known: an older answer is too old for it.
        std::map<PodId, std::int64_t> waits_since_ms;
        std::map<PodId, std::int64_t> priorities;
        std::map<PodId, std::int64_t> free_since_ms;  ///< who waits for quota, though there is room
    };
    struct Gap {
        std::string quota;
        std::string resource;
        bool is_for_ever = false;
    };

    static std::string describe(
        std::uint32_t replica, const std::string& namespace_name, const Known& known);
    const Application* find_declared(PodId driver) const;
    Taken needs_of(const Application& one) const;
    std::optional<Gap> find_gap(
        const Known& known, const Application& one, PodId driver, std::int64_t before_ms) const;
    void check_turn(
        std::uint32_t replica,
        const Process& process,
        const Known& known,
        const BindPod& bind) const;
    void check_wait(std::uint32_t replica, const GangView& gang, bool is_first);
    bool has_room(const Application& one) const;

    World& world_;
    std::vector<View> views_;  ///< by replica
};

}  // namespace gang::sim
