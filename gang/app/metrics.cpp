#include "gang/app/metrics.hpp"

#include "gang/app/exposition.hpp"
#include "gang/app/metrics_view.hpp"

#include <array>
#include <utility>
#include <vector>

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

std::vector<double> decision_bounds() {
    return {0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
}

std::vector<double> bind_bounds() {
    return {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
}

std::vector<double> wait_bounds() {
    return {0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1'800, 3'600, 14'400, 86'400};
}

}  // namespace

const char* to_string(BindOutcome outcome) {
    constexpr std::array<const char*, outcomes.size()> words = {
        "bound", "taken", "gone", "changed", "not_bindable", "refused", "not_sent"};
    return words[static_cast<std::size_t>(outcome)];
}

struct Metrics::Impl {
    explicit Impl(Identity given) : identity(std::move(given)) {}

    void add_attempts(Exposition& to) const;
    void add_durations(Exposition& to) const;

    Identity identity;
    std::uint64_t scheduled = 0;
    std::uint64_t unschedulable = 0;
    std::uint64_t error = 0;
    std::array<std::uint64_t, outcomes.size()> bind_errors{};  ///< by outcome
    Histogram scheduled_seconds{bind_bounds()};
    Histogram error_seconds{bind_bounds()};
    Histogram sli{wait_bounds()};
    Histogram gang_wait{wait_bounds()};
    Histogram decision{decision_bounds()};
    Histogram bind{bind_bounds()};
    double last_plan_seconds = 0;
};

void Metrics::Impl::add_attempts(Exposition& to) const {
    const std::string& profile = identity.profile;
    to.begin(
        "scheduler_schedule_attempts_total",
        "Attempts to place pods: bound, refused, or nothing found for them.",
        MetricType::counter);
    to.add(scheduled, {{"profile", profile}, {"result", "scheduled"}});
    to.add(unschedulable, {{"profile", profile}, {"result", "unschedulable"}});
    to.add(error, {{"profile", profile}, {"result", "error"}});
    to.begin(
        "gang_scheduler_bind_errors_total",
        "Binds that did not bind, by what came of them.",
        MetricType::counter);
    for (const BindOutcome outcome : outcomes) {
        if (outcome != BindOutcome::bound) {
            to.add(bind_errors[static_cast<std::size_t>(outcome)], {{"code", to_string(outcome)}});
        }
    }
}

void Metrics::Impl::add_durations(Exposition& to) const {
    to.begin(
        "scheduler_scheduling_attempt_duration_seconds",
        "Time of an attempt that led to a bind: planning and binding.",
        MetricType::histogram);
    to.add(scheduled_seconds, {{"profile", identity.profile}, {"result", "scheduled"}});
    to.add(error_seconds, {{"profile", identity.profile}, {"result", "error"}});
    to.begin(
        "scheduler_pod_scheduling_sli_duration_seconds",
        "Time from when a pod was first seen until it was bound.",
        MetricType::histogram);
    to.add(sli);
    to.begin(
        "gang_scheduler_gang_wait_seconds",
        "Time from when a driver was first seen until its gang was admitted.",
        MetricType::histogram);
    to.add(gang_wait);
    to.begin(
        "gang_scheduler_decision_seconds",
        "Time of one plan over all that waits.",
        MetricType::histogram);
    to.add(decision);
    to.begin(
        "gang_scheduler_bind_seconds",
        "Time from a bind's decision until it was settled.",
        MetricType::histogram);
    to.add(bind);
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
        ++impl_->bind_errors[static_cast<std::size_t>(bind.outcome)];
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
    Exposition to;
    impl_->add_attempts(to);
    impl_->add_durations(to);
    add_families(view, impl_->identity, to);
    return to.take();
}

}  // namespace gang::app
