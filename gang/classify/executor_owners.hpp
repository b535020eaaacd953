#pragma once
// Executors whose controller is not their driver. Two kinds, by what there is to know them by:
//
//   Spark's statefulset and deployment allocators: the set that the driver owns, the namespace, the
//   application id and the size.
//   Executors made by hand, by a script or an operator, for a driver that was made so too and says
//   itself how many they are: the namespace and the application id, or the lack of one on both.
//
// Either is less than an owner's uid. The first counts only while exactly one driver claims the id,
// and never lets a pod have more than a slot's declared room. The second counts for drivers that no
// Spark made: whoever declares a gang by labels has nothing else to link it with, and trusts
// whoever may create pods in that namespace; no label ever opens the slots of a Spark application.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <string>

namespace gang {

class ExecutorOwners {
public:
    explicit ExecutorOwners(Model& model) : model_(model) {}

    /// visit(const PodEntry&) for each executor that waits for a driver.
    template <typename Visit>
    void for_each_waiting_ownerless(const Visit& visit) const {
        model_.application_ids.for_each_ownerless([&](PodId id) {
            if (const PodEntry& entry = model_.pods.at(id); is_waiting_ownerless(entry)) {
                visit(entry);
            }
        });
    }

    /// Taken once, when the pod is first seen: labels can be edited later.
    void note_application(PodEntry& entry);
    /// A driver got its slots or ended: whose executors these are may be known now.
    void recheck_application(const Application& app);
    /// It names an application, but its driver is not known (yet).
    bool has_unknown_driver(const PodEntry& entry) const;
    /// Makes it a member of its gang, if that is known by now.
    void follow_application(PodEntry& entry);
    /// Whether the executor has to wait for a driver. Spark's own that name no driver of ours are
    /// those of its client mode, whose driver is elsewhere.
    bool is_ownerless(const PodEntry& entry) const;
    /// As of now: its driver may have come, or have been admitted, since it was told to wait.
    bool is_waiting_ownerless(const PodEntry& entry) const;
    /// A bound executor says in our own annotation whose slot it has: also after a restart, and to
    /// a follower. What a tenant may have written there opens no slot that labels alone would not
    /// open.
    void follow_slot_annotation(PodEntry& entry);
    /// A member of a pod group that is bound says the same, if it is the gang's that has the slot.
    void follow_group(PodEntry& entry);
    /// Executors of the gang's application that name no owner: members by their slot annotation, or
    /// by their labels.
    void follow_slot_annotations(const Application& app);

private:
    const Application* find_successor(const PodEntry& entry) const;
    void join_gang(const Application& gang, PodEntry& entry);
    void become_member(PodEntry& entry, const std::string& owner);
    const Application* find_driver_by_id(const PodEntry& entry) const;
    const Application* find_nameless(const PodEntry& entry) const;
    bool takes(const Application& app, const PodEntry& entry) const;
    const Application* find_owning_pod(const PodEntry& entry) const;
    void follow_labels(const Application& app, PodEntry& entry);

    Model& model_;
};

}  // namespace gang
