#pragma once
// The status of a Queue object of Volcano (scheduling.volcano.sh/v1beta1), both ways.

#include "core/value/group/queue_object.hpp"
#include "k8s/json/json_fields.hpp"
#include "k8s/protocol/write/queue_status.hpp"

#include <string>

namespace k8s {

/// The object to be applied: its names, its uid as a precondition, and that part of the status.
std::string encode_queue_status(const QueueStatusWrite& write);

/// Of an object; what cannot be read is as if it were not there.
core::QueueObjectStatus decode_queue_status(const rapidjson::Value& object);

}  // namespace k8s
