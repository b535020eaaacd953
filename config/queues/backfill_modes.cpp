#include "config/queues/backfill_modes.hpp"

#include "config/queues/queue_name.hpp"

#include <algorithm>

namespace config {

BackfillMode backfill_of(const Schema& schema, std::string_view queue) {
    for (; !queue.empty(); queue = parent_queue(queue)) {
        const auto said = std::find_if(
            schema.queues.begin(), schema.queues.end(), [queue](const Queue& one) {
                return one.name == queue;
            });
        if (said != schema.queues.end() && said->backfill) {
            return *said->backfill;
        }
    }
    return schema.backfill.mode;
}

bool has_backfill(const Schema& schema) {
    return schema.backfill.mode != BackfillMode::off ||
           std::any_of(schema.queues.begin(), schema.queues.end(), [](const Queue& queue) {
               return queue.backfill.value_or(BackfillMode::off) != BackfillMode::off;
           });
}

}  // namespace config
