#pragma once
// Room on nodes that came after an autoscaler was asked for a gang, kept for that gang until it fits
// as a whole (gang/demand/bought_nodes). By the driver's uid.

#include "core/cluster/cluster.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
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
        const auto found = rooms_.find(gang);
        if (found == rooms_.end()) return;
        for (const BoughtRoom::Place& place : found->second.places) cluster.allocations().release(place.room);
        rooms_.erase(found);
    }
    /// Of any gang, as far as `is_over(place)`.
    template <typename IsOver>
    void give_back_if(core::Cluster& cluster, const IsOver& is_over) {
        for (auto next = rooms_.begin(); next != rooms_.end();) {
            std::vector<BoughtRoom::Place>& places = next->second.places;
            std::erase_if(places, [&](const BoughtRoom::Place& place) {
                if (!is_over(place)) return false;
                cluster.allocations().release(place.room);
                return true;
            });
            next = places.empty() ? rooms_.erase(next) : std::next(next);
        }
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
