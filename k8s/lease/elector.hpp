#pragma once
// Leader election by a coordination.k8s.io/v1 Lease, on a connection of its own so that nothing can
// delay a renewal. A candidate watches that one Lease and wakes when it changes or expires; without
// the right to watch it reads it each retry period. The rules are in
// protocol/election/election.hpp.

#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/election/election.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

/// A leadership that begins.
struct LeadershipTerm {
    std::int64_t epoch = 0;    ///< grows with every change of leader
    bool handed_over = false;  ///< Election::was_handed_over()
    std::string why;           ///< how the lease came to be free
};

struct ElectorOptions {
    std::string namespace_name;
    std::string lease_name = "gang-scheduler";
    std::string identity;  ///< unique per process: host name and something random
    /// Served by this process, with commas between them; written into the Lease. A holder that
    /// serves others shares the Lease by mistake, and the notice says so.
    std::string scheduler_names;
    std::string api;  ///< host:port where other replicas reach our API; empty: there is none
    std::int64_t lease_duration_ms = 15'000;
    std::int64_t renew_deadline_ms = 10'000;
    std::int64_t retry_period_ms = 2'000;
    std::function<void(const LeadershipTerm& term)> gained;
    /// Nothing may be written any more. The elector goes on as a candidate.
    std::function<void(const std::string& why)> lost;
    NoticeSink notice;
};

using protocol::LeaseEnd;

class Elector {
public:
    Elector(
        boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ElectorOptions options);
    ~Elector();
    Elector(const Elector&) = delete;
    Elector& operator=(const Elector&) = delete;

    void start();

    /// True while we lead and the last renewal is younger than the renew deadline, now: to be asked
    /// right before each write.
    bool may_write() const;

    /// The holder of the lease as last seen; empty if nobody.
    std::string holder() const;
    /// Where its API is, as it wrote into the Lease; empty: it has none, or nobody leads. Whoever
    /// may write the Lease may have written it.
    std::string holder_api() const;

    /// Gives the lease up if we hold it (at most two seconds), then calls `done`. Stop the writer
    /// first: after the release somebody else leads. Neither gained nor lost is called any more.
    void stop(std::function<void()> done, LeaseEnd end = LeaseEnd::release);

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
