#include "gang/app/daemon/volcano/enqueuer.hpp"

#include "config/queues/queue_name.hpp"
#include "gang/durations/expected_run.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace gang::app {
namespace {

using core::GroupPhase;
using k8s::ObjectStatusOutcome;
using k8s::SeenPodGroup;
using Amounts = std::map<std::string, std::int64_t>;

constexpr std::int64_t percent = 100;
constexpr std::int64_t second_ms = 1'000;

bool is_pending(const SeenPodGroup& seen) {
    const GroupPhase phase = seen.object.status.phase;
    return phase == GroupPhase::none || phase == GroupPhase::pending;
}

/// Groups may ask for as much as a number can say: what does not fit in one is the nearest that does.
void add(Amounts& into, const core::Resources& what, std::int64_t times = 1) {
    const auto add_one = [&into, times](const std::string& name, std::int64_t amount) {
        std::int64_t& sum = into[name];
        sum = core::add_times(sum, amount, times);
    };
    add_one("cpu", what.cpu_milli);
    add_one("memory", what.memory_bytes);
    add_one("ephemeral-storage", what.ephemeral_bytes);
    for (const core::ExtendedResource& one : what.extended) add_one(one.name, one.amount);
}

std::int64_t of(const Amounts& amounts, const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? 0 : found->second;
}

/// Of a queue, or of all nodes.
struct Account {
    const QueueView* queue = nullptr;  ///< nullptr: all nodes
    Amounts used;
    Amounts let_in;  ///< by groups whose pods may not be there yet
    Amounts limit;   ///< what is not named is not limited
    bool is_limited_in_all = false;  ///< what is not named is 0

    bool has_room(const core::Resources& wanted) const {
        return is_within_limit(wanted, [this](const std::string& name) {
            return core::add_times(of(used, name), of(let_in, name), 1);
        });
    }
    /// If nobody else were there.
    bool could_have(const core::Resources& wanted) const {
        return is_within_limit(wanted, [](const std::string&) { return std::int64_t{0}; });
    }

private:
    template <typename Taken>
    bool is_within_limit(const core::Resources& wanted, const Taken& taken) const {
        Amounts asked;
        add(asked, wanted);
        return std::all_of(asked.begin(), asked.end(), [&](const auto& one) {
            const auto& [name, amount] = one;
            const bool is_free = amount == 0 || (!is_limited_in_all && !limit.contains(name));
            return is_free || core::add_times(taken(name), amount, 1) <= of(limit, name);
        });
    }
};

/// What groups are held against in one turn.
class Turn {
public:
    explicit Turn(const EnqueueView& view) : view_(view) {
        add(nodes_.limit, view.nodes.allocatable);
        add(nodes_.used, view.nodes.allocatable);
        add(nodes_.used, view.nodes.free, -1);
        for (auto& [name, amount] : nodes_.limit) {
            amount = amount / percent * view.overcommit_percent +
                     amount % percent * view.overcommit_percent / percent;
        }
        nodes_.is_limited_in_all = true;
        for (const QueueView& queue : view.queues) {
            Account& account = queues_[queue.name];
            account.queue = &queue;
            add(account.used, queue.usage);
            for (const core::ExtendedResource& one : queue.limit) {
                account.limit[one.name] = one.amount;
            }
            if (!queue.object.empty()) by_object_.emplace(queue.object, &account);
        }
    }

    void count_let_in(const SeenPodGroup& seen) {
        const core::Resources& asked = seen.object.group.min_resources;
        add(nodes_.let_in, asked);
        for (Account* one = find(seen); one != nullptr; one = above(*one)) add(one->let_in, asked);
    }

    bool is_overdue(const SeenPodGroup& seen) {
        const std::int64_t wait_ms =
            read_expected_run(seen.object.group.max_wait).value_or(max_wait_ms_of_queue(seen));
        return wait_ms > 0 && seen.created * second_ms + wait_ms <= view_.now_s * second_ms;
    }

    bool may_be_let_in(const SeenPodGroup& seen, bool is_overdue) {
        const core::Resources& asked = seen.object.group.min_resources;
        return !is_out(seen) && !held_.contains(find(seen)) &&
               all_accounts(seen, is_overdue, [&](const Account& one) {
                   return one.has_room(asked);
               });
    }

    /// It is not let in. True: from here on those of its queue wait for it.
    bool hold_up(const SeenPodGroup& seen, bool is_overdue) {
        const core::Resources& asked = seen.object.group.min_resources;
        const bool could_be =
            !is_out(seen) && all_accounts(seen, is_overdue, [&](const Account& one) {
                return one.could_have(asked);
            });
        return could_be && held_.insert(find(seen)).second;
    }

private:
    /// It makes no sense, or its queue is not there or lets nobody in.
    bool is_out(const SeenPodGroup& seen) {
        const core::PodGroup& group = seen.object.group;
        const Account* const account = find(seen);
        const bool is_lost =
            account == nullptr && view_.is_queue_required && !group.queue.empty();
        return !group.problem.empty() || is_lost ||
               (account != nullptr && account->queue->is_stopped);
    }
    /// Whether it is true of its queue, those above it, and all nodes; who is overdue does not ask these.
    template <typename IsTrue>
    bool all_accounts(const SeenPodGroup& seen, bool is_overdue, const IsTrue& is_true) {
        for (Account* one = find(seen); one != nullptr; one = above(*one)) {
            if (!is_true(*one)) return false;
        }
        return is_overdue || is_true(nodes_);
    }
    /// nullptr: it is in none that we know.
    Account* find(const SeenPodGroup& seen) {
        const std::string& named = seen.object.group.queue;
        if (named.empty()) return nullptr;
        const auto of_object = by_object_.find(named);
        return of_object != by_object_.end() ? of_object->second
                                             : find_queue(config::full_queue_name(named));
    }
    /// The nearest queue that says something has the word.
    std::int64_t max_wait_ms_of_queue(const SeenPodGroup& seen) {
        std::int64_t said_ms = 0;
        for (Account* one = find(seen); one != nullptr && said_ms == 0; one = above(*one)) {
            const auto said = view_.max_wait_ms.find(one->queue->name);
            said_ms = said == view_.max_wait_ms.end() ? 0 : said->second;
        }
        return said_ms;
    }
    Account* above(const Account& account) { return find_queue(account.queue->parent); }
    Account* find_queue(const std::string& name) {
        const auto found = queues_.find(name);
        return found == queues_.end() ? nullptr : &found->second;
    }

    const EnqueueView& view_;
    Account nodes_;
    std::map<std::string, Account> queues_;  ///< by full name
    std::map<std::string, Account*> by_object_;
    std::set<const Account*> held_;  ///< whose oldest does not fit, in strict order; nullptr: of none
};

struct Waiting {
    const SeenPodGroup* seen = nullptr;
    bool is_overdue = false;
};

/// The overdue first, then the oldest.
bool goes_before(const Waiting& a, const Waiting& b) {
    return std::tuple(!a.is_overdue, a.seen->created, a.seen->namespace_name, a.seen->name) <
           std::tuple(!b.is_overdue, b.seen->created, b.seen->namespace_name, b.seen->name);
}

k8s::GroupStatusWrite letting_in(const SeenPodGroup& seen) {
    k8s::GroupStatusWrite write;
    write.dialect = core::GroupDialect::volcano;
    write.api_version = k8s::volcano_version;
    write.namespace_name = seen.namespace_name;
    write.name = seen.name;
    write.uid = seen.object.uid;
    write.resource_version = seen.resource_version;
    write.is_forced = true;  // controllers make groups with a phase that is theirs
    write.status.phase = GroupPhase::inqueue;
    return write;
}

/// The phase stays what it is: its controller may make the pods at any time.
k8s::GroupStatusWrite saying_late(const SeenPodGroup& seen, const EnqueueView& view) {
    k8s::GroupStatusWrite write = letting_in(seen);
    write.status.condition = core::GroupCondition::unschedulable;
    write.status.reason = "PodsMissing";
    write.status.message =
        "let in, and for " + std::to_string(view.pods_within_s) +
        " s it has had fewer than its " + std::to_string(seen.object.group.min_members) +
        " pods here: what it asks for counts no more against other groups";
    write.status.since_ms = view.now_s * second_ms;
    return write;
}

}  // namespace

bool Enqueuer::has_pending(const Groups& groups) {
    return std::any_of(
        groups.begin(), groups.end(), [](const auto& one) { return is_pending(one.second); });
}

std::vector<k8s::GroupStatusWrite> Enqueuer::choose(
    const Groups& groups, const EnqueueView& view) {
    std::erase_if(entries_, [&](const auto& one) {
        const auto found = groups.find(one.first);
        return found == groups.end() || found->second.object.uid != one.second.uid ||
               !is_pending(found->second);
    });
    std::erase_if(let_in_, [&](const auto& one) {
        const auto found = groups.find(one.first);
        return found == groups.end() || found->second.object.uid != one.second.uid ||
               (found->second.object.status.phase != GroupPhase::inqueue &&
                !entries_.contains(one.first));
    });
    Turn turn(view);
    std::vector<Waiting> waiting;
    for (const auto& [key, seen] : groups) {
        const auto entry = entries_.find(key);
        const bool is_chosen = entry != entries_.end() && entry->second.is_under_way;
        const bool rests = entry != entries_.end() && view.now_s < entry->second.rests_until_s;
        if (is_chosen || seen.object.status.phase == GroupPhase::inqueue) {
            if (counts(key, seen, view)) turn.count_let_in(seen);
        } else if (is_pending(seen) && !rests) {
            waiting.push_back({&seen, turn.is_overdue(seen)});
        }
    }
    std::sort(waiting.begin(), waiting.end(), goes_before);
    std::vector<k8s::GroupStatusWrite> chosen;
    for (const auto& [seen, is_overdue] : waiting) {
        if (chosen.size() == writes_max) break;
        const std::string key = seen->namespace_name + "/" + seen->name;
        if (!turn.may_be_let_in(*seen, is_overdue)) {
            if (view.is_strict_order && turn.hold_up(*seen, is_overdue)) {
                Entry& entry = entries_[key];
                entry.uid = seen->object.uid;
                if (!std::exchange(entry.holds_up, true)) {
                    news_.push_back({key, "pod group does not fit: later ones of its queue wait for it"});
                }
            }
            continue;
        }
        turn.count_let_in(*seen);
        chosen.push_back(letting_in(*seen));
        Entry& entry = entries_[key];
        entry.uid = seen->object.uid;
        entry.is_under_way = true;
        let_in_[key] = {seen->object.uid, view.now_s, false};
    }
    return chosen;
}

/// Whether what it asks for counts against the others. Its pods count for themselves when they are
/// on nodes.
bool Enqueuer::counts(const std::string& key, const SeenPodGroup& seen, const EnqueueView& view) {
    LetIn& known = let_in_[key];
    if (known.uid != seen.object.uid) {
        known = {seen.object.uid, view.now_s, false};
    }
    if (view.pods_within_s == 0) {
        return true;
    }
    if (view.has_pods(seen)) {
        known.since_s = view.now_s;
        known.is_late = false;
        return true;
    }
    if (view.now_s < known.since_s + view.pods_within_s) {
        return true;
    }
    if (!std::exchange(known.is_late, true)) {
        late_.push_back(saying_late(seen, view));
        news_.push_back({key, "pod group was let in, and its pods do not come: it counts no more"});
    }
    return false;
}

std::size_t Enqueuer::late_count() const {
    return static_cast<std::size_t>(std::count_if(
        let_in_.begin(), let_in_.end(), [](const auto& one) { return one.second.is_late; }));
}

std::string Enqueuer::answered(
    const k8s::GroupStatusWrite& write, const k8s::ObjectStatusResult& result, std::int64_t now_s) {
    const std::string key = write.namespace_name + "/" + write.name;
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.uid != write.uid) {
        return {};
    }
    Entry& entry = found->second;
    switch (result.outcome) {
        case ObjectStatusOutcome::written:
            return {};  // it counts as under way until the watch shows it
        case ObjectStatusOutcome::gone:
            entries_.erase(found);  // or it is another than we saw, and the watch will say so
            return {};
        case ObjectStatusOutcome::others:
        case ObjectStatusOutcome::failed:
            entry.is_under_way = false;
            return {};
        case ObjectStatusOutcome::forbidden:
        case ObjectStatusOutcome::refused:
            break;
    }
    entry.is_under_way = false;
    entry.rests_until_s = now_s + rest_s;
    if (std::exchange(entry.is_told, true)) {
        return {};
    }
    return "PodGroup " + key + " is not let in: " + result.message;
}

}  // namespace gang::app
