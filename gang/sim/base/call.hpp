#pragma once
// A request of a replica on its way to an API server, and what comes of it.

#include "core/value/claim.hpp"
#include "core/value/constraints.hpp"
#include "core/value/demand/capacity_shape.hpp"
#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "core/value/quota/namespace_quotas.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/sim/base/store.hpp"
#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/election/lease.hpp"
#include "k8s/protocol/reflector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang::sim {

enum class Operation : std::uint8_t {
    list,
    watch,
    bind,
    patch_status,
    evict,
    get_pod,
    get_config_map,
    get_group,
    write_group_status,
    get_claim,
    select_node,
    list_quotas,
    write_demand,
    delete_demand,
    list_demand,
    get_lease,
    create_lease,
    update_lease,
    watch_lease
};

struct Answer {
    int status = 0;          ///< 0: none came
    bool maybe_sent = true;  ///< of one that did not come: the server may have carried it out
    std::int64_t retry_after_ms = -1;
    std::string message;
    bool version_too_large = false;
    k8s::protocol::PodState pod;                ///< get_pod, patch_status
    std::optional<k8s::protocol::Lease> lease;  ///< get_, create_, update_lease
    std::vector<core::Pod> pods;                ///< list: this page
    std::vector<core::Node> nodes;
    std::string list_version;
    std::string continue_token;
    std::uint32_t conf = nobody;     ///< get_config_map: its number
    core::PodGroup group;            ///< get_group: what it asks,
    std::string group_uid;           ///< who it is,
    core::PodGroupStatus group_status;  ///< and what stands there
    core::Claim claim;               ///< get_claim, select_node
    core::NamespaceQuotas quotas;    ///< list_quotas
    std::vector<FoundCapacity> capacity;  ///< list_demand
    std::uint64_t stream_place = 0;  ///< watch: where it begins in the log
    bool stream_is_gone = false;     ///< watch: 410 will come in the stream
};

struct Call {
    Operation operation = Operation::list;
    bool in_use = false;
    bool is_of_nodes = false;  ///< list, watch
    bool given_up = false;     ///< nobody waits for the answer any more
    bool taken = false;        ///< the receiver has had its answer
    int pending = 0;           ///< happenings that name it
    std::uint32_t replica = 0;
    std::uint32_t life = 0;
    std::uint32_t server = 0;
    std::uint32_t ticket = 0;  ///< of the receiver: which of its jobs
    std::int64_t gives_up_ms = 0;
    PodRef pod;
    std::string version;  ///< precondition, or where a watch begins
    std::string node;
    core::StringMap annotations;
    bool has_condition = false;
    std::string reason;
    std::string message;
    std::string continue_token;
    std::int64_t timeout_ms = 0;  ///< of a watch
    k8s::protocol::Lease lease;
    core::GroupDialect group_dialect = core::GroupDialect::labels;
    core::PodGroupStatus group_status;  ///< write_group_status
    std::uint8_t demand_part = 0;       ///< write_demand, delete_demand: which object,
    std::size_t demand_shape = 0;       ///< of which of the driver's shapes; of a request: of all
    std::vector<core::CapacityShape> demand;  ///< and what it is to say: that shape, or all
    Author author;
    Answer answer;
};

}  // namespace gang::sim
