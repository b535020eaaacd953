#pragma once
// The text of a recording: everything that was given to a scheduler from its birth on, and what
// came out. JSON lines; members that have their default value are left out.
//
//   {"recording":1,"program":"0.1.0","config":{...}}         first line: what it was made with
//   {"seq":1,"ms":1800000000000,"event":{"relistBegun":{}}}  before each step
//   {"after":7,"decisions":[{"bind":{...}}],"digest":"89ab...","state":"01cd..."}
//   {"end":"it has reached its 256Mi"}                       nothing follows
//
// The third kind follows every Tick, and every other step that decided something. `digest` is over
// all decisions since the first line, `state`, there only now and then, over the ledger and the
// queue. Replay (recording.hpp) checks both.

#include "config/schema.hpp"
#include "core/base/result.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gang {

/// Of the lines' text; raised when a recording would be read as something else.
inline constexpr std::int64_t recording_format = 1;
/// A longer line is no line of ours: a watched object has at most a few MiB.
inline constexpr std::size_t recording_line_bytes_max = 16U * 1024 * 1024;

struct LogHeader {
    std::int64_t format = recording_format;
    std::string program;  ///< version of who wrote it
    config::Schema config;
    friend bool operator==(const LogHeader&, const LogHeader&) = default;
};

struct LogCheck {
    std::uint64_t after = 0;          ///< sequence number of the event
    std::vector<Decision> decisions;  ///< that its step made
    std::uint64_t digest = 0;
    std::optional<std::uint64_t> state;
};

struct LogEnd {
    std::string why;
};

using LogLine = std::variant<LogHeader, StampedEvent, LogCheck, LogEnd>;

// Each makes one line, newline included.
/// Without the kubeconfig's path.
std::string encode(const LogHeader& header);
/// Without the volumes of an executor template, which no decision reads.
std::string encode(const StampedEvent& event);
std::string encode(const LogCheck& check);
std::string encode(const LogEnd& end);

/// One decision as it stands in a check, for comparing and showing.
std::string encode(const Decision& decision);

/// A line without its newline. The error says which member is not what it should be.
core::Result<LogLine> decode_line(std::string_view line);

/// Adds what a step decided to the digest of all before it (0 at first).
std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t sequence, Decisions decisions);

}  // namespace gang
