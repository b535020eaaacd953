#pragma once
// The outages of the API servers: which of them are down, whether their common store pauses, and
// whether replicas have lost their rights. Each ends by itself when its time is over.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gang::sim {

class Outages {
public:
    /// `now_ms`: the virtual time.
    Outages(std::size_t servers, const std::int64_t& now_ms)
        : now_ms_(now_ms), down_until_ms_(servers, 0) {}

    void take_down(std::uint32_t server, std::int64_t ms) { down_until_ms_[server] = now_ms_ + ms; }
    bool is_down(std::uint32_t server) const { return down_until_ms_[server] > now_ms_; }

    /// Its leader changes: nothing is read or written meanwhile.
    void pause_store(std::int64_t ms) { store_paused_until_ms_ = now_ms_ + ms; }
    bool is_store_paused() const { return store_paused_until_ms_ > now_ms_; }
    std::int64_t store_paused_until_ms() const { return store_paused_until_ms_; }

    /// Every request is answered with this status.
    void lose_rights(int status, std::int64_t ms) {
        rights_lost_status_ = status;
        rights_lost_until_ms_ = now_ms_ + ms;
    }
    bool are_rights_lost() const { return rights_lost_until_ms_ > now_ms_; }
    int rights_lost_status() const { return rights_lost_status_; }

    void heal() {
        down_until_ms_.assign(down_until_ms_.size(), 0);
        store_paused_until_ms_ = 0;
        rights_lost_until_ms_ = 0;
    }

private:
    const std::int64_t& now_ms_;
    std::vector<std::int64_t> down_until_ms_;  ///< by server
    std::int64_t store_paused_until_ms_ = 0;
    std::int64_t rights_lost_until_ms_ = 0;
    int rights_lost_status_ = 403;
};

}  // namespace gang::sim
