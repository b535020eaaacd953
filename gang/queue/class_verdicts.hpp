#pragma once
// What is known of an equivalence class without a search: what refuses one of its gangs refuses all
// that are as large or larger, as long as no node that could take a pod of theirs has got room.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/placer.hpp"
#include "gang/queue/scheduling_cycle.hpp"

#include <cstdint>

namespace gang {

class ClassVerdicts {
public:
    ClassVerdicts(Model& model, Placer& placer) : model_(model), placer_(placer) {}

    /// A gang was admitted: what is free is less than before.
    void note_admitted() { ++admitted_; }

    /// What was refused stays refused as long as none of the nodes with new room since takes a pod
    /// of the class in that view.
    void keep_refusal(KeyedClass& gang_class, core::View view);
    /// Gangs that would not fit even if no other gang were there: others need not wait for them.
    /// The empty cluster first: that answer stays while pods of others come and go.
    bool is_infeasible(const Application& app, KeyedClass& gang_class, std::int64_t size);
    /// The same, noted in the entry, with what it was found for.
    bool note_infeasible(QueueEntry& entry);
    /// Whether the view has no room for it, by comparison with others of its class, if that tells.
    bool is_refused(
        const Application& app, KeyedClass& gang_class, std::int64_t size, core::View view);
    /// Of one for which there is no room now: whether there would be if no port were taken, and
    /// GPUs did not matter. One whom nobody passes waits for all, or others would take the rest.
    WaitsFor what_it_waits_for(const Application& app, KeyedClass& gang_class);

private:
    Model& model_;
    Placer& placer_;
    std::uint64_t admitted_ = 0;  ///< gangs, so far
};

}  // namespace gang
