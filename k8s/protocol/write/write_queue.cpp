#include "k8s/protocol/write/write_queue.hpp"

#include <iterator>
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
    : binds_max_(bounds.binds_max),
      patches_max_(bounds.patches_max),
      fetches_max_(bounds.fetches_max),
      conditions_max_(bounds.conditions_max),
      object_statuses_max_(bounds.object_statuses_max),
      events_max_(bounds.events_max),
      event_tokens_(bounds.events_per_second, bounds.events_per_second * event_burst_seconds) {}

bool WriteQueue::add(BindJob&& job) {
    if (binds_.size() >= binds_max_) return false;
    discard_condition(job.request.pod.uid);
    job.sequence = ++next_sequence_;
    binds_.add(std::move(job));
    return true;
}

bool WriteQueue::add(EvictJob&& job) {
    return add_bounded(evictions_, patches_max_, std::move(job));
}

bool WriteQueue::add(FetchJob&& job) {
    return add_bounded(fetches_, fetches_max_, std::move(job));
}

bool WriteQueue::add(EventJob&& job) {
    return add_bounded(events_, events_max_, std::move(job));
}

bool WriteQueue::add(ObjectStatusJob&& job) {
    return add_bounded(object_statuses_, object_statuses_max_, std::move(job));
}

bool WriteQueue::add(PatchJob&& job) {
    if (job.done) {
        const std::string pod = job.patch.pod.uid;
        if (!add_bounded(patches_, patches_max_, std::move(job))) return false;
        patch_sequences_[pod].push_back(++next_sequence_);
        return true;
    }
    const std::string& uid = job.patch.pod.uid;
    if (auto known = condition_of_.find(uid); known != condition_of_.end()) {
        job.since_ms = known->second->since_ms;
        *known->second = std::move(job);
        return true;
    }
    if (conditions_.size() >= conditions_max_) return false;
    conditions_.push_back(std::move(job));
    const auto last = std::prev(conditions_.end());
    condition_of_.emplace(last->patch.pod.uid, last);
    return true;
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

std::optional<WriteJob> WriteQueue::take_condition() {
    for (auto it = conditions_.begin(); it != conditions_.end(); ++it) {
        const std::string uid = it->patch.pod.uid;
        if (!is_free(uid)) continue;
        WriteJob taken = std::move(*it);
        condition_of_.erase(uid);
        conditions_.erase(it);
        busy_.insert(uid);
        return taken;
    }
    return std::nullopt;
}

std::optional<WriteJob> WriteQueue::take_bind() {
    auto job = binds_.take([this](const BindJob& one) { return may_start(one); });
    if (!job) return std::nullopt;
    busy_.insert(job->request.pod.uid);
    ++binds_since_other_;
    ++binds_since_droppable_;
    return *std::move(job);
}

std::optional<WriteJob> WriteQueue::take_other() {
    std::optional<WriteJob> job;
    if (fetch_next_) job = take_from(fetches_);
    if (!job) job = take_from(evictions_);
    if (!job) job = take_from(patches_);
    if (!job) job = take_from(fetches_);
    if (!job) return job;
    fetch_next_ = !std::holds_alternative<FetchJob>(*job);
    binds_since_other_ = 0;
    return job;
}

std::optional<WriteJob> WriteQueue::take_droppable(std::int64_t now_ms) {
    auto job = take_condition();
    if (!job) job = take_from(object_statuses_);
    if (!job && !events_.empty() && event_tokens_.take(now_ms)) job = take_from(events_);
    if (job) binds_since_droppable_ = 0;
    return job;
}

bool WriteQueue::is_overdue(std::int64_t now_ms) const {
    const std::int64_t then = now_ms - patience_ms;
    return (!conditions_.empty() && conditions_.front().since_ms <= then) ||
           (!object_statuses_.empty() && object_statuses_.front().since_ms <= then) ||
           (!events_.empty() && events_.front().since_ms <= then);
}

std::optional<WriteJob> WriteQueue::take(std::int64_t now_ms, bool with_droppable) {
    if (binds_since_other_ >= binds_per_other) {
        if (auto job = take_other()) return job;
    }
    if (with_droppable && binds_since_droppable_ >= binds_per_droppable && is_overdue(now_ms)) {
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
    auto known = condition_of_.find(uid);
    if (known == condition_of_.end()) return;
    conditions_.erase(known->second);
    condition_of_.erase(known);
}

void WriteQueue::keep_only_awaited_writes() {
    fetches_.clear();
    conditions_.clear();
    condition_of_.clear();
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
