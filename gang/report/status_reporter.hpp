#pragma once
// What users are told: the PodScheduled condition and the events of waiting pods. Owns the memory
// of what was said, so that nothing is written twice and a number that wobbles is not a write each
// time.
//
//   A text with another code is written at once. The same code with other numbers (and the change
//   between "no room" and "behind others", which goes back and forth) waits: soft_gap per pod, and
//   soft_per_second over all pods. An executor's first "wait" is soft, too. A newer text wins.
//
//   A fence's text says nothing about the pod: the text that follows is the first one, whatever its
//   code, and has its event, unless this leader had said the very same before. It still keeps to
//   soft_per_second, for a new leader has one for each pod that waits.

#include "core/base/text.hpp"
#include "core/value/pod.hpp"
#include "gang/decision.hpp"
#include "gang/explain.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

inline constexpr std::int64_t soft_gap_ms = 5'000;
inline constexpr std::int64_t soft_per_second = 20;
/// Of a text with its code. The same text is an event's note, and the API server takes 1 kB of
/// that.
inline constexpr std::size_t status_message_bytes_max = 1000;

/// A sentence and the code it ends with.
struct StatusMessage {
    ReasonCode code = ReasonCode::none;
    std::string sentence;
    bool is_bare = false;  ///< the code is not written: others have no such codes
    friend bool operator==(const StatusMessage&, const StatusMessage&) = default;
};

/// "No room" and "behind others", which go back and forth.
bool is_about_capacity(ReasonCode code);

PodRef ref_of(const core::Pod& pod);

class StatusReporter {
public:
    /// The pod waits for this reason. Written now, later, or not at all when it stands there
    /// already: then the answer is false.
    bool report(const core::Pod& pod, StatusMessage message, std::int64_t now_ms);

    /// The same without an event: for pods that only wait for their gang, and where it is too early
    /// to warn. A report() of the same text later has the event.
    bool report_quietly(const core::Pod& pod, StatusMessage message, std::int64_t now_ms);

    /// A fence's condition: always written, on the pod as it was seen, and answered.
    void report_fence(const core::Pod& pod, std::string text);

    void event(const core::Pod& pod, bool warning, std::string reason, std::string message);

    /// The pod is bound or gone: whatever still waits to be said about it is void.
    void forget(const std::string& uid);

    /// The pod of this uid, as decisions name it.
    using FindPod = std::function<PodRef(const std::string& uid)>;
    /// Moves what may be written by now into `decisions`. Who has not been forgotten is asked for
    /// by his uid.
    void flush(std::vector<Decision>& decisions, std::int64_t now_ms, const FindPod& find_pod);

    /// When flush() may have something that it has not now.
    std::optional<std::int64_t> next_due_ms() const;

    /// Another leader may have said other things: only what the API server shows counts.
    void forget_all();

    std::size_t remembered() const { return reported_.size(); }

private:
    struct Reported {
        ReasonCode code = ReasonCode::none;
        ReasonCode waiting_code = ReasonCode::none;
        bool is_transition = true;  ///< that the waiting text brings
        bool has_event = false;     ///< the waiting text
        bool is_fence = false;      ///< what stands there is a fence's text
        bool lacks_event = false;   ///< what stands there was written quietly
        std::size_t text = 0;       ///< its hash: ten thousand may wait, with a long sentence each
        bool is_resaid = false;     ///< only a fence's text stood between it and itself
        /// The text that had its event before a fence's took its place; 0: none.
        std::size_t before_fence = 0;
        std::int64_t at_ms = 0;
        /// A soft change that is not written yet, or empty. A gang's executors share one.
        core::Text waiting;
    };
    struct Due {
        std::int64_t at_ms;
        const std::string* uid;  ///< the key in reported_
    };
    struct ByDue {
        bool operator()(const Due& a, const Due& b) const {
            return a.at_ms != b.at_ms ? a.at_ms < b.at_ms : *a.uid < *b.uid;
        }
    };

    enum class Note : std::uint8_t { known, later, now };
    enum class Voice : std::uint8_t { quiet, loud };
    Note note(const core::Pod& pod, const StatusMessage& message, Voice voice, std::int64_t now_ms);
    Reported& recall(const core::Pod& pod);
    void write(PodRef pod, ReasonCode code, std::string text, bool is_transition);

    core::Texts texts_;
    std::map<std::string, Reported> reported_;
    std::set<Due, ByDue> soft_;  ///< waiting texts by the time they are due
    std::vector<Decision> ready_;
    std::int64_t second_ = 0;
    std::int64_t soft_written_ = 0;
};

}  // namespace gang
