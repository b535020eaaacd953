#pragma once
// How much storage drivers have left for volumes of their classes (core/value/volume/storage.hpp).
// Nothing of it is asked for before a pod of ours waits for a claim whose driver says so.
//
//   unasked --such a claim is waited for--> asked --> known
//                                             '-----> nothing is limited: we may not list it

#include "core/value/volume/storage.hpp"
#include "gang/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

class StorageRoom {
public:
    StorageRoom() = default;
    StorageRoom(const StorageRoom&) = delete;
    StorageRoom& operator=(const StorageRoom&) = delete;

    /// True: it is to be asked for now, which happens once.
    bool ask() { return !std::exchange(is_asked_, true); }

    // --- answers ---
    void listed(const StorageListed& event);
    void changed(const StorageChanged& event);
    void missing();

    /// Where claims that need storage have it can be said, or will not be.
    bool is_known() const { return is_known_; }
    /// Adds where the claim, if it needs storage, gets a volume of so many bytes.
    void add_nodes(const core::Claim& claim, std::vector<core::VolumeNodes>& to) const;
    /// Storage classes of which something is another than when this was last asked.
    std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

private:
    using Segments = std::map<std::string, core::StorageSegment>;  ///< by name
    using Wish = std::pair<std::string, std::int64_t>;             ///< storage class, bytes

    void note_change(const std::string& storage_class);

    std::map<std::string, Segments> by_class_;
    std::set<std::string> changed_;
    mutable std::map<Wish, core::VolumeNodes> answers_;  ///< those of executors are alike
    bool is_asked_ = false;
    bool is_known_ = false;
    bool is_limited_ = false;
};

}  // namespace gang
