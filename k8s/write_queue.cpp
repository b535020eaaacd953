#include "k8s/write_queue.hpp"

#include "k8s/protocol/version.hpp"

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

std::string lane_of_job(const BindJob& job) {
    return job.request.pod.uid;
}
std::string lane_of_job(const PatchJob& job) {
    return job.patch.pod.uid;
}
std::string lane_of_job(const FetchJob&) {
    return {};
}
std::string lane_of_job(const EventJob&) {
    return {};
}

}  // namespace

std::string lane_of(const WriteJob& job) {
    return std::visit([](const auto& one) { return lane_of_job(one); }, job);
}

bool is_awaited_write(const WriteJob& job) {
    if (const auto* patch = std::get_if<PatchJob>(&job)) return static_cast<bool>(patch->done);
    return std::holds_alternative<BindJob>(job);
}

WriteQueue::WriteQueue(const WriterOptions& bounds)
    : binds_max_(bounds.binds_max),
      patches_max_(bounds.patches_max),
      fetches_max_(bounds.fetches_max),
      conditions_max_(bounds.conditions_max),
      events_max_(bounds.events_max),
      event_tokens_(bounds.events_per_second, bounds.events_per_second * event_burst_seconds) {}

bool WriteQueue::add(BindJob&& job) {
    job.sequence = ++next_sequence_;
    return add_bounded(binds_, binds_max_, std::move(job));
}

bool WriteQueue::add(FetchJob&& job) {
    return add_bounded(fetches_, fetches_max_, std::move(job));
}

bool WriteQueue::add(EventJob&& job) {
    return add_bounded(events_, events_max_, std::move(job));
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
        const std::string lane = lane_of_job(*it);
        if (!lane.empty()) busy_.insert(lane);
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

std::optional<WriteJob> WriteQueue::take(std::int64_t now_ms) {
    if (auto job = take_from(binds_)) return job;
    if (auto job = take_from(patches_)) return job;
    if (auto job = take_from(fetches_)) return job;
    if (auto job = take_condition()) return job;
    if (!events_.empty() && event_tokens_.take(now_ms)) return take_from(events_);
    return std::nullopt;
}

void WriteQueue::finished(const std::string& lane) {
    if (!lane.empty()) busy_.erase(lane);
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
    events_.clear();
}

std::int64_t WriteQueue::event_wait_ms(std::int64_t now_ms) {
    return events_.empty() ? -1 : event_tokens_.wait_ms(now_ms);
}

std::size_t WriteQueue::size() const {
    return binds_.size() + patches_.size() + fetches_.size() + conditions_.size() + events_.size();
}

void PodVersions::wrote(const std::string& uid, const std::string& version) {
    if (version.empty()) return;
    const auto [it, fresh] = pods_.try_emplace(uid);
    it->second.version = version;
    if (!fresh) return;
    order_.push_back(uid);
    if (order_.size() > kept_max) {
        pods_.erase(order_.front());
        order_.pop_front();
    }
}

std::string PodVersions::newest(const std::string& uid, const std::string& shown) const {
    const auto known = pods_.find(uid);
    if (known == pods_.end() || shown.empty()) return shown;
    const std::string& version = known->second.version;
    const auto order = protocol::compare_versions(shown, version);
    return order == std::partial_ordering::less ? version : shown;
}

void PodVersions::wrote_condition(const std::string& uid) {
    if (const auto known = pods_.find(uid); known != pods_.end()) {
        known->second.has_condition = true;
    }
}

bool PodVersions::has_condition(const std::string& uid) const {
    const auto known = pods_.find(uid);
    return known != pods_.end() && known->second.has_condition;
}

}  // namespace k8s
