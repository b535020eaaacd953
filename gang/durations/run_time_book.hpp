#pragma once
// How long gangs of one name ran, as far as that was seen: the last runs of each name that ended
// well. Bounded, whatever names tenants choose: the name that was not heard of for the longest time
// is forgotten first.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// What is expected of one gang, in ms.
struct RunTime {
    std::int64_t median_ms = 0;  ///< to be shown
    std::int64_t safe_ms = 0;    ///< nine of ten are done by then: to plan with
    std::int32_t samples = 0;    ///< 0: its driver says so
    friend bool operator==(const RunTime&, const RunTime&) = default;
};

class RunTimeBook {
public:
    static constexpr std::size_t names_max = 2048;
    static constexpr std::size_t samples_max = 32;
    /// With fewer nothing is expected.
    static constexpr std::size_t samples_min = 5;

    /// A run that ended well at `ended_ms` (Unix). Saying it again changes nothing, so lists may
    /// come as often as they like, and in any order.
    void learn(std::string_view name, std::int64_t ended_ms, std::int64_t run_ms);
    /// Nothing: too few runs are known.
    std::optional<RunTime> find(std::string_view name) const;
    std::size_t size() const { return names_.size(); }

private:
    struct Sample {
        std::int64_t ended_ms = 0;
        std::int64_t run_ms = 0;
        friend auto operator<=>(const Sample&, const Sample&) = default;
    };
    struct Runs {
        std::vector<Sample> samples;  ///< by their end
        std::uint64_t heard = 0;      ///< key in by_heard_
        std::optional<RunTime> expected;
    };
    using Names = std::map<std::string, Runs, std::less<>>;

    void count(Runs& runs) const;
    void hear(Names::iterator runs);

    Names names_;
    std::map<std::uint64_t, Names::iterator> by_heard_;  ///< the longest ago first
    std::uint64_t heard_ = 0;
};

}  // namespace gang
