#pragma once
// Pod groups that pods of ours name: who their members are, and what their objects ask. An object
// is read by name while a member of it waits, and forgotten with its last member.
//
//   a pod names the group --> a member waits --want()--> asked for --> found: known, read again
//   later
//                                                           ^------ missing, after a pause --'

#include "core/base/text.hpp"
#include "core/value/group/pod_group.hpp"
#include "gang/decision.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/group_status_record.hpp"
#include "gang/model/pod/pods.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

/// As far as it is known.
struct PodGroup {
    GroupDialect dialect = GroupDialect::labels;
    std::string namespace_name;
    std::string name;
    std::optional<core::PodGroup> object;    ///< what it asks; of labels: what a member says
    std::optional<PodGroupMissing> missing;  ///< why that is not known
    PodIds members;                          ///< all pods that name it, ended ones too
    /// Uids of drivers of Spark applications that name it. How large those are is said elsewhere, and
    /// they wait, start and end without it: its status shows what becomes of them.
    std::set<std::string> drivers;
    bool is_silent = false;  ///< no member has said yet what the group asks
    std::int64_t soft_after_ms = 0;  ///< after so long its members start one by one; 0: never
    std::string anchor;  ///< uid of the member that bears the group's reservation; empty: none
    /// What the anchor, or one of those that wait, was told last.
    ReasonCode told_code = ReasonCode::none;
    std::string told;
    std::string told_to;  ///< the uid of one of those that start one by one
    GroupStatusRecord status;
};

class PodGroups {
public:
    /// How a pod's group is known: its dialect, namespace and name.
    static std::string key_of(const core::Pod& pod, const GroupMembership& membership);
    /// Of a group with an object.
    static std::string key_of(
        GroupDialect dialect, const std::string& namespace_name, const std::string& name);

    /// The pod is a member; its group is there from now on.
    void join(const PodEntry& entry, const GroupMembership& membership);
    /// The pod is gone. The group goes with its last member.
    void leave(const PodEntry& entry);

    /// The driver names this group now, and no other; nothing: none.
    void set_driver_group(const core::Pod& driver, const std::optional<GroupMembership>& named);
    /// The key of the group that the driver of this uid names; nullptr: none.
    const std::string* find_driver_group(std::string_view driver) const;
    const PodGroup* group_of_driver(std::string_view driver) const;
    bool has_driver_groups() const { return !driver_groups_.empty(); }

    /// nullptr: no pod names it.
    PodGroup* find(std::string_view key);
    const PodGroup* find(std::string_view key) const;
    const std::map<std::string, PodGroup, std::less<>>& all() const { return groups_; }

    /// Members wait: what its object asks is to be known, and kept up to date.
    void want(const std::string& key, std::int64_t now_ms);
    /// Whether that is so.
    bool is_asking(const std::string& key) const { return asker_.is_asking(key); }
    /// Nobody waits.
    void rest(const std::string& key) { asker_.forget(key); }
    /// The group is to be looked at again then.
    void look_again(const std::string& key, std::int64_t at_ms) { deadlines_.insert({at_ms, key}); }
    /// A group whose time has come; nothing: no more.
    std::optional<std::string> take_deadline(std::int64_t now_ms);

    /// Another leader may write them, or has: what was known of the objects' statuses is not any more.
    void forget_statuses();

    // --- answers: whose group they change; empty: nobody's ---
    std::string found(const PodGroupFound& event, std::int64_t now_ms);
    std::string missing(const PodGroupMissing& event, std::int64_t now_ms);

    /// Whom to ask for now.
    std::vector<FetchPodGroup> due(std::int64_t now_ms);
    std::optional<std::int64_t> next_due_ms(std::int64_t now_ms) const;
    /// Whether every object that is wanted has been asked for and answered at least once.
    bool all_answered_once() const { return asker_.all_answered_once(); }
    /// 0 when no pod names any.
    std::size_t remembered() const {
        return groups_.size() + driver_groups_.size() + asker_.remembered() + deadlines_.size();
    }

private:
    void forget_if_unused(const std::string& key);

    std::map<std::string, PodGroup, std::less<>> groups_;  ///< by key
    std::map<std::string, std::string, std::less<>> driver_groups_;  ///< keys, by the driver's uid
    ConfAsker asker_;                                      ///< by key
    std::set<std::pair<std::int64_t, std::string>> deadlines_;  ///< of those that are not patient
};

}  // namespace gang
