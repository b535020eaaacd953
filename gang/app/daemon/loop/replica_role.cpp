#include "gang/app/daemon/loop/replica_role.hpp"

#include "gang/app/api/leader_forward.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

k8s::ElectorOptions elector_options(const DaemonOptions& options) {
    const config::LeaderElection& lease = options.config.leader_election;
    k8s::ElectorOptions out;
    out.namespace_name = lease.lease_namespace.empty() ? options.endpoint->access().namespace_name
                                                       : lease.lease_namespace;
    out.lease_name = lease.lease_name;
    out.scheduler_names = fmt::format("{}", fmt::join(options.config.scheduler_names(), ","));
    out.api = advertised_api(options.config.api, std::getenv("POD_IP"));
    out.identity = options.identity;
    out.lease_duration_ms = lease.lease_duration_ms;
    out.renew_deadline_ms = lease.renew_deadline_ms;
    out.retry_period_ms = lease.retry_period_ms;
    out.notice = notice_sink(options.log, "lease");
    return out;
}

}  // namespace

ReplicaRole::ReplicaRole(boost::asio::io_context& io, const DaemonOptions& options, Wiring wiring)
    : io_(io), options_(options), wiring_(std::move(wiring)) {
    if (!options.config.leader_election.enabled) {
        return;
    }
    k8s::ElectorOptions election = elector_options(options);
    election.gained = [this](const k8s::LeadershipTerm& term) { lead(term); };
    election.lost = [this](const std::string& why) { lose(why); };
    elector_ = std::make_unique<k8s::Elector>(io, options.endpoint, std::move(election));
}

void ReplicaRole::stand() {
    if (elector_) {
        elector_->start();
        return;
    }
    lead({wiring_.loop->now_ms(), false, "there is no leader election"});
}

void ReplicaRole::lead(const k8s::LeadershipTerm& term) {
    const Host::Lead begins = wiring_.loop->lead(
        LeadershipGained{term.epoch, term.handed_over}, wiring_.nodes_are_listed());
    if (begins == Host::Lead::ignored) {
        return;
    }
    options_.log->write(
        LogLevel::info, "leading", {{"epoch", std::to_string(term.epoch)}, {"why", term.why}});
    is_leading_ = true;
    if (begins == Host::Lead::list_nodes) {
        wiring_.list_nodes();
    }
}

void ReplicaRole::lose(const std::string& why) {
    if (!wiring_.loop->lose()) {
        return;
    }
    options_.log->write(
        LogLevel::error, "leadership lost, nothing is decided any more", {{"why", why}});
    is_leading_ = false;
    if (options_.lost_lease) {
        options_.lost_lease();
    }
}

void ReplicaRole::stop(std::function<void()> done, k8s::LeaseEnd end) {
    if (elector_) {
        elector_->stop(std::move(done), end);
    } else {
        boost::asio::post(io_, std::move(done));
    }
}

// The elector may take the lease again while we end: that leadership term is not ours.
bool ReplicaRole::may_write() const {
    return elector_ == nullptr || (!wiring_.loop->host().is_lost() && elector_->may_write());
}

Standing ReplicaRole::standing() const {
    return {is_leading_, elector_ ? elector_->holder() : options_.identity};
}

}  // namespace gang::app
