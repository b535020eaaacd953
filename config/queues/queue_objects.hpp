#pragma once
// Queues of the file and Queue objects of Volcano and kube-batch together. What an object says
// becomes what the file could have said:
//
//   weight                  weight
//   capability              limit
//   guarantee.resource      guarantee, together with `deserved`, as far as the limit goes
//   reclaimable             preemption.reclaimable, if queueObjects.reclaim
//   parent                  the queue above it: another object, or a queue of the file
//   state Closed, Closing   state: stopped
//
// The order in such a queue is by priority, as Volcano's and kube-batch's plugins have it.

#include "config/schema.hpp"
#include "core/value/group/queue_object.hpp"

#include <string>
#include <vector>

namespace config {

struct WithQueueObjects {
    Schema schema;
    /// One sentence each: objects that are no queue of ours, and why. In the objects' order.
    std::vector<std::string> problems;
};

/// The file with the objects, which are sorted by name. The file has the word on a queue of its own.
WithQueueObjects add_queue_objects(
    const Schema& file, const std::vector<core::QueueObject>& objects);

}  // namespace config
