#pragma once
// A scheduler's whole life as text, and the way back: the same events through a fresh scheduler
// must give the same decisions. Pure: whoever writes or reads the file hands lines over.
//
//   recording:  begin -> (before -> step -> after)*  ->  lines
//   replay:     feed(line)*, then difference()

#include "gang/explain.hpp"
#include "gang/record/event_log.hpp"
#include "gang/scheduler.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// Over the ledger and the gangs, as they are shown.
std::uint64_t state_digest(
    const std::vector<NodeLedger>& nodes, const std::vector<GangView>& gangs);

/// Makes the lines of one scheduler's life. Each answer is zero or more whole lines.
class Recording {
public:
    std::string begin(std::string_view program, const config::Schema& config);
    /// Before the step, so that an event that ends the process is in the recording.
    std::string before(const StampedEvent& event) const { return encode(event); }
    std::string after(const StampedEvent& event, Decisions decisions, const Scheduler& scheduler);

private:
    /// Between two looks at the whole state, in the time of events.
    static constexpr std::int64_t state_every_ms = 10'000;

    std::uint64_t digest_ = 0;
    std::optional<std::int64_t> state_at_ms_;
};

/// Folds a recording through a scheduler of its own and compares.
class Replay {
public:
    struct Counts {
        std::uint64_t events = 0;
        std::uint64_t ticks = 0;
        std::uint64_t decisions = 0;  ///< made here
        std::uint64_t checks = 0;     ///< digests compared
        std::uint64_t states = 0;     ///< digests of the whole state compared
    };
    struct Difference {
        std::uint64_t sequence = 0;
        std::string what;
    };
    /// Sees each step, before it is compared with what was recorded.
    using Watcher = std::function<void(const StampedEvent&, Decisions)>;

    explicit Replay(Watcher watcher = {}) : watcher_(std::move(watcher)) {}

    /// One line without its newline. An error: this is not the next line of a recording. After a
    /// difference nothing more is looked at.
    core::Result<core::Done> feed(std::string_view line);

    const std::optional<LogHeader>& header() const { return header_; }
    const Counts& counts() const { return counts_; }
    const std::optional<Difference>& difference() const { return difference_; }
    std::uint64_t last_sequence() const { return last_sequence_; }
    /// Why the recording ended before the scheduler did, if it says so.
    const std::string& end() const { return end_; }
    /// After the header.
    const Scheduler& scheduler() const { return *scheduler_; }

private:
    core::Result<core::Done> take(LogHeader header);
    core::Result<core::Done> take(const StampedEvent& event);
    core::Result<core::Done> take(const LogCheck& check);
    core::Result<core::Done> take(const LogEnd& end);
    void compare(const LogCheck& check);
    void differ(std::string what) { difference_ = Difference{last_sequence_, std::move(what)}; }

    Watcher watcher_;
    std::optional<LogHeader> header_;
    std::optional<Scheduler> scheduler_;
    Counts counts_;
    std::optional<Difference> difference_;
    std::uint64_t last_sequence_ = 0;
    bool must_check_ = false;  ///< the last step is one that a check line follows
    std::vector<Decision> decided_;
    std::uint64_t digest_ = 0;
    std::string end_;
};

}  // namespace gang
