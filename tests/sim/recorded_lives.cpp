#include "tests/sim/recorded_lives.hpp"

#include <fstream>
#include <ios>

namespace sim_tool {

std::optional<RecordedLives> RecordedLives::read(const std::string& path) {
    RecordedLives lives;
    std::ifstream file(path);
    std::uint64_t seed = 0;
    std::uint64_t digest = 0;
    while (file >> std::dec >> seed >> std::hex >> digest) {
        lives.digests_[seed] = digest;
    }
    if (!file.eof() || lives.digests_.empty()) {
        return std::nullopt;
    }
    return lives;
}

bool RecordedLives::is_life_of(std::uint64_t seed, std::uint64_t digest) const {
    const auto found = digests_.find(seed);
    return found != digests_.end() && found->second == digest;
}

}  // namespace sim_tool
