#pragma once
// The queues as JSON text, which the control endpoint and `queues -o json` give, and as a table.

#include "core/base/result.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/queue_view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// `source` and `server` as GangList has them.
struct QueueReport {
    std::string source;
    std::string server;
    std::vector<QueueView> queues;
    Standing standing = {};
};

std::string to_json(const QueueReport& report);
/// One queue, as it stands in the report.
std::string to_json(const QueueView& queue);

/// What the text of to_json() says.
core::Result<QueueReport> queue_report_from_json(std::string_view json);

/// For people: one line a queue, those below indented.
std::string queues_table(const QueueReport& report);

}  // namespace gang::app
