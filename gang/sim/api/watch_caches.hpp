#pragma once
// The watch caches of the API servers, one of each server: up to where of the logs it has read the
// store. They run behind it a little, and sometimes lag. Streams deliver what their server's cache
// has read.

#include <cstdint>
#include <vector>

namespace gang::sim {

struct World;

class WatchCaches {
public:
    explicit WatchCaches(World& world);

    /// Each cache reads it soon.
    void store_changed();
    /// It reads all that is there, unless it lags.
    void advance(std::uint32_t server);
    /// The first place of the log that it has not read.
    std::uint64_t end(std::uint32_t server, bool is_of_nodes) const {
        return is_of_nodes ? caches_[server].nodes_to : caches_[server].pods_to;
    }
    /// One of them reads nothing for so long.
    void lag(std::int64_t ms);
    /// The store forgets the history that all caches have read.
    void compact();
    void heal();

private:
    struct Cache {
        std::uint64_t pods_to = 0;
        std::uint64_t nodes_to = 0;
        std::int64_t lags_until_ms = 0;
        bool advance_planned = false;
    };

    World& world_;
    std::vector<Cache> caches_;  ///< by server
};

}  // namespace gang::sim
