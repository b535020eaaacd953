#include "gang/quota/max_waits.hpp"

#include <algorithm>
#include <limits>

namespace gang {
namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t before_all_others = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t lane_s = 10 * 60;

/// What the nearest queue that says something says.
std::int64_t max_wait_ms_of(const QueueTree& tree, QueueIndex queue) {
    std::int64_t said_ms = 0;
    tree.for_each_above(queue, [&](QueueIndex one) {
        said_ms = said_ms != 0 ? said_ms : tree.at(one).said.max_wait_ms;
    });
    return said_ms;
}

}  // namespace

std::int64_t overdue_lane(std::uint32_t overdue_from_s) {
    return before_all_others + overdue_from_s / lane_s;
}

bool is_overdue(const Lane& lane) {
    return lane.before <= before_all_others + std::numeric_limits<std::uint32_t>::max() / lane_s;
}

bool is_strict(const QueueTree& tree, const Lane& lane) {
    return lane.queue != no_queue && tree.at(lane.queue).is_max_wait_strict && is_overdue(lane);
}

void MaxWaits::run() {
    const std::int64_t now_s = step_.now_ms / second_ms;
    if (!next_s_ || *next_s_ > now_s) {
        return;
    }
    next_s_.reset();
    for (Application* const app : model_.waiting) {
        if (app->declared.overdue_from_s == 0 || app->declared.is_overdue) {
            continue;
        }
        if (app->declared.overdue_from_s <= now_s) {
            model_.waiting.changed(*app);
            model_.worklist.queue_changed = true;
        } else {
            next_s_ = std::min(next_s_.value_or(app->declared.overdue_from_s), app->declared.overdue_from_s);
        }
    }
    if (next_s_) {
        step_.wake_at(*next_s_ * second_ms);
    }
}

void MaxWaits::look_at(Application& app) {
    Declared& declared = app.declared;
    declared.overdue_from_s = 0;
    declared.is_overdue = false;
    const QueueAccount* const account =
        model_.shares.is_active() && !app.is_surplus ? model_.shares.charges.find(app.uid) : nullptr;
    if (account == nullptr) {
        return;
    }
    const std::int64_t of_queue_s = max_wait_ms_of(model_.shares.tree, account->queue) / second_ms;
    // Who is passed by nobody does not say himself how soon.
    const bool is_queue_word =
        declared.max_wait_s == 0 || (model_.shares.tree.at(account->queue).is_max_wait_strict &&
                                     declared.max_wait_s < of_queue_s);
    const std::int64_t wait_s = is_queue_word ? of_queue_s : declared.max_wait_s;
    if (wait_s == 0) {
        return;
    }
    const std::int64_t from_s =
        std::clamp<std::int64_t>(app.created + wait_s, 1, std::numeric_limits<std::uint32_t>::max());
    declared.overdue_from_s = static_cast<std::uint32_t>(from_s);
    declared.is_overdue = from_s * second_ms <= step_.now_ms;
    if (!declared.is_overdue && (!next_s_ || declared.overdue_from_s < *next_s_)) {
        next_s_ = declared.overdue_from_s;
        step_.wake_at(from_s * second_ms);
    }
}

}  // namespace gang
