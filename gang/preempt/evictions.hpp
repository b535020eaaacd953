#pragma once
// Evictions that are under way, and gangs whose driver has been evicted: their other pods are of no
// use without it and follow, whatever has become of the gang that they went for.
//
// Nothing is remembered beyond the process.

#include "core/value/pod.hpp"
#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gang {

class Evictions {
public:
    /// A pod whose eviction is under way.
    struct Asked {
        std::string gang;    ///< for which it goes
        std::string victim;  ///< it, or its gang's driver
        bool is_driver = false;  ///< whose gang goes with it
        EvictReason reason = EvictReason::reclaim;
        core::Pod pod;  ///< its names alone, for the event: it may be gone before the answer
    };

    Evictions(Model& model, StepContext& step, StatusReporter& status_reporter);

    /// Sends the eviction of an executor or a driver, which goes for `gang`.
    void ask(const std::string& gang, const Victim& victim);
    /// What was asked is counted, and told in the pod's events; with a driver its gang is broken.
    /// Nothing: nobody here has asked.
    std::optional<Asked> finish(const EvictFinished& event);
    /// The driver goes, for `gang`: follow() asks its other pods to go.
    void lost_driver(const std::string& driver, const std::string& gang, EvictReason reason);
    /// Asks the other pods of gangs that have lost their driver to go; those whom a budget keeps are
    /// asked again.
    void follow();

    void forget_all();
    std::size_t remembered() const { return asked_.size() + broken_.size(); }

    /// Its driver was evicted, and its other pods are being asked to go.
    bool is_broken(const std::string& driver) const { return broken_.contains(driver); }
    /// Its eviction is under way.
    bool is_asked(const std::string& pod) const { return asked_.contains(pod); }
    /// It is not there any more, or on its way out.
    bool is_gone(const std::string& pod) const;
    /// It is seen on a node; one that we are binding is asked to go when it is. It must be there.
    bool is_placed(const std::string& pod) const;
    /// "etl/high: its priority is higher".
    std::string for_whom(
        const std::string& gang, std::string_view reader, EvictReason reason) const;

private:
    /// A gang that has lost its driver.
    struct Broken {
        std::string gang;  ///< for which it went
        EvictReason reason = EvictReason::reclaim;
        std::int64_t not_before_ms = 0;  ///< nobody of it is asked before
    };

    void send(Asked asked, PodId pod);
    void set_evicting(const std::string& pod, bool is_evicting);
    bool follow(const std::string& driver, Broken& broken);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    std::map<std::string, Asked> asked_;    ///< by the pod's uid
    std::map<std::string, Broken> broken_;  ///< by the driver's uid
};

}  // namespace gang
