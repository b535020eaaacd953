#pragma once
// What is counted in a run besides faults.

#include <cstdint>

namespace gang::sim {

struct Counts {
    std::uint64_t happenings = 0;            ///< taken from the queue
    std::uint64_t deliveries = 0;            ///< watch events handed to a replica
    std::uint64_t steps = 0;                 ///< Scheduler::step
    std::uint64_t commits = 0;               ///< changes of pods and nodes
    std::uint64_t binds = 0;                 ///< of ours, that the store took
    std::uint64_t gangs_admitted = 0;        ///< of them, drivers with a reservation
    std::uint64_t gangs_with_gpus = 0;       ///< of these
    std::uint64_t gangs_with_shares = 0;     ///< of these, whose executors ask for parts of cards
    std::uint64_t gangs_with_ports = 0;      ///< of these, whose executors take a port of the node
    std::uint64_t gangs_of_a_pool = 0;       ///< of these, with a node selector
    std::uint64_t binds_with_rules = 0;      ///< of ours, of pods that ask something of others
    std::uint64_t binds_in_one_zone = 0;     ///< sent for executors of gangs that must be in one
    std::uint64_t executors_with_rules = 0;  ///< of these
    std::uint64_t rules_excused = 0;     ///< rules that somebody else's write broke before the bind
    std::uint64_t evictions = 0;         ///< decided, of a pod each
    std::uint64_t overdue_started = 0;  ///< gangs admitted that were overdue
    std::uint64_t overdue_strict_started = 0;  ///< of these, whom nobody was to pass
    std::uint64_t slots_given_up = 0;    ///< of live gangs, beyond their minimum
    std::uint64_t groups_started = 0;    ///< pod groups of which a pod was bound with a reservation
    std::uint64_t group_binds = 0;       ///< of ours, of pods of groups
    std::uint64_t groups_of_roles = 0;   ///< started with pods of more than one size
    std::uint64_t groups_anew = 0;       ///< started again, with another anchor
    std::uint64_t groups_handed_over = 0;  ///< that went on with another anchor
    std::uint64_t group_statuses = 0;    ///< written, of their objects
    std::uint64_t group_mishaps = 0;     ///< what tenants and controllers of groups did
    std::uint64_t label_lists = 0;       ///< lists of all pods for their labels
    std::uint64_t exits = 0;             ///< of replicas that lost the lead
    std::uint64_t settled = 0;           ///< Leases given up with nothing under way, as they say
    std::uint64_t released = 0;          ///< Leases given up without that word
    std::uint64_t left = 0;              ///< Leases left to expire by a leader that ended
    std::uint64_t handed_over = 0;       ///< leadership terms that began after the first of these
    std::uint64_t kubelet_refusals = 0;  ///< for want of room
    std::uint64_t binds_on_cards = 0;    ///< of ours, of pods that ask for a part of a card
    std::uint64_t slots_on_cards = 0;    ///< nodes on which a gang is admitted with such slots
    std::uint64_t words_that_differ = 0; ///< device plugins took other cards than we had written
    std::uint64_t cards_excused = 0;     ///< of these, that such a word, or others, explain
    std::uint64_t binds_with_volumes = 0;   ///< of ours, of pods that mount claims
    std::uint64_t gangs_with_volumes = 0;   ///< admitted, whose executors have a claim each
    std::uint64_t volumes_made = 0;         ///< when a node was chosen
    std::uint64_t quotas_asked = 0;         ///< questions about a namespace's quotas
    std::uint64_t quotas_changed = 0;       ///< raised, lowered, deleted, made
    std::uint64_t pods_refused_by_quota = 0;
    std::uint64_t gangs_within_quotas = 0;  ///< admitted where a quota or a LimitRange stands
    std::uint64_t waits_for_quota = 0;      ///< gangs seen at rest that are kept by one
    std::uint64_t demands_written = 0;      ///< gangs for which an autoscaler was asked
    std::uint64_t nodes_bought = 0;
    std::uint64_t nodes_given_back = 0;  ///< of these, for nothing was on them
    std::uint64_t inspections = 0;
    std::uint64_t quiescent = 0;   ///< of them, processes that had seen everything
    std::uint64_t attributed = 0;  ///< overcommits that somebody else's write explains
    std::uint64_t forfeited = 0;   ///< slots whose room others had taken, and that was used

    void add(const Counts& other) {
        happenings += other.happenings;
        deliveries += other.deliveries;
        steps += other.steps;
        commits += other.commits;
        binds += other.binds;
        gangs_admitted += other.gangs_admitted;
        gangs_with_shares += other.gangs_with_shares;
        binds_on_cards += other.binds_on_cards;
        slots_on_cards += other.slots_on_cards;
        words_that_differ += other.words_that_differ;
        cards_excused += other.cards_excused;
        gangs_with_gpus += other.gangs_with_gpus;
        gangs_with_ports += other.gangs_with_ports;
        gangs_of_a_pool += other.gangs_of_a_pool;
        binds_with_rules += other.binds_with_rules;
        binds_in_one_zone += other.binds_in_one_zone;
        executors_with_rules += other.executors_with_rules;
        rules_excused += other.rules_excused;
        evictions += other.evictions;
        overdue_started += other.overdue_started;
        overdue_strict_started += other.overdue_strict_started;
        slots_given_up += other.slots_given_up;
        groups_started += other.groups_started;
        group_binds += other.group_binds;
        groups_of_roles += other.groups_of_roles;
        groups_anew += other.groups_anew;
        groups_handed_over += other.groups_handed_over;
        group_statuses += other.group_statuses;
        group_mishaps += other.group_mishaps;
        label_lists += other.label_lists;
        exits += other.exits;
        settled += other.settled;
        released += other.released;
        left += other.left;
        handed_over += other.handed_over;
        kubelet_refusals += other.kubelet_refusals;
        binds_with_volumes += other.binds_with_volumes;
        gangs_with_volumes += other.gangs_with_volumes;
        volumes_made += other.volumes_made;
        quotas_asked += other.quotas_asked;
        quotas_changed += other.quotas_changed;
        pods_refused_by_quota += other.pods_refused_by_quota;
        gangs_within_quotas += other.gangs_within_quotas;
        waits_for_quota += other.waits_for_quota;
        demands_written += other.demands_written;
        nodes_bought += other.nodes_bought;
        nodes_given_back += other.nodes_given_back;
        inspections += other.inspections;
        quiescent += other.quiescent;
        attributed += other.attributed;
        forfeited += other.forfeited;
    }
};

}  // namespace gang::sim
