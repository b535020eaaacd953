#pragma once
// What seeds have ended with before: a file of lines "seed digest", which --digests writes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sim_tool {

class RecordedLives {
public:
    /// Nothing: there is no such file, or a line of it is none.
    static std::optional<RecordedLives> read(const std::string& path);
    /// A seed that is not recorded lives no life that is.
    bool is_life_of(std::uint64_t seed, std::uint64_t digest) const;

private:
    std::map<std::uint64_t, std::uint64_t> digests_;  ///< by seed
};

}  // namespace sim_tool
