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

struct Metrics::Impl {
    using Attempts = prometheus::Family<prometheus::Counter>;
    using Durations = prometheus::Family<prometheus::Histogram>;

    explicit Impl(Identity given) : identity(std::move(given)) {
        for (const char* verb : {"filter", "prioritize", "bind", "preempt"}) {
            for (const char* outcome : {"passed", "refused", "error", "malformed"}) {
                extender_calls.Add({{"verb", verb}, {"outcome", outcome}});
            }
        }
        for (const BindOutcome outcome : outcomes) {
            if (outcome != BindOutcome::bound) {
                errors[static_cast<std::size_t>(outcome)] =
                    &bind_errors.Add({{"code", to_string(outcome)}});
            }
        }
    }

    prometheus::Counter& attempts(const char* result) {
        return schedule_attempts.Add({{"result", result}, {"profile", identity.profile}});
    }
    prometheus::Histogram& duration(const char* result) {
        return attempt_duration.Add(
            {{"result", result}, {"profile", identity.profile}}, bind_bounds);
    }

    Identity identity;
    prometheus::Registry registry;
    Attempts& schedule_attempts =
        prometheus::BuildCounter()
            .Name("scheduler_schedule_attempts_total")
            .Help("Attempts to place pods: bound, refused, or nothing found for them.")
            .Register(registry);
    Durations& attempt_duration =
        prometheus::BuildHistogram()
            .Name("scheduler_scheduling_attempt_duration_seconds")
            .Help("Time of an attempt that led to a bind: planning and binding.")
            .Register(registry);
    prometheus::Histogram& sli =
        prometheus::BuildHistogram()
            .Name("scheduler_pod_scheduling_sli_duration_seconds")
            .Help("Time from when a pod was first seen until it was bound.")
            .Register(registry)
            .Add({}, wait_bounds);
    prometheus::Histogram& gang_wait =
        prometheus::BuildHistogram()
            .Name("gang_scheduler_gang_wait_seconds")
            .Help("Time from when a driver was first seen until its gang was admitted.")
            .Register(registry)
            .Add({}, wait_bounds);
    prometheus::Histogram& decision = prometheus::BuildHistogram()
                                          .Name("gang_scheduler_decision_seconds")
                                          .Help("Time of one plan over all that waits.")
                                          .Register(registry)
                                          .Add({}, decision_bounds);
    prometheus::Histogram& bind = prometheus::BuildHistogram()
                                      .Name("gang_scheduler_bind_seconds")
                                      .Help("Time from a bind's decision until it was settled.")
                                      .Register(registry)
                                      .Add({}, bind_bounds);
    Attempts& bind_errors = prometheus::BuildCounter()
                                .Name("gang_scheduler_bind_errors_total")
                                .Help("Binds that did not bind, by what came of them.")
                                .Register(registry);
    Attempts& extender_calls =
        prometheus::BuildCounter()
            .Name("gang_scheduler_extender_requests_total")
            .Help("Calls of kube-scheduler to its extender, by what they were answered.")
            .Register(registry);
    prometheus::Counter& scheduled = attempts("scheduled");
    prometheus::Counter& unschedulable = attempts("unschedulable");
    prometheus::Counter& error = attempts("error");
    prometheus::Histogram& scheduled_seconds = duration("scheduled");
    prometheus::Histogram& error_seconds = duration("error");
    std::array<prometheus::Counter*, outcomes.size()> errors{};
    double last_plan_seconds = 0;
};

Metrics::Metrics(Identity identity) : impl_(std::make_unique<Impl>(std::move(identity))) {}
Metrics::~Metrics() = default;

void Metrics::planned(double plan_seconds) {
    impl_->last_plan_seconds = plan_seconds;
    impl_->decision.Observe(plan_seconds);
}

double Metrics::last_plan_seconds() const {
    return impl_->last_plan_seconds;
}

void Metrics::extender_answered(std::string_view verb, const char* outcome) {
    impl_->extender_calls.Add({{"verb", std::string(verb)}, {"outcome", outcome}}).Increment();
}

void Metrics::bind_answered(const BindMeasured& bind) {
    const bool bound = bind.outcome == BindOutcome::bound;
    impl_->bind.Observe(bind.seconds);
    (bound ? impl_->scheduled : impl_->error).Increment();
    (bound ? impl_->scheduled_seconds : impl_->error_seconds)
        .Observe(bind.plan_seconds + bind.seconds);
    if (!bound) {
        impl_->errors[static_cast<std::size_t>(bind.outcome)]->Increment();
        return;
    }
    impl_->sli.Observe(bind.pending_seconds);
    if (bind.starts_gang) {
        impl_->gang_wait.Observe(bind.pending_seconds);
    }
}

void Metrics::found_unschedulable() {
    impl_->unschedulable.Increment();
}

std::string Metrics::text(const MetricsView& view) const {
    auto families = impl_->registry.Collect();
    add_families(view, impl_->identity, families);
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace gang::app
