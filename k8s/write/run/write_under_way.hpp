#pragma once
// A bind, a status patch or an eviction that has begun, from its first action to its outcome; one
// worker after another may carry it on.

#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/evict.hpp"
#include "k8s/protocol/status.hpp"
#include "k8s/protocol/write/write_job.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace k8s {

struct BindUnderWay {
    BindUnderWay(BindJob of, protocol::BindTarget target)
        : job(std::move(of)), state(std::move(target)) {}
    BindJob job;
    protocol::Bind state;
    protocol::BindAction action;
};
using BindPointer = std::shared_ptr<BindUnderWay>;

struct PatchUnderWay {
    explicit PatchUnderWay(PatchJob of)
        : job(std::move(of)), state(!job.patch.resource_version.empty()) {}
    PatchJob job;
    protocol::StatusWrite state;
    protocol::PatchAction action;
    std::string node;  ///< of the pod in the last answer
};
using PatchPointer = std::shared_ptr<PatchUnderWay>;

struct EvictUnderWay {
    explicit EvictUnderWay(EvictJob of) : job(std::move(of)) {}
    EvictJob job;
    protocol::Evict state;
    protocol::EvictAction action;
};
using EvictPointer = std::shared_ptr<EvictUnderWay>;

using WriteUnderWay = std::variant<BindPointer, PatchPointer, EvictPointer>;

}  // namespace k8s
