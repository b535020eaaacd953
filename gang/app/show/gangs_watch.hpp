#pragma once
// What `gangs --watch` prints: first all gangs, then a line for each that has changed.

#include "gang/app/base/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang::app {

class GangsWatch {
public:
    /// Wide: with the queue of each. Names: `pod/DRIVER` alone.
    GangsWatch(bool is_wide, bool is_names) : is_wide_(is_wide), is_names_(is_names) {}

    /// What is to be printed now. A change of age alone is none; a gang that is no longer in the
    /// list is printed once more, as Ended. Empty: nothing has changed.
    std::string update(const GangList& list, std::int64_t now_unix_ms);

private:
    std::string text(const GangList& changed, std::int64_t now_unix_ms);

    bool is_wide_;
    bool is_names_;
    bool has_begun_ = false;
    std::vector<std::size_t> widths_;        ///< of the columns: they only grow
    std::map<std::string, GangView> known_;  ///< by the driver's uid
};

}  // namespace gang::app
