#pragma once
// One patch of pods/status until it is certain or given up. A patch says the same thing each time,
// so it may be repeated when its outcome is unknown. With a resourceVersion as precondition the
// repetition of one that had landed is answered 409 like a patch that came too late: `changed` says
// only that the pod is to be looked at again. Without one a 409 means that the server has lost
// against other writers on each of its own attempts, or another uid; it is asked once more and no
// further.

#include "k8s/protocol/bind.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace k8s::protocol {

struct SendPatch {};
struct PatchFinished {
    bool written = false;
    std::string message;
    bool changed = false;    ///< 409: the pod is past the resourceVersion that was named
    bool unsettled = false;  ///< given up, and an attempt that had no answer may still land
};
using PatchAction = std::variant<SendPatch, Wait, PatchFinished>;

inline constexpr std::int32_t patch_attempts_max = 8;

class StatusWrite {
public:
    explicit StatusWrite(bool has_precondition) : has_precondition_(has_precondition) {}

    PatchAction start(bool may_write);
    PatchAction on_answer(const HttpAnswer& answer, std::uint32_t random);
    PatchAction on_no_answer(bool maybe_sent, const std::string& message, std::uint32_t random);
    PatchAction on_waited(bool may_write) { return start(may_write); }

private:
    PatchAction again(std::int64_t at_least_ms, const std::string& message, std::uint32_t random);
    PatchFinished fail(const std::string& message) const;

    bool has_precondition_;
    bool conflicted_ = false;
    bool maybe_sent_ = false;  ///< an attempt that had no certain answer
    std::int32_t attempts_ = 0;
};

}  // namespace k8s::protocol
