#pragma once
// One pod's bind, from the first POST to an outcome that is certain. No sockets: inputs are
// answers, outputs are the next thing to do.
//
//            +--> wait --+ 429, 503 with Retry-After: nothing was executed
//            |           v
//   start -> post ---------> finished      201, 400, 403, 404, 413, 422, ...
//            ^  |
//            |  | 409, or no certain answer (timeout, reset, 408, 5xx)
//            |  v
//            +- read pod --> finished      the pod says: ours, another node, gone, changed, ...
//               ^  |
//               +--+ wait, while the pod cannot be read, and before each read after a repeated
//                    attempt without a certain answer

#include <cstdint>
#include <string>
#include <variant>

namespace k8s::protocol {

enum class BindOutcome : std::uint8_t {
    bound,         ///< 201, or the pod is on our node: an earlier attempt landed
    taken,         ///< assigned to another node
    gone,          ///< 404, or another uid: this pod will never come back
    changed,       ///< the precondition on resourceVersion failed: decide again
    not_bindable,  ///< being deleted or gated
    refused,       ///< 400/403/413/422: will not work by repeating it
    not_sent       ///< certain that nothing was executed and nothing will be
};

/// What a read at the newest version says about a pod.
struct PodState {
    bool exists = false;
    std::string uid;
    std::string resource_version;
    std::string node;
    bool deleting = false;
    bool gated = false;
};

struct HttpAnswer {
    int status = 0;
    std::string message;               ///< of the Status object, for people
    std::int64_t retry_after_ms = -1;  ///< -1: the server did not say
};

struct PostBinding {};
struct ReadPod {};
/// Do nothing for this long, then call on_waited().
struct Wait {
    std::int64_t ms;
};
struct BindFinished {
    BindOutcome outcome;
    std::string message;
};
using BindAction = std::variant<PostBinding, ReadPod, Wait, BindFinished>;

struct BindTarget {
    std::string uid;
    std::string resource_version;  ///< empty: no precondition
    std::string node;
};

inline constexpr std::int32_t bind_throttled_max = 8;  ///< 429s in a row before not_sent
inline constexpr std::int64_t bind_retry_after_ms_max = 10'000;

class Bind {
public:
    explicit Bind(BindTarget target);

    /// `may_write`: we still lead. Asked anew for each action, because each may send a write;
    /// `random` spreads retries.
    BindAction start(bool may_write);
    BindAction on_answer(const HttpAnswer& answer, std::uint32_t random);
    BindAction on_no_answer(bool maybe_sent, const std::string& message, std::uint32_t random);
    BindAction on_pod(const PodState& pod, bool may_write);
    BindAction on_pod_unreadable(std::uint32_t random);
    BindAction on_waited(bool may_write);

    const BindTarget& target() const { return target_; }

private:
    enum class State : std::uint8_t {
        posting,
        reading,
        waiting_to_post,
        waiting_to_read,
        finished
    };

    BindAction post_or_give_up(bool may_write);
    BindAction finish(BindOutcome outcome, std::string message);
    BindAction read(bool maybe_landed, std::uint32_t random);
    BindAction throttled(std::int64_t retry_after_ms, std::uint32_t random);
    std::int64_t delay(std::uint32_t random);

    BindTarget target_;
    State state_ = State::posting;
    bool maybe_landed_ = false;  ///< some attempt's outcome is unknown
    bool conflicted_ = false;    ///< the last answer was 409
    std::int32_t throttled_ = 0;
    std::int32_t attempt_ = 0;
    std::string why_;  ///< the last trouble, for the outcome's message
};

}  // namespace k8s::protocol
