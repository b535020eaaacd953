#pragma once
// The metrics of this process in Prometheus' text format. What the parts count anyway is read when
// somebody asks; only durations are noted as they happen. No label ever carries a text that a user
// wrote: names of pods, namespaces and applications belong to `gangs` and `why`.
//
// docs/reference/metrics.md says what each means; a test compares it with what is served.

#include "gang/app/base/reload_stats.hpp"
#include "gang/app/serve/process_stats.hpp"
#include "gang/counters.hpp"
#include "gang/event.hpp"
#include "gang/queue_view.hpp"
#include "gang/totals.hpp"
#include "k8s/base/request_stats.hpp"
#include "k8s/metrics/metrics_poller.hpp"
#include "k8s/watch/watcher.hpp"
#include "k8s/write/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// What is read at the moment of a question.
struct MetricsView {
    Totals totals;
    std::vector<QueueView> queues;  ///< none: the file has none
    Counters counters;
    std::uint64_t consistency_checks = 0;          ///< with a verdict
    std::uint64_t consistency_check_failures = 0;  ///< without
    std::uint64_t late_groups = 0;     ///< PodGroups let in whose pods did not come in time
    std::uint64_t unsealed = 0;        ///< pods shown with a text of ours without a valid seal
    std::uint64_t drift = 0;           ///< differences that lasted, over all consistency checks
    k8s::WriterStats writer;
    k8s::WatcherStats pods;
    k8s::WatcherStats nodes;
    const k8s::RequestStats* requests = nullptr;  ///< may be none
    ProcessStats process;
    std::optional<k8s::MetricsPollerStats> gpu_metrics;  ///< none: they have no source
    ReloadStats reloads;
    bool token_is_bad = false;  ///< see k8s::CredentialProblems
    bool trust_is_bad = false;  ///< likewise
    bool leading = false;
    std::uint64_t events = 0;
    std::uint64_t decisions = 0;
    std::uint64_t inbox_pauses = 0;
    std::size_t inbox_waiting = 0;
    std::int64_t monotonic_ms = 0;
};

/// A bind that was answered.
struct BindMeasured {
    BindOutcome outcome = BindOutcome::not_sent;
    double plan_seconds = 0;     ///< of the plan that decided it
    double seconds = 0;          ///< from its decision to the answer
    double pending_seconds = 0;  ///< from when its pod was first seen to the answer
    bool starts_gang = false;
};

class Metrics {
public:
    /// Who we are, for labels: all from the configuration.
    struct Identity {
        std::string version;
        std::string profile;  ///< spec.schedulerName that we serve
        std::string lease;    ///< name of the Lease
        std::string server;   ///< the API server
    };
    explicit Metrics(Identity identity);
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    /// A Tick was worked through.
    void planned(double seconds);

    double last_plan_seconds() const;

    void bind_answered(const BindMeasured& bind);

    /// A pod was told that nothing was found for it.
    void found_unschedulable();

    /// A call of kube-scheduler was answered; both words are ours.
    void extender_answered(std::string_view verb, const char* outcome);

    std::string text(const MetricsView& view) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "bound", "taken" etc.
const char* to_string(BindOutcome outcome);
/// "evicted", "budget" etc.
const char* to_string(EvictOutcome outcome);
/// "reclaim", "preempt".
const char* to_string(EvictReason reason);

}  // namespace gang::app
