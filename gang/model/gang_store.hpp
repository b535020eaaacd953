#pragma once
// All gangs and lone pods that are known, by their uid: they come and go here, and with them what
// they hold in the line, the ledger and the cluster.

#include "core/base/text.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/declaration_reader.hpp"
#include "gang/model/app_index.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/shape/gang_shapes.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/worklist.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gang {

class GangStore {
public:
    /// Where else something is known of gangs.
    struct Places {
        const DeclarationReader& reader;
        core::Texts& texts;
        Pods& pods;
        Ledger& ledger;
        Shares& shares;
        WaitingLine& waiting;
        ConfAsker& conf_asker;
        PodGroups& groups;
        Worklist& worklist;
        GangShapes& shapes;
    };
    explicit GangStore(Places places) : in_(places) {}

    /// nullptr: there is none. It stays where it is until it is erased.
    Application* find(const std::string& uid) const { return index_.find(uid); }
    /// Must be there.
    Application& at(std::string_view uid) { return gangs_.at(uid); }
    /// The gang of an executor: its controller is a driver of ours in its own namespace. Labels
    /// alone never make a member.
    Application* find_owner(const PodEntry& entry) const;
    /// By uid: for decisions.
    std::map<std::string_view, Application>& all() { return gangs_; }
    const std::map<std::string_view, Application>& all() const { return gangs_; }
    std::size_t size() const { return gangs_.size(); }

    /// The gang that this driver, or lone pod, starts: made if it is not there.
    Application& ensure(const PodEntry& entry, bool is_driver);
    /// Gives back all that it holds. Nothing happens if there is none.
    void erase(const std::string& uid);
    /// An ended gang is remembered while executors of it exist, for they must not be bound.
    void forget_if_unused(const std::string& uid);
    /// The pod is its owner's no more.
    void leave_owner(PodEntry& entry);
    /// In which queue it waits, by what its pod says now, else the object of its group, or of the
    /// group that the driver names; a surplus executor is its gang's.
    void choose_queue(Application& app, const PodEntry& entry);
    /// The object of the group that its driver names is not known yet, and may say how large the
    /// gang is, or in which queue it waits.
    bool awaits_group(const Application& app) const;
    /// It runs, and was admitted in this queue.
    void restore_queue(Application& app, const std::string& written);
    /// Queues are others, and nobody is charged: in its queue by what its pod says now, or, once it
    /// was admitted, in that of the same name.
    void place_again(Application& app);
    /// Somebody asks that it waits, or does not ask that any more.
    void set_held(Application& app, bool is_held);
    /// Nothing: it does not say.
    void set_max_wait(Application& app, std::optional<std::int64_t> max_wait_ms);
    /// It stands in the line no more. What is asked about it is forgotten, if nobody waits for
    /// that.
    void stop_waiting(Application& app);

private:
    const std::string* find_queue_of_group(const PodEntry& entry) const;
    void take_place(Application& app, PlacedInQueue placed);

    Places in_;
    std::map<std::string_view, Application> gangs_;  ///< by their own uid
    AppIndex index_;                                 ///< of gangs_
};

}  // namespace gang
