#include "gang/app/serve/metrics.hpp"

#include "gang/app/serve/metrics_view.hpp"

#include <array>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <utility>

namespace gang::app {
namespace {

constexpr std::array<BindOutcome, 7> outcomes = {
    BindOutcome::bound,
    BindOutcome::taken,
    BindOutcome::gone,
    BindOutcome::changed,
    BindOutcome::not_bindable,
    BindOutcome::refused,
    BindOutcome::not_sent};

const prometheus::Histogram::BucketBoundaries decision_bounds = {
    0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
const prometheus::Histogram::BucketBoundaries bind_bounds = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
const prometheus::Histogram::BucketBoundaries wait_bounds = {
    0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1'800, 3'600, 14'400, 86'400};

}  // namespace

const char* to_string(BindOutcome outcome) {
    constexpr std::array<const char*, outcomes.size()> words = {
        "bound", "taken", "gone", "changed", "not_bindable", "refused", "not_sent"};
    return words[static_cast<std::size_t>(outcome)];
}

const char* to_string(EvictOutcome outcome) {
    constexpr std::array<const char*, evict_outcome_count> words = {
        "evicted", "budget", "gone", "refused", "not_sent"};
    return words[static_cast<std::size_t>(outcome)];
}

const char* to_string(EvictReason reason) {
    return reason == EvictReason::reclaim ? "reclaim" : "preempt";
}

namespace {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using HistogramFamily = prometheus::Family<prometheus::Histogram>;

/// Attempts to place pods, under the names that kube-scheduler has for its own.
class AttemptMetrics {
public:
    AttemptMetrics(prometheus::Registry& registry, const std::string& profile);

    void found_unschedulable() { unschedulable_.Increment(); }
    void bind_answered(const BindMeasured& bind);

private:
    CounterFamily& attempts_;
    HistogramFamily& durations_;
    prometheus::Histogram& sli_;
    prometheus::Histogram& gang_wait_;
    prometheus::Counter& scheduled_;
    prometheus::Counter& unschedulable_;
    prometheus::Counter& error_;
    prometheus::Histogram& scheduled_seconds_;
    prometheus::Histogram& error_seconds_;
};

AttemptMetrics::AttemptMetrics(prometheus::Registry& registry, const std::string& profile)
    : attempts_(prometheus::BuildCounter()
                    .Name("scheduler_schedule_attempts_total")
                    .Help("Attempts to place pods: bound, refused, or nothing found for them.")
                    .Register(registry)),
      durations_(prometheus::BuildHistogram()
                     .Name("scheduler_scheduling_attempt_duration_seconds")
                     .Help("Time of an attempt that led to a bind: planning and binding.")
                     .Register(registry)),
      sli_(prometheus::BuildHistogram()
               .Name("scheduler_pod_scheduling_sli_duration_seconds")
               .Help("Time from when a pod was first seen until it was bound.")
               .Register(registry)
               .Add({}, wait_bounds)),
      gang_wait_(prometheus::BuildHistogram()
                     .Name("gang_scheduler_gang_wait_seconds")
                     .Help("Time from when a driver was first seen until its gang was admitted.")
                     .Register(registry)
                     .Add({}, wait_bounds)),
      scheduled_(attempts_.Add({{"result", "scheduled"}, {"profile", profile}})),
      unschedulable_(attempts_.Add({{"result", "unschedulable"}, {"profile", profile}})),
      error_(attempts_.Add({{"result", "error"}, {"profile", profile}})),
      scheduled_seconds_(
          durations_.Add({{"result", "scheduled"}, {"profile", profile}}, bind_bounds)),
      error_seconds_(durations_.Add({{"result", "error"}, {"profile", profile}}, bind_bounds)) {}

void AttemptMetrics::bind_answered(const BindMeasured& bind) {
    const bool bound = bind.outcome == BindOutcome::bound;
    (bound ? scheduled_ : error_).Increment();
    (bound ? scheduled_seconds_ : error_seconds_).Observe(bind.plan_seconds + bind.seconds);
    if (!bound) {
        return;
    }
    sli_.Observe(bind.pending_seconds);
    if (bind.starts_gang) {
        gang_wait_.Observe(bind.pending_seconds);
    }
}

/// Binds alone: how long they took, and what came of those that did not bind.
class BindMetrics {
public:
    explicit BindMetrics(prometheus::Registry& registry);

    void answered(const BindMeasured& bind);

private:
    prometheus::Histogram& seconds_;
    std::array<prometheus::Counter*, outcomes.size()> errors_{};  ///< none for `bound`
};

BindMetrics::BindMetrics(prometheus::Registry& registry)
    : seconds_(prometheus::BuildHistogram()
                   .Name("gang_scheduler_bind_seconds")
                   .Help("Time from a bind's decision until it was settled.")
                   .Register(registry)
                   .Add({}, bind_bounds)) {
    CounterFamily& errors = prometheus::BuildCounter()
                                .Name("gang_scheduler_bind_errors_total")
                                .Help("Binds that did not bind, by what came of them.")
                                .Register(registry);
    for (const BindOutcome outcome : outcomes) {
        if (outcome != BindOutcome::bound) {
            errors_[static_cast<std::size_t>(outcome)] =
                &errors.Add({{"code", to_string(outcome)}});
        }
    }
}

void BindMetrics::answered(const BindMeasured& bind) {
    seconds_.Observe(bind.seconds);
    if (bind.outcome != BindOutcome::bound) {
        errors_[static_cast<std::size_t>(bind.outcome)]->Increment();
    }
}

}  // namespace

/// The registry serves its families in the order in which these are made.
struct Metrics::Impl {
    explicit Impl(Identity given) : identity(std::move(given)) {
        for (const char* verb : {"filter", "prioritize", "bind", "preempt"}) {
            for (const char* outcome : {"passed", "refused", "error", "malformed"}) {
                extender_calls.Add({{"verb", verb}, {"outcome", outcome}});
            }
        }
    }

    Identity identity;
    prometheus::Registry registry;
    AttemptMetrics attempts{registry, identity.profile};
    prometheus::Histogram& plan_seconds = prometheus::BuildHistogram()
                                              .Name("gang_scheduler_decision_seconds")
                                              .Help("Time of one plan over all that waits.")
                                              .Register(registry)
                                              .Add({}, decision_bounds);
    BindMetrics binds{registry};
    CounterFamily& extender_calls =
        prometheus::BuildCounter()
            .Name("gang_scheduler_extender_requests_total")
            .Help("Calls of kube-scheduler to its extender, by what they were answered.")
            .Register(registry);
    double last_plan_seconds = 0;
};

Metrics::Metrics(Identity identity) : impl_(std::make_unique<Impl>(std::move(identity))) {}
Metrics::~Metrics() = default;

void Metrics::planned(double plan_seconds) {
    impl_->last_plan_seconds = plan_seconds;
    impl_->plan_seconds.Observe(plan_seconds);
}

double Metrics::last_plan_seconds() const {
    return impl_->last_plan_seconds;
}

void Metrics::extender_answered(std::string_view verb, const char* outcome) {
    impl_->extender_calls.Add({{"verb", std::string(verb)}, {"outcome", outcome}}).Increment();
}

void Metrics::bind_answered(const BindMeasured& bind) {
    impl_->attempts.bind_answered(bind);
    impl_->binds.answered(bind);
}

void Metrics::found_unschedulable() {
    impl_->attempts.found_unschedulable();
}

std::string Metrics::text(const MetricsView& view) const {
    auto families = impl_->registry.Collect();
    add_families(view, impl_->identity, families);
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace gang::app
