#pragma once
// What those are told whom a limit of their queue keeps waiting.

#include "gang/report/status_reporter.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/quota.hpp"
#include "gang/shares/shares.hpp"

#include <cstddef>
#include <string>

namespace gang {

/// By the limits that it would pass, with numbers; without any it waits behind others.
StatusMessage quota_message(
    std::size_t nodes,
    const std::string& subject,
    const QueueAccount& account,
    const QuotaShortages& shortages,
    const Shares& shares);

/// Its queue, or one above that, lets nobody in.
StatusMessage stopped_message(std::size_t nodes, const std::string& subject, const QueueAccount& account, const Shares& shares);

/// A quota of its namespace would not let its executors in; `why` has the numbers.
StatusMessage namespace_quota_message(
    std::size_t nodes, const std::string& subject, ReasonCode code, const std::string& why);

/// A limit of its queue, or a quota of its namespace, is what keeps a gang with this code waiting.
bool is_about_quota(ReasonCode code);

/// "64", "256Gi", "16": as the file has it.
std::string amount_text(const std::string& resource, std::int64_t amount);

}  // namespace gang
