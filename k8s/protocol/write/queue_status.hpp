#pragma once
// The status of a Queue object of Volcano that is to be written: a plain value.

#include "core/value/group/queue_object.hpp"

#include <cstdint>
#include <string>

namespace k8s {

enum class QueueStatusPart : std::uint8_t {
    usage,  ///< all but the state
    state,  ///< the state alone. Applied as another field manager: usage is applied without it
    none    ///< the usage that we wrote before goes: it holds nothing
};

struct QueueStatusWrite {
    std::string name;
    std::string uid;  ///< precondition
    QueueStatusPart part = QueueStatusPart::usage;
    core::QueueObjectStatus status;
};

}  // namespace k8s
