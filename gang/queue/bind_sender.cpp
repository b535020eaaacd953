#include "gang/queue/bind_sender.hpp"

#include "gang/decision.hpp"
#include "gang/model/work.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gang {

void BindSender::send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations) {
    step_.work_left -= work_per_bind;
    std::vector<std::string> claims = model_.claims.to_provision(entry.pod);
    entry.assumed_node = model_.texts.keep(node);
    entry.bind_in_flight = true;
    model_.note_placement(entry, step_.now_ms);
    entry.bound_version = entry.pod.resource_version;
    status_reporter_.forget(entry.pod.uid);
    step_.decisions.emplace_back(BindPod{
        ref_of(entry.pod),
        entry.pod.resource_version,
        node,
        std::move(annotations),
        entry.seen_ms,
        entry.is_driver,
        std::move(claims)});
}

}  // namespace gang
