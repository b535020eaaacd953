#pragma once
// WriteBacklog: all that a writer was asked for and has not answered yet: what waits, in the order
// of service, what workers have taken, and in which order answers are due.

#include "k8s/protocol/write/answer_order.hpp"
#include "k8s/protocol/write/write_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace k8s {

class WriteBacklog {
public:
    explicit WriteBacklog(const WriteBounds& bounds) : queue_(bounds) {}

    /// What waits. Jobs come out by take() alone.
    WriteQueue& queue() { return queue_; }
    const WriteQueue& queue() const { return queue_; }
    /// The answers for each pod, in the order of the questions.
    AnswerOrder& answers() { return answers_; }

    /// The next job that may run now; one of the finish functions is called for it. Of `allowed`
    /// jobs at once, half may be such that nobody waits for: a bind finds the others free of them.
    std::optional<WriteJob> take(std::int64_t now_ms, std::size_t allowed) {
        auto job = queue_.take(now_ms, droppable_taken_ < std::max<std::size_t>(allowed / 2, 1));
        if (!job) return job;
        ++taken_;
        if (is_droppable(*job)) ++droppable_taken_;
        return job;
    }

    void finish_awaited(const std::string& uid) {
        --taken_;
        queue_.finished(uid);
        answers_.answered(uid);
    }
    void finish_droppable(const std::string& order_key) {
        --taken_;
        --droppable_taken_;
        queue_.finished(order_key);
    }
    void finish_fetch() { --taken_; }

    /// Jobs that were taken and are not through yet.
    std::size_t taken() const { return taken_; }
    /// All that is not answered.
    std::size_t size() const { return queue_.size() + taken_; }

private:
    WriteQueue queue_;
    AnswerOrder answers_;
    std::size_t taken_ = 0;
    std::size_t droppable_taken_ = 0;  ///< of these
};

}  // namespace k8s
