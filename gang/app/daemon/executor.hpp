#pragma once
// Carries decisions out: each becomes a request to the writer, and each answer becomes an event.
// One log line per decision.

#include "gang/app/base/log.hpp"
#include "gang/app/called/extender_client.hpp"
#include "gang/app/daemon/pod_lister.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/demand/demand_client.hpp"
#include "k8s/group/pod_group_client.hpp"
#include "k8s/namespaces/namespace_watch.hpp"
#include "k8s/quota/quota_client.hpp"
#include "k8s/volume/claim_client.hpp"
#include "k8s/volume/csi_watch.hpp"
#include "k8s/write/writer.hpp"

#include <functional>
#include <string>

namespace gang::app {

class Executor {
public:
    struct Wiring {
        k8s::Writer* writer;                     ///< outlives the executor
        PodLister* pod_lister;                   ///< outlives the executor
        k8s::ClaimClient* claims;                ///< outlives the executor
        k8s::CsiNodeWatch* csi_nodes;            ///< outlives the executor
        k8s::StorageWatch* storage;              ///< outlives the executor
        k8s::NamespaceWatch* namespaces;         ///< outlives the executor
        k8s::PodGroupClient* groups;             ///< outlives the executor
        k8s::QuotaClient* quotas;                ///< outlives the executor
        k8s::DemandClient* demand;               ///< outlives the executor
        ExtenderClient* extenders;               ///< outlives the executor
        const Seal* seal;                        ///< outlives the executor
        const Log* log;                          ///< outlives the executor
        Metrics* metrics;                        ///< outlives the executor
        std::function<void(Event)> answer;       ///< never called from inside carry_out()
        std::function<std::int64_t()> now_ms;    ///< Unix time, as events are stamped
        std::function<void(std::int64_t)> wake;  ///< a Tick is wanted at this Unix time, in ms
        std::function<void(const AnswerExtender&)> answer_extender;
        std::function<void(const std::string&)> step_down;  ///< another scheduler leads; why
    };

    explicit Executor(Wiring wiring) : wiring_(std::move(wiring)) {}
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    void carry_out(const Decision& decision);

private:
    void run(const BindPod& decision);
    void run(const FetchSparkConf& decision);
    void run(const FetchClaim& decision);
    void run(const WatchVolumeLimits& decision);
    void run(const WatchStorage& decision);
    void run(const WatchNamespaces& decision);
    void run(const FetchPodGroup& decision);
    void run(const FetchQuotas& decision);
    void run(const WriteGroupStatus& decision);
    void run(const SetCondition& decision);
    void run(const UpdateReservation& decision);
    void run(const EvictPod& decision);
    void run(const ListPods& decision);
    void run(const RecordEvent& decision);
    void run(const WantCapacity& decision);
    void run(const DropCapacity& decision);
    void run(const ListCapacity& decision);
    void run(const AnswerExtender& decision);
    void run(const AskExtenders& decision);
    void run(const WakeAt& decision);
    void run(const StepDown& decision);
    struct Begun;
    void bind(const BindPod& decision, const Begun& begun);
    void bind_answered(const Begun& begun, const k8s::BindResult& result);
    void fetch_template(const FetchSparkConf& decision, const k8s::ConfigMapResult& properties);
    void conf_answered(Event event);
    void capacity_answered(const PodRef& driver, CapacityAnswered event);
    void quotas_answered(Event event);

    Wiring wiring_;
    std::string group_status_problem_;  ///< likewise
    std::string capacity_problem_;  ///< the last one: each is a warning once
    std::string quota_problem_;     ///< likewise
};

}  // namespace gang::app
