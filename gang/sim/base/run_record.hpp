#pragma once
// The record of a run: what is counted besides faults, a digest over everything that happened, and
// for whoever reads it a trace, a line for each thing that happens. Two runs of one seed end with
// the same record.

#include "gang/decision.hpp"
#include "gang/sim/base/counts.hpp"
#include "gang/sim/base/digest.hpp"
#include "gang/sim/base/event_queue.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace gang::sim {

/// A line for each thing that happens; empty: nobody reads it.
using Trace = std::function<void(const std::string&)>;

class RunRecord {
public:
    /// `now_ms`: the virtual time, which stands at the front of each line.
    RunRecord(Trace trace, const std::int64_t& now_ms)
        : trace_(std::move(trace)), now_ms_(now_ms) {}

    /// It was taken from the queue, and is what happens next.
    void happened(const Planned& planned) {
        ++counts.happenings;
        digest.add(
            static_cast<std::uint64_t>(planned.time_ms) << 8U |
            static_cast<std::uint64_t>(planned.what));
        digest.add((std::uint64_t{planned.a} << 32U) ^ planned.b);
    }
    /// A watch event with this revision was handed to a replica.
    void delivered(std::uint64_t revision) {
        ++counts.deliveries;
        digest.add(revision);
    }
    /// A line of the trace, made only if somebody reads it.
    template <typename Text>
    void say(Text text) {
        if (trace_) {
            write(text());
        }
    }
    void trace_decision(std::uint32_t replica, const Decision& decision) {
        if (trace_) {
            write_decision(replica, decision);
        }
    }

    Counts counts;
    Digest digest;

private:
    void write(const std::string& text);
    void write_decision(std::uint32_t replica, const Decision& decision);

    Trace trace_;
    const std::int64_t& now_ms_;
};

}  // namespace gang::sim
