#pragma once
// The writes, and reads of config maps, that were taken from the queue and are not over: each has a
// number, under which its calls and its waits are known. A number is used again; what was to wake
// the one before is then for nobody.

#include "gang/sim/base/call.hpp"
#include "gang/sim/replica/write/write_machine.hpp"
#include "k8s/protocol/write/write_job.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gang::sim {

struct PendingWrite {
    k8s::WriteJob asked;
    Author author;  ///< who decided it, and what was seen then
    bool waits_for_breaker = false;
    bool is_delayed = false;   ///< waits to be repeated, without a connection
    bool is_given_up = false;  ///< a condition whose pod is wanted for something newer
    std::uint32_t wake_serial = 0;
    Operation operation = Operation::bind;  ///< what is asked next
    PodRef pod;
    std::optional<WriteMachine> machine;  ///< of a config map's read: none

    bool is_fetch() const { return std::holds_alternative<k8s::FetchJob>(asked); }
};

class PendingWrites {
public:
    /// It has a number from now on.
    std::uint32_t add(k8s::WriteJob asked);
    void remove(std::uint32_t id);
    PendingWrite& operator[](std::uint32_t id) { return writes_[id]; }
    bool empty() const { return writes_.size() == free_.size(); }
    /// How many of them nobody waits for.
    std::int64_t droppable() const { return droppable_; }

    /// What wakes a write names it, and which of its waits is meant.
    std::uint32_t tag_of(std::uint32_t id) const {
        return (writes_[id].wake_serial << id_bits) | id;
    }
    /// Whom this is to wake; nothing: it has been given up meanwhile.
    std::optional<std::uint32_t> find(std::uint32_t tag) const;

    /// Its wait is over: it goes on when a connection is free.
    void resume(std::uint32_t id);
    std::optional<std::uint32_t> take_resumed();
    /// Those that wait to be repeated do not hold up what somebody waits for.
    void give_up_conditions(const std::string& uid);

private:
    static constexpr std::uint32_t id_bits = 12;
    static constexpr std::uint32_t id_max = (1U << id_bits) - 1;

    std::deque<PendingWrite> writes_;
    std::vector<std::uint32_t> free_;
    std::deque<std::uint32_t> resumed_;  ///< in the order in which their waits ended
    std::int64_t droppable_ = 0;
};

}  // namespace gang::sim
