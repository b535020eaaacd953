#pragma once
// Queue objects of Volcano (scheduling.volcano.sh/v1beta1) and kube-batch
// (scheduling.incubator.k8s.io/v1alpha1, scheduling.sigs.dev/v1alpha2) become core::QueueObject.

#include "core/base/result.hpp"
#include "core/value/group/queue_object.hpp"
#include "k8s/codec/watch_line.hpp"

#include <string>
#include <vector>

namespace k8s {

struct SeenQueueObject {
    core::QueueObject queue;
    std::string uid;
    core::QueueObjectStatus status;
};

struct QueueObjectPage {
    std::vector<SeenQueueObject> queues;
    std::string version;
    std::string continue_token;
};
/// An object with a value that makes no sense has a problem, and spoils no list.
core::Result<QueueObjectPage> decode_queue_objects(std::string json);

struct QueueObjectLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    SeenQueueObject seen;  ///< of one that is gone: its name
    std::string message;      ///< of an error
};
/// A line of a watch.
core::Result<QueueObjectLine> decode_queue_object_line(std::string line);

}  // namespace k8s
