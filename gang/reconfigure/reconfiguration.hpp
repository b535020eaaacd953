#pragma once
// The file is another one while we run. All that follows from it is derived again from what is
// there: the queues, what each of them holds, who waits in which, and what keeps each of those
// waiting. No slot moves, no pod is evicted, no reservation is written.
//
//   ConfigChanged --> schema --> nodes (headroom, costs)        if they are others
//                            --> queues: tree, usage, accounts  if they are others
//                            --> all who wait: classified anew  always
//   labels of namespaces ------> queues, if `placement` asks for them

#include "gang/event.hpp"
#include "gang/life/cluster_events.hpp"
#include "gang/model/model.hpp"
#include "gang/queue/admission.hpp"

#include <cstdint>
#include <string>

namespace gang {

class Reconfiguration {
public:
    Reconfiguration(Model& model, ClusterEvents& cluster_events, Admission& admission)
        : model_(model), cluster_events_(cluster_events), admission_(admission) {}

    void on(const ConfigChanged& event);
    // Labels of namespaces are others, of all of them or of one: who waits may belong elsewhere.
    void namespaces_changed(bool were_known);
    void namespace_changed(const std::string& name);

private:
    /// Pods that run and are counted in no queue: their queue may be gone, or it was not known yet
    /// what the label of their namespace says.
    enum class Lost : std::uint8_t { stay, are_placed };

    void charge_again(Lost lost);
    void classify_executors();

    Model& model_;
    ClusterEvents& cluster_events_;
    Admission& admission_;
};

}  // namespace gang
