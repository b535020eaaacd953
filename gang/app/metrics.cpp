#include "gang/app/metrics.hpp"

#include "gang/app/metric_text.hpp"
#include "gang/app/metrics_view.hpp"

#include <array>
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

constexpr std::array decision_bounds = {
    0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0};
constexpr std::array bind_bounds = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};
constexpr std::array wait_bounds = {
    0.01,
    0.05,
    0.1,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
    900.0,
    1'800.0,
    3'600.0,
    14'400.0,
    86'400.0};

}  // namespace

const char* to_string(BindOutcome outcome) {
    constexpr std::array<const char*, outcomes.size()> words = {
        "bound", "taken", "gone", "changed", "not_bindable", "refused", "not_sent"};
    return words[static_cast<std::size_t>(outcome)];
}

struct Metrics::Impl {
    explicit Impl(Identity given) : identity(std::move(given)) {}

    MetricLabels labels(const char* result) const {
        return {{"profile", identity.profile}, {"result", result}};
    }
    std::vector<MetricFamily> families() const;

    Identity identity;
    std::uint64_t scheduled = 0;
    std::uint64_t unschedulable = 0;
    std::uint64_t error = 0;
    Histogram scheduled_seconds{bind_bounds};
    Histogram error_seconds{bind_bounds};
    Histogram sli{wait_bounds};
    Histogram gang_wait{wait_bounds};
    Histogram decision{decision_bounds};
    Histogram bind{bind_bounds};
    std::array<std::uint64_t, outcomes.size()> errors{};  ///< by outcome
    double last_plan_seconds = 0;
};

std::vector<MetricFamily> Metrics::Impl::families() const {
    const auto count = [](MetricLabels labels, std::uint64_t number) {
        return MetricSample{std::move(labels), static_cast<double>(number), {}};
    };
    const auto histogram = [](const char* name, const char* help, const Histogram& of) {
        return MetricFamily{name, help, MetricType::histogram, {{{}, 0, of.seen()}}};
    };
    std::vector<MetricFamily> out = {
        {"scheduler_schedule_attempts_total",
         "Attempts to place pods: bound, refused, or nothing found for them.",
         MetricType::counter,
         {count(labels("scheduled"), scheduled),
          count(labels("unschedulable"), unschedulable),
          count(labels("error"), error)}},
        {"scheduler_scheduling_attempt_duration_seconds",
         "Time of an attempt that led to a bind: planning and binding.",
         MetricType::histogram,
         {{labels("scheduled"), 0, scheduled_seconds.seen()},
          {labels("error"), 0, error_seconds.seen()}}},
        histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            "Time from when a pod was first seen until it was bound.",
            sli),
        histogram(
            "gang_scheduler_gang_wait_seconds",
            "Time from when a driver was first seen until its gang was admitted.",
            gang_wait),
        histogram(
            "gang_scheduler_decision_seconds", "Time of one plan over all that waits.", decision),
        histogram(
            "gang_scheduler_bind_seconds",
            "Time from a bind's decision until it was settled.",
            bind),
        {"gang_scheduler_bind_errors_total",
         "Binds that did not bind, by what came of them.",
         MetricType::counter,
         {}}};
    for (const BindOutcome outcome : outcomes) {
        if (outcome != BindOutcome::bound) {
            out.back().samples.push_back(
                count({{"code", to_string(outcome)}}, errors[static_cast<std::size_t>(outcome)]));
        }
    }
    return out;
}

Metrics::Metrics(Identity identity) : impl_(std::make_unique<Impl>(std::move(identity))) {}
Metrics::~Metrics() = default;

void Metrics::planned(double plan_seconds) {
    impl_->last_plan_seconds = plan_seconds;
    impl_->decision.observe(plan_seconds);
}

double Metrics::last_plan_seconds() const {
    return impl_->last_plan_seconds;
}

void Metrics::bind_answered(const BindMeasured& bind) {
    const bool bound = bind.outcome == BindOutcome::bound;
    impl_->bind.observe(bind.seconds);
    ++(bound ? impl_->scheduled : impl_->error);
    (bound ? impl_->scheduled_seconds : impl_->error_seconds)
        .observe(bind.plan_seconds + bind.seconds);
    if (!bound) {
        ++impl_->errors[static_cast<std::size_t>(bind.outcome)];
        return;
    }
    impl_->sli.observe(bind.pending_seconds);
    if (bind.starts_gang) {
        impl_->gang_wait.observe(bind.pending_seconds);
    }
}

void Metrics::found_unschedulable() {
    ++impl_->unschedulable;
}

std::string Metrics::text(const MetricsView& view) const {
    std::vector<MetricFamily> families = impl_->families();
    add_families(view, impl_->identity, families);
    return to_text(families);
}

}  // namespace gang::app
