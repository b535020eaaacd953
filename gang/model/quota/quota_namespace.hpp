#pragma once
// What is known of the quotas of one namespace, and who waits there.

#include "core/quota/admission_by_quota.hpp"
#include "core/value/quota/namespace_quotas.hpp"
#include "gang/model/application.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gang {

struct QuotaNamespace {
    /// So many failures, and a namespace of which nothing is known is taken for one without quotas:
    /// the API server judges pods in any case.
    static constexpr int misses_max = 3;

    /// A gang that waits for an amount of a quota.
    struct Wait {
        std::int32_t priority = 0;
        std::string quota;
        std::string resource;
    };

    /// A gang's driver is counted as used once it exists: what was asked before that is too old for
    /// it.
    bool is_known_for(const std::string& uid) const {
        if (!quotas) {
            return misses >= misses_max;
        }
        const auto waiter = waiting.find(uid);
        return quotas->quotas.empty() || waiter == waiting.end() || as_of_ms >= waiter->second;
    }

    std::map<std::string, std::int64_t> waiting;  ///< uid, and since when
    std::map<Rank, Wait> waits;                   ///< those of them who wait for quota
    std::optional<core::NamespaceQuotas> quotas;  ///< as last answered
    std::int64_t as_of_ms = -1;                   ///< when that was asked
    core::UsageByClass promised;                  ///< beside it
    core::UsageByClass promised_next;             ///< beside the answer that is under way
    bool is_outstanding = false;
    std::int64_t asked_ms = -1;
    std::int64_t next_ms = 0;
    std::int64_t pause_ms = 0;
    int misses = 0;  ///< in a row
};

}  // namespace gang
