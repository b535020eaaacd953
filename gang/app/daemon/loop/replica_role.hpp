#pragma once
// The role of this process among the replicas: it stands for election, leads, or is over. Without
// leader election it leads as soon as it stands.
//
//   made --stand()--> candidate --the Lease is ours--> leads
//     any of them --lose()--> over: nothing is decided or written any more, and the owner is told

#include "gang/app/base/json_text.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/daemon/daemon_options.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "k8s/lease/elector.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gang::app {

class ReplicaRole {
public:
    struct Wiring {
        DecisionLoop* loop = nullptr;  ///< outlives it
        std::function<bool()> nodes_are_listed;
        /// A term begins with that: afterwards the loop is told nodes_listed().
        std::function<void()> list_nodes;
    };

    /// `options` outlive it.
    ReplicaRole(boost::asio::io_context& io, const DaemonOptions& options, Wiring wiring);
    ReplicaRole(const ReplicaRole&) = delete;
    ReplicaRole& operator=(const ReplicaRole&) = delete;

    /// Whoever leads decides: to be called when it is known what must not be decided without.
    void stand();
    /// Nothing is decided any more. Again it changes nothing.
    void lose(const std::string& why);
    /// Gives the Lease up, then calls `done`, later. The writes have ended.
    void stop(std::function<void()> done, k8s::LeaseEnd end);

    bool is_leading() const { return is_leading_; }
    /// To be asked right before each write.
    bool may_write() const;
    bool has_election() const { return elector_ != nullptr; }
    /// Somebody holds the Lease.
    bool is_leader_known() const { return elector_ && !elector_->holder().empty(); }
    Standing standing() const;
    /// host:port of the leader's API; empty: not known.
    std::string leader_api() const { return elector_ ? elector_->holder_api() : std::string(); }

private:
    void lead(const k8s::LeadershipTerm& term);

    boost::asio::io_context& io_;
    const DaemonOptions& options_;
    Wiring wiring_;
    std::unique_ptr<k8s::Elector> elector_;  ///< none: this process leads from the start
    bool is_leading_ = false;
};

}  // namespace gang::app
