#pragma once
// Spark's application ids (label spark-app-selector), by namespace: which drivers bear one, and
// which executors name it without having an owner that is a driver of ours. Tenants write these
// labels, so one id may have several drivers, or none.

#include "gang/model/pod/pods.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace gang {

class ApplicationIds {
public:
    /// Who bears one application id in one namespace.
    struct Bearers {
        PodIds live;       ///< drivers that have not ended
        PodIds ended;      ///< drivers that have
        PodIds ownerless;  ///< executors whose driver is not known (yet)

        bool has_driver(PodId id) const { return live.contains(id) || ended.contains(id); }
        /// The driver that is meant is among these.
        const PodIds& candidates() const { return live.empty() ? ended : live; }
    };

    /// `key` is "namespace/application id"; the id may be empty.
    void add_driver(const std::string& key, PodId id) { bearers_[key].live.insert(id); }
    void add_ownerless(const std::string& key, PodId id) { bearers_[key].ownerless.insert(id); }
    void driver_ended(const std::string& key, PodId id);
    /// The executor belongs to a driver from now on.
    void got_owner(const std::string& key, PodId id);
    /// The pod is gone.
    void remove(const std::string& key, PodId id);

    /// Nobody, if the key is not known.
    const Bearers& of(const std::string& key) const;
    bool is_ownerless(const std::string& key, PodId id) const {
        return of(key).ownerless.contains(id);
    }
    std::size_t size() const { return bearers_.size(); }
    /// visit(PodId) for each ownerless executor, by key.
    template <typename Visit>
    void for_each_ownerless(const Visit& visit) const {
        for (const auto& [key, bearers] : bearers_) {
            for (const PodId id : bearers.ownerless) {
                visit(id);
            }
        }
    }

private:
    std::map<std::string, Bearers> bearers_;
};

}  // namespace gang
