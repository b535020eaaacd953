#pragma once
// Binds that wait, gang after gang: no gang waits for all of another one's executors. The gangs
// take turns in the order in which they came; a turn is up to `binds_per_turn` binds, so a gang of
// usual size is bound in one go. Within a gang: what starts it first, then first come, first
// served. Pods without a gang share one turn per namespace.

#include "k8s/protocol/write/write_job.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace k8s {

inline constexpr std::int32_t binds_per_turn = 16;

class BindTurns {
public:
    using MayStart = std::function<bool(const BindJob&)>;

    void add(BindJob&& job);
    /// The next one that may start: one that may not is passed over and keeps its place.
    std::optional<BindJob> take(const MayStart& may_start);

    std::size_t size() const { return size_; }

private:
    struct Gang {
        std::string name;
        std::list<BindJob> starters;
        std::list<BindJob> others;
        std::int32_t left = binds_per_turn;  ///< of its turn
    };
    using Place = std::list<Gang>::iterator;

    std::optional<BindJob> take_of(Place gang, const MayStart& may_start);

    std::list<Gang> gangs_;  ///< with binds that wait; whose turn it is, is in front
    std::map<std::string_view, Place> places_;  ///< by their names
    std::size_t size_ = 0;
};

}  // namespace k8s
