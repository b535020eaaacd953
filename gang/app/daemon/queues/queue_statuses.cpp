#include "gang/app/daemon/queues/queue_statuses.hpp"

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

using k8s::ObjectStatusOutcome;
using k8s::QueueStatusPart;

core::QueueObjectStatus usage_of(const QueueView& queue) {
    core::QueueObjectStatus out;
    out.pending = queue.waiting;
    out.running = queue.running;
    // Zeros too: whoever reads it finds the two that everybody has.
    out.allocated = queue.usage.extended;
    out.allocated.push_back({"cpu", queue.usage.cpu_milli});
    out.allocated.push_back({"memory", queue.usage.memory_bytes});
    if (queue.usage.ephemeral_bytes != 0) {
        out.allocated.push_back({"ephemeral-storage", queue.usage.ephemeral_bytes});
    }
    std::sort(out.allocated.begin(), out.allocated.end());
    return out;
}

bool says_usage(const core::QueueObjectStatus& seen) {
    return seen.pending != 0 || seen.running != 0 ||
           std::any_of(seen.allocated.begin(), seen.allocated.end(), [](const auto& one) {
               return one.amount != 0;
           });
}

}  // namespace

/// Beside what we wrote there may be amounts that somebody else owns, and that stay.
bool QueueStatuses::is_shown(
    const core::QueueObjectStatus& wanted,
    const core::QueueObjectStatus& seen,
    const core::QueueObjectStatus& written) {
    const bool are_there = std::includes(
        seen.allocated.begin(),
        seen.allocated.end(),
        wanted.allocated.begin(),
        wanted.allocated.end());
    return wanted.pending == seen.pending && wanted.running == seen.running && are_there &&
           (wanted.allocated.size() == seen.allocated.size() || wanted == written);
}

std::vector<k8s::QueueStatusWrite> QueueStatuses::choose(
    const Objects& objects, const std::vector<QueueView>& queues, std::int64_t now_ms) {
    forget_gone(objects);
    std::map<std::string, const QueueView*> taken;
    for (const QueueView& queue : queues) {
        taken.emplace(queue.object, &queue);
    }
    std::vector<k8s::QueueStatusWrite> writes;
    auto next = objects.upper_bound(last_);
    for (std::size_t i = 0; i < objects.size() && writes.size() < writes_max; ++i, ++next) {
        if (next == objects.end()) {
            next = objects.begin();
        }
        const auto& [name, object] = *next;
        last_ = name;
        Entry& entry = entry_of(object, now_ms);
        if (entry.under_way > 0 || now_ms < entry.rests_until_ms) {
            continue;
        }
        const auto add = [&](QueueStatusPart part, core::QueueObjectStatus status) {
            writes.push_back({name, object.uid, part, std::move(status)});
            ++entry.under_way;
        };
        const auto found = taken.find(name);
        if (found == taken.end()) {
            if (!entry.is_withdrawn && says_usage(object.status)) {
                add(QueueStatusPart::none, {});
            }
            continue;
        }
        entry.is_withdrawn = false;
        if (core::QueueObjectStatus usage = usage_of(*found->second);
            !is_shown(usage, object.status, entry.written)) {
            add(QueueStatusPart::usage, std::move(usage));
        }
        if (object.status.state.empty() && now_ms - entry.seen_ms >= state_after_ms) {
            core::QueueObjectStatus open;
            open.state = "Open";
            add(QueueStatusPart::state, std::move(open));
        }
    }
    return writes;
}

std::string QueueStatuses::answered(
    const k8s::QueueStatusWrite& write,
    const k8s::ObjectStatusResult& result,
    std::int64_t now_ms) {
    const auto found = entries_.find(write.name);
    if (found == entries_.end() || found->second.uid != write.uid) {
        return {};
    }
    Entry& entry = found->second;
    --entry.under_way;
    switch (result.outcome) {
        case ObjectStatusOutcome::written:
            entry.is_told = false;
            entry.is_withdrawn = write.part == QueueStatusPart::none;
            if (write.part != QueueStatusPart::state) {
                entry.written = write.status;
            }
            return {};
        case ObjectStatusOutcome::gone:
        case ObjectStatusOutcome::failed:
            return {};  // what is there then says what is to be done
        case ObjectStatusOutcome::others:
        case ObjectStatusOutcome::forbidden:
        case ObjectStatusOutcome::refused:
            break;
    }
    entry.rests_until_ms = now_ms + rest_ms;
    if (std::exchange(entry.is_told, true)) {
        return {};
    }
    return "the status of Queue object " + write.name + " is not written: " + result.message;
}

QueueStatuses::Entry& QueueStatuses::entry_of(
    const k8s::SeenQueueObject& object, std::int64_t now_ms) {
    Entry& entry = entries_[object.queue.name];
    if (entry.uid != object.uid) {
        entry = Entry{};
        entry.uid = object.uid;
        entry.seen_ms = now_ms;
    }
    return entry;
}

void QueueStatuses::forget_gone(const Objects& objects) {
    std::erase_if(entries_, [&](const auto& one) { return !objects.contains(one.first); });
}

}  // namespace gang::app
