#include "tests/sim/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim_tool {

using gang::sim::Fault;

Outcome run_seed(
    std::uint64_t seed, const Options& options, const gang::sim::Trace& trace) {
    gang::sim::Plan plan = gang::sim::draw_plan(seed);
    plan = options.queues ? gang::sim::with_queues(plan) : plan;
    plan = options.backfill ? gang::sim::with_backfill(plan) : plan;
    plan = options.groups ? gang::sim::with_groups(plan) : plan;
    plan = options.cards ? gang::sim::with_cards(plan) : plan;
    plan = options.volumes ? gang::sim::with_volumes(plan) : plan;
    plan = options.quotas ? gang::sim::with_quotas(plan) : plan;
    plan = options.autoscaler ? gang::sim::with_autoscaler(plan) : plan;
    gang::sim::World world(plan, trace);
    world.run();
    Outcome made;
    made.seed = seed;
    made.digest = world.record.digest.value();
    made.virtual_ms = world.now_ms;
    made.counts = world.record.counts;
    made.faults = world.faults.counts();
    const auto& violations = world.checkers.violations();
    made.has_failed = !violations.empty();
    if (made.has_failed) {
        const auto& first = violations.front();
        const std::string text = fmt::format(
            "at {:.3f} s {}: {}",
            static_cast<double>(first.time_ms) / 1'000,
            first.rule,
            first.text);
        std::memcpy(made.text, text.data(), std::min(text.size(), sizeof made.text - 1));
    }
    return made;
}

void Totals::add(const Outcome& outcome) {
    ++seeds;
    if (outcome.has_failed) {
        failed.push_back(outcome.seed);
    }
    virtual_ms_ += outcome.virtual_ms;
    counts_.add(outcome.counts);
    for (std::size_t i = 0; i < faults_.size(); ++i) {
        faults_[i] += outcome.faults[i];
    }
}

std::vector<std::string> Totals::never_seen() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < faults_.size(); ++i) {
        if (faults_[i] == 0) {
            names.push_back(
                "the fault " + std::string(gang::sim::to_string(static_cast<Fault>(i))));
        }
    }
    const std::pair<std::uint64_t, const char*> ends[] = {
        {counts_.settled, "a Lease given up with nothing under way"},
        {counts_.released, "a Lease given up without that word"},
        {counts_.left, "a Lease left to expire at an orderly end"},
        {counts_.handed_over, "a leadership term that was handed over"},
        {counts_.gangs_with_gpus, "a gang with GPUs"},
        {counts_.gangs_with_ports, "a gang whose executors take a port of their node"},
        {counts_.gangs_of_a_pool, "a gang with a node selector"},
        {counts_.binds_with_rules, "a pod with rules about other pods"},
        {counts_.binds_in_one_zone, "an executor of a gang that must be in one zone"},
        {counts_.executors_with_rules, "an executor with rules about other pods"},
        {counts_.label_lists, "a list of all pods for their labels"}};
    for (const auto& [count, name] : ends) {
        if (count == 0) {
            names.emplace_back(name);
        }
    }
    return names;
}

std::string Totals::describe(double seconds, int jobs) const {
    const double days = static_cast<double>(virtual_ms_) / 86'400'000;
    std::string text = fmt::format(
        "seeds                 {} ({} failed)\n"
        "simulated events      {} ({:.0f} per second and job)\n"
        "  scheduler steps     {}\n"
        "  watch deliveries    {}\n"
        "  commits             {}\n"
        "cluster time          {:.2f} days\n"
        "pods bound by us      {} ({} gangs, {} with GPUs, {} with ports, {} for one pool)\n"
        "  with pod rules      {} ({} executors, {} rules broken by others; {} lists of labels)\n"
        "views at rest         {} compared with the truth\n"
        "overcommits explained {} by a write that the decision had not seen\n"
        "slots forfeited       {}\n"
        "kubelets out of room  {}\n"
        "ended for the lease   {} processes\n"
        "leases given up       {} settled, {} released, {} left to expire; {} taken as handed "
        "over\n"
        "wall time             {:.1f} s, {} jobs\n",
        seeds,
        failed.size(),
        counts_.happenings,
        static_cast<double>(counts_.happenings) / std::max(seconds, 0.001) / jobs,
        counts_.steps,
        counts_.deliveries,
        counts_.commits,
        days,
        counts_.binds,
        counts_.gangs_admitted,
        counts_.gangs_with_gpus,
        counts_.gangs_with_ports,
        counts_.gangs_of_a_pool,
        counts_.binds_with_rules,
        counts_.executors_with_rules,
        counts_.rules_excused,
        counts_.label_lists,
        counts_.quiescent,
        counts_.attributed,
        counts_.forfeited,
        counts_.kubelet_refusals,
        counts_.exits,
        counts_.settled,
        counts_.released,
        counts_.left,
        counts_.handed_over,
        seconds,
        jobs);
    if (counts_.evictions > 0) {
        text += fmt::format("evictions asked for   {}\n", counts_.evictions);
    }
    if (counts_.overdue_started > 0) {
        text += fmt::format(
            "overdue gangs started {} ({} whom nobody was to pass)\n",
            counts_.overdue_started,
            counts_.overdue_strict_started);
    }
    if (counts_.slots_given_up > 0) {
        text += fmt::format("soft slots given up   {}\n", counts_.slots_given_up);
    }
    if (counts_.group_binds > 0) {
        text += fmt::format(
            "pods of groups bound  {} ({} groups started, {} of several sizes, {} again, {} went on with another pod)\n"
            "  statuses written    {}, {} mishaps\n",
            counts_.group_binds,
            counts_.groups_started,
            counts_.groups_of_roles,
            counts_.groups_anew,
            counts_.groups_handed_over,
            counts_.group_statuses,
            counts_.group_mishaps);
    }
    if (counts_.binds_on_cards > 0) {
        text += fmt::format(
            "pods on cards         {} ({} gangs with shares, {} nodes of theirs; {} words for "
            "other cards, {} explained by these)\n",
            counts_.binds_on_cards,
            counts_.gangs_with_shares,
            counts_.slots_on_cards,
            counts_.words_that_differ,
            counts_.cards_excused);
    }
    if (counts_.binds_with_volumes > 0) {
        text += fmt::format(
            "pods with volumes     {} ({} gangs with some, {} volumes made for a node)\n",
            counts_.binds_with_volumes,
            counts_.gangs_with_volumes,
            counts_.volumes_made);
    }
    if (counts_.quotas_asked > 0) {
        text += fmt::format(
            "quotas asked for      {} ({} gangs admitted within some, {} kept waiting at rest; {} "
            "pods "
            "refused, {} changes)\n",
            counts_.quotas_asked,
            counts_.gangs_within_quotas,
            counts_.waits_for_quota,
            counts_.pods_refused_by_quota,
            counts_.quotas_changed);
    }
    if (counts_.demands_written > 0) {
        text += fmt::format(
            "nodes asked for       {} gangs ({} nodes bought, {} of them given back)\n",
            counts_.demands_written,
            counts_.nodes_bought,
            counts_.nodes_given_back);
    }
    text += "faults\n";
    for (std::size_t i = 0; i < faults_.size(); ++i) {
        if (faults_[i] == 0) {
            continue;
        }
        text += fmt::format(
            "  {:<22}{:>12}\n", gang::sim::to_string(static_cast<Fault>(i)), faults_[i]);
    }
    return text;
}

}  // namespace sim_tool
