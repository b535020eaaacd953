#pragma once
// Room on nodes that came after an autoscaler was asked for a gang, kept for that gang until it fits
// as a whole (gang/demand/bought_nodes). By the driver's uid.

#include "core/cluster/cluster.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

struct BoughtRoom {
    struct Place {
        core::AllocationId room;
        std::size_t shape = 0;  ///< 0: the driver; n: the n-th of the gang's shapes
    };
    std::vector<Place> places;
    std::int64_t until_ms = 0;  ///< no longer, unless another node comes

    std::int64_t count(std::size_t shape) const {
        std::int64_t held = 0;
        for (const Place& place : places) held += place.shape == shape ? 1 : 0;
        return held;
    }
};

class BoughtRooms {
public:
    /// nullptr: nothing is kept for it.
    const BoughtRoom* find(const std::string& gang) const {
        const auto found = rooms_.find(gang);
        return found == rooms_.end() ? nullptr : &found->second;
    }
    const std::map<std::string, BoughtRoom>& all() const { return rooms_; }
    void hold(const std::string& gang, BoughtRoom::Place place, std::int64_t until_ms) {
        BoughtRoom& room = rooms_[gang];
        room.places.push_back(place);
        room.until_ms = until_ms;
    }
    /// What is kept for it is free again.
    void give_back(const std::string& gang, core::Cluster& cluster) {
        give_back_if(gang, cluster, [](const BoughtRoom::Place&) { return true; });
    }
    /// As far as `is_over(place)`.
    template <typename IsOver>
    void give_back_if(const std::string& gang, core::Cluster& cluster, const IsOver& is_over) {
        const auto found = rooms_.find(gang);
        if (found == rooms_.end()) return;
        std::erase_if(found->second.places, [&](const BoughtRoom::Place& place) {
            if (!is_over(place)) return false;
            cluster.release(place.room);
            return true;
        });
        if (found->second.places.empty()) rooms_.erase(found);
    }
    std::size_t size() const { return rooms_.size(); }
    std::size_t held_count() const {
        std::size_t held = 0;
        for (const auto& [gang, room] : rooms_) held += room.places.size();
        return held;
    }

private:
    std::map<std::string, BoughtRoom> rooms_;
};

}  // namespace gang
