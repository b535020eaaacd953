#pragma once
// Writes to pods' status that are not answered yet.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace gang {

/// Writes to one pod are serial, so their answers come in the order in which they were sent.
class AwaitedAnswers {
public:
    enum class Write : std::uint8_t { fence, reservation, held_reservation };

    void expect(const std::string& uid, Write write) { writes_[uid].push_back(write); }
    /// An answer has come: of the oldest write to this pod. Nothing: none was expected (any more).
    std::optional<Write> take(const std::string& uid) {
        const auto found = writes_.find(uid);
        if (found == writes_.end()) {
            return std::nullopt;
        }
        const Write write = found->second.front();
        found->second.pop_front();
        if (found->second.empty()) {
            writes_.erase(found);
        }
        return write;
    }
    /// The pod is gone.
    void forget(const std::string& uid) { writes_.erase(uid); }
    void clear() { writes_.clear(); }
    /// Pods of which answers are awaited.
    std::size_t size() const { return writes_.size(); }

private:
    std::map<std::string, std::deque<Write>> writes_;  ///< by the pod's uid, none empty
};

}  // namespace gang
