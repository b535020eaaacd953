#pragma once
// Which PodGroups of Volcano are let in: Volcano's controllers make the pods of a job when its
// PodGroup is Inqueue, and its scheduler, which says so, does not run. No I/O: whoever owns it asks
// choose() from time to time, writes, and says what came of it.
//
//   Pending --choose()--> Inqueue --its pods come--> gang/group_status has the word
//                            '--they do not, for a time--> it counts no more, and its status says so
//
// A group is let in when what is in use, what groups let in before it ask for, and spec.minResources
// of its own are together at most so much of all nodes (Volcano's plugin overcommit), and within the
// limits of the queue that it names and of those above it. Without minResources it is let in. One
// that waits for longer than it is to (sla-waiting-time, or maxWait of its queue) is let in whatever
// is in use. One that does not fit holds nobody up; in strict order those of its queue that come
// later, if it could ever fit.

#include "gang/ledger_view.hpp"
#include "gang/queue_view.hpp"
#include "k8s/group/pod_group_watch.hpp"
#include "k8s/protocol/write/group_status.hpp"
#include "k8s/protocol/write/object_status.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gang::app {

/// What a turn is decided from.
struct EnqueueView {
    NodeSums nodes;
    std::vector<QueueView> queues;  ///< none: all wait in one line, whatever queue they name
    bool is_queue_required = false;  ///< a queue that a group names must be there
    std::int64_t overcommit_percent = 100;  ///< of all nodes
    std::int64_t now_s = 0;  ///< Unix time
    /// For how long those of a queue are to wait at most, by its full name; 0, or none: as the queue
    /// above it says.
    std::map<std::string, std::int64_t> max_wait_ms;
    bool is_strict_order = false;
    std::int64_t pods_within_s = 0;  ///< a group counts for so long without its pods; 0: for ever
    /// Its pods are there, as many as its minimum. Not asked where groups count for ever.
    std::function<bool(const k8s::SeenPodGroup&)> has_pods;
};

/// What the log should say of a group.
struct EnqueueNews {
    std::string group;  ///< namespace/name
    std::string text;
};

class Enqueuer {
public:
    using Groups = k8s::PodGroupWatch::Groups;

    /// Those that are let in now, the overdue first, then the oldest; at most `writes_max` at a time.
    /// They count as let in from here on, unless answered() says otherwise.
    std::vector<k8s::GroupStatusWrite> choose(const Groups& groups, const EnqueueView& view);

    /// Statuses of groups whose pods did not come in time, as choose() has found since this was last
    /// asked. What comes of the writing is nothing to us: it is said to people alone.
    std::vector<k8s::GroupStatusWrite> take_late() { return std::exchange(late_, {}); }
    /// Likewise, each thing once a group.
    std::vector<EnqueueNews> take_news() { return std::exchange(news_, {}); }
    /// Groups that were let in and count no more, for their pods did not come.
    std::size_t late_count() const;

    /// What the log should say of it; mostly nothing: a trouble is told once a group.
    std::string answered(
        const k8s::GroupStatusWrite& write, const k8s::ObjectStatusResult& result, std::int64_t now_s);

    /// Somebody waits to be let in.
    static bool has_pending(const Groups& groups);

    static constexpr std::size_t writes_max = 50;
    static constexpr std::int64_t rest_s = 60;  ///< after an answer that time may mend

private:
    /// Of a group that was chosen, until it is seen to be let in, or gone.
    struct Entry {
        std::string uid;
        bool is_under_way = false;
        bool is_told = false;
        bool holds_up = false;  ///< it was said that it does
        std::int64_t rests_until_s = 0;
    };
    /// Of one that is let in.
    struct LetIn {
        std::string uid;
        std::int64_t since_s = 0;  ///< let in, or last seen with its pods
        bool is_late = false;      ///< it counts no more, and that was said
    };
    bool counts(const std::string& key, const k8s::SeenPodGroup& seen, const EnqueueView& view);

    std::map<std::string, Entry> entries_;  ///< by namespace/name
    std::map<std::string, LetIn> let_in_;   ///< likewise
    std::vector<k8s::GroupStatusWrite> late_;
    std::vector<EnqueueNews> news_;
};

}  // namespace gang::app
