#pragma once
// Uids that were deleted lately: events that come late must not revive them. The oldest are forgotten.

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::protocol {

class Burials {
public:
    static constexpr std::size_t buried_max = 1'024;

    /// Once is enough.
    void bury(std::string_view uid);
    bool is_buried(std::string_view uid) const { return uids_.find(uid) != uids_.end(); }

private:
    std::set<std::string, std::less<>> uids_;
    std::vector<std::string> order_;  ///< ring over uids_
    std::size_t next_ = 0;
};

}  // namespace k8s::protocol
