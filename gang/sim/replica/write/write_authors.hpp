#pragma once
// Who decided each awaited write that waits in the queue, and what was seen then. Of one pod and
// one kind the queue takes them in the order of asking.

#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace gang::sim {

class WriteAuthors {
public:
    enum class Kind : std::uint8_t { bind, patch, evict };

    void add(const std::string& uid, Kind kind, const Author& author) {
        waiting_[{uid, kind}].push_back(author);
    }
    /// The queue gave out a write of this kind: the oldest one's author.
    Author take(const std::string& uid, Kind kind) {
        const auto authors = waiting_.find({uid, kind});
        const Author author = authors->second.front();
        authors->second.pop_front();
        if (authors->second.empty()) {
            waiting_.erase(authors);
        }
        return author;
    }
    bool empty() const { return waiting_.empty(); }

private:
    std::map<std::pair<std::string, Kind>, std::deque<Author>> waiting_;
};

}  // namespace gang::sim
