#pragma once
// What a pod is to us, and how large its gang is, by the pod, its Spark conf and the configuration.
// Remembers nothing.

#include "config/schema.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/declare/profile_rules.hpp"
#include "gang/declare/spark/conf.hpp"
#include "gang/declare/spark/executor/derive.hpp"

#include <optional>
#include <string_view>

namespace gang {

class DeclarationReader {
public:
    explicit DeclarationReader(const config::Schema& schema)
        : schema_(schema), profiles_(schema) {}

    /// It names one of our scheduler names, or is of a gang that kube-scheduler asks us about.
    bool is_ours(const core::Pod& pod) const;
    /// kube-scheduler asks us about pods that name this scheduler (gang/extender).
    bool names_extender(const core::Pod& pod) const { return is_extended(pod.scheduler_name); }
    bool is_extended(std::string_view scheduler_name) const {
        return schema_.extender.enabled && scheduler_name == schema_.extender.scheduler_name;
    }
    /// Such a pod that starts a gang of ours, or is an executor. Pod groups are left to
    /// kube-scheduler: it asks about one pod at a time, and goes on only when that is placed.
    bool is_of_extender(const core::Pod& pod) const;
    const ProfileRules& profiles() const { return profiles_; }
    /// Whether there are gangs at all: the configuration may leave them out.
    bool reads_gangs() const;
    /// Whether labels and annotations may declare a gang.
    bool reads_declarations() const;
    /// Made by Spark's cluster mode: its gang is in its conf.
    bool is_spark_driver(const core::Pod& pod) const;
    /// It starts a gang, by what it says now.
    bool is_driver(const core::Pod& pod) const;
    /// It is an executor, whoever its driver is.
    bool is_executor(const core::Pod& pod) const;
    /// Our own word, sealed, on a pod that is bound: it was a driver when it was admitted, whatever
    /// its labels say by now.
    bool was_admitted(const core::Pod& pod) const;
    /// The pod group that it is a member of; nothing for what starts a gang by what it says.
    /// Executors of Spark's client mode are one, if they say how many they are.
    std::optional<GroupMembership> membership_of(const core::Pod& pod) const;
    /// The PodGroup that whoever made this driver made for its application (Spark's own step for
    /// Volcano, an operator); nothing: none that is an object.
    std::optional<GroupMembership> group_of_driver(const core::Pod& driver) const;
    /// Of a pod that declares nothing, the defaults.
    Declaration declaration_of(const core::Pod& pod) const;
    /// Whether the pod may mean another gang than it did.
    bool says_other(const core::Pod& before, const core::Pod& now) const;
    /// Without a conf, only the PodGroup that the driver names could say how many executors it has.
    bool is_sized_by_group(const core::Pod& driver) const;
    /// What the gang is, as its driver and its conf say it now. `conf` is nullptr when there is
    /// none; so is the object of the group that the driver names.
    GangSize size_of(
        const core::Pod& driver,
        const spark::Conf* conf,
        const core::PodGroup* group = nullptr) const;

private:
    bool reads_confs() const;
    bool names_group_alone(const core::Pod& pod) const;
    void add_gpu_wishes(const spark::Conf& conf, GangSize& size) const;
    void add_card_asks(const spark::Conf* conf, GangSize& size) const;
    spark::Derivation derive(const spark::Conf& conf, const core::Pod& driver) const;
    spark::Limits limits() const;

    const config::Schema& schema_;
    ProfileRules profiles_;
};

}  // namespace gang
