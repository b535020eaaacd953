#include "k8s/protocol/write/write_queue.hpp"

#include <utility>

namespace k8s {
namespace {

constexpr std::int64_t event_burst_seconds = 10;

template <typename Job>
bool add_bounded(std::deque<Job>& queue, std::size_t max, Job&& job) {
    if (queue.size() >= max) return false;
    queue.push_back(std::move(job));
    return true;
}

}  // namespace

WriteQueue::WriteQueue(const WriteBounds& bounds)
    : bounds_(bounds),
      conditions_(bounds.conditions_max),
      event_tokens_(bounds.events_per_second, bounds.events_per_second * event_burst_seconds) {}

bool WriteQueue::add(BindJob&& job) {
    if (binds_.size() >= bounds_.binds_max) return false;
    discard_condition(job.request.pod.uid);
    job.sequence = ++turns_.sequence;
    binds_.add(std::move(job));
    return true;
}

bool WriteQueue::add(EvictJob&& job) {
    return add_bounded(evictions_, bounds_.patches_max, std::move(job));
}

bool WriteQueue::add(FetchJob&& job) {
    return add_bounded(fetches_, bounds_.fetches_max, std::move(job));
}

bool WriteQueue::add(EventJob&& job) {
    return add_bounded(events_, bounds_.events_max, std::move(job));
}

bool WriteQueue::add(ObjectStatusJob&& job) {
    return add_bounded(object_statuses_, bounds_.object_statuses_max, std::move(job));
}

bool WriteQueue::add(PatchJob&& job) {
    if (job.done) {
        const std::string pod = job.patch.pod.uid;
        if (!add_bounded(patches_, bounds_.patches_max, std::move(job))) return false;
        patch_sequences_[pod].push_back(++turns_.sequence);
        return true;
    }
    return conditions_.put(std::move(job));
}

bool WriteQueue::may_start(const BindJob& job) const {
    const std::string& uid = job.request.pod.uid;
    const auto patches = patch_sequences_.find(uid);
    return is_free(uid) &&
           (patches == patch_sequences_.end() || patches->second.front() > job.sequence);
}

void WriteQueue::started(const PatchJob& job) {
    const auto patches = patch_sequences_.find(job.patch.pod.uid);
    patches->second.pop_front();
    if (patches->second.empty()) patch_sequences_.erase(patches);
}

template <typename Job>
std::optional<WriteJob> WriteQueue::take_from(std::deque<Job>& queue) {
    for (auto it = queue.begin(); it != queue.end(); ++it) {
        if (!may_start(*it)) continue;
        const std::string order_key = order_key_of(*it);
        if (!order_key.empty()) busy_.insert(order_key);
        started(*it);
        WriteJob taken = std::move(*it);
        queue.erase(it);
        return taken;
    }
    return std::nullopt;
}

std::optional<WriteJob> WriteQueue::take_bind() {
    auto job = binds_.take([this](const BindJob& one) { return may_start(one); });
    if (!job) return std::nullopt;
    busy_.insert(job->request.pod.uid);
    ++turns_.binds_since_other;
    ++turns_.binds_since_droppable;
    return *std::move(job);
}

std::optional<WriteJob> WriteQueue::take_other() {
    std::optional<WriteJob> job;
    if (turns_.is_fetch_next) job = take_from(fetches_);
    if (!job) job = take_from(evictions_);
    if (!job) job = take_from(patches_);
    if (!job) job = take_from(fetches_);
    if (!job) return job;
    turns_.is_fetch_next = !std::holds_alternative<FetchJob>(*job);
    turns_.binds_since_other = 0;
    return job;
}

std::optional<WriteJob> WriteQueue::take_droppable(std::int64_t now_ms) {
    std::optional<WriteJob> job;
    if (auto condition = conditions_.take([this](const auto& uid) { return is_free(uid); })) {
        busy_.insert(condition->patch.pod.uid);
        job = *std::move(condition);
    }
    if (!job) job = take_from(object_statuses_);
    if (!job && !events_.empty() && event_tokens_.take(now_ms)) job = take_from(events_);
    if (job) turns_.binds_since_droppable = 0;
    return job;
}

bool WriteQueue::is_overdue(std::int64_t now_ms) const {
    const std::int64_t then = now_ms - patience_ms;
    return conditions_.waits_since(then) ||
           (!object_statuses_.empty() && object_statuses_.front().since_ms <= then) ||
           (!events_.empty() && events_.front().since_ms <= then);
}

std::optional<WriteJob> WriteQueue::take(std::int64_t now_ms, bool with_droppable) {
    if (turns_.binds_since_other >= binds_per_other) {
        if (auto job = take_other()) return job;
    }
    if (with_droppable && turns_.binds_since_droppable >= binds_per_droppable &&
        is_overdue(now_ms)) {
        if (auto job = take_droppable(now_ms)) return job;
    }
    if (auto job = take_bind()) return job;
    if (auto job = take_other()) return job;
    if (with_droppable) return take_droppable(now_ms);
    return std::nullopt;
}

void WriteQueue::finished(const std::string& order_key) {
    if (!order_key.empty()) busy_.erase(order_key);
}

void WriteQueue::discard_condition(const std::string& uid) {
    conditions_.discard(uid);
}

void WriteQueue::keep_only_awaited_writes() {
    fetches_.clear();
    conditions_.clear();
    object_statuses_.clear();
    events_.clear();
}

std::int64_t WriteQueue::event_wait_ms(std::int64_t now_ms) {
    return events_.empty() ? -1 : event_tokens_.wait_ms(now_ms);
}

bool WriteQueue::has_work(std::int64_t now_ms) {
    return binds_.size() + patches_.size() + evictions_.size() + fetches_.size() +
                   conditions_.size() + object_statuses_.size() >
               0 ||
           event_wait_ms(now_ms) == 0;
}

std::size_t WriteQueue::size() const {
    return binds_.size() + patches_.size() + evictions_.size() + fetches_.size() +
           conditions_.size() + object_statuses_.size() + events_.size();
}

}  // namespace k8s
