#pragma once
// A pod spec, of a pod or of a template: what it asks for and where it may run. Included only from
// .cpp files, because RapidJSON's types are in it.

#include "core/value/constraints.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/pod.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace k8s {

/// Of a pod with spec.resourceClaims, which must not be bound without its devices.
inline constexpr const char* no_resource_claims =
    "spec.resourceClaims: dynamic resource allocation is not supported, and without it the pod "
    "would "
    "start without its devices; ask for an extended resource such as nvidia.com/gpu, or let "
    "kube-scheduler place this pod";

/// Containers, init containers, pod-level requests and overhead. Limits stand in for requests that
/// are absent, as the API server's defaulting does.
core::PodRequests decode_pod_requests(Fields& fields, const rapidjson::Value& spec);

/// Adds the container's ports of the node; on the host's network every port of it is one.
void read_host_ports(
    Fields& fields,
    const rapidjson::Value& container,
    bool host_network,
    std::vector<core::HostPort>& into);

/// Ports of the node that the pod takes, as the kubelet counts them: of what runs side by side. On
/// the host's network the API server has filled them in.
std::vector<core::HostPort> decode_host_ports(Fields& fields, const rapidjson::Value& spec);

/// Of volumes of the kinds gcePersistentDisk, awsElasticBlockStore, iscsi and rbd, as
/// VolumeRestrictions tells them apart (1.37): a GCE disk by its name, an EBS volume by its ID, and
/// nobody shares one; an iSCSI disk by its IQN; an RBD image by pool and image at each monitor.
std::vector<core::InTreeDisk> decode_disks(Fields& fields, const rapidjson::Value& spec);

/// Node selector, required node affinity and tolerations.
/// A container's, by its full name; empty: none was read.
std::string decode_image(Fields& fields, const rapidjson::Value& container);
/// Those of one of its lists of containers.
std::vector<std::string> decode_images(
    Fields& fields, const rapidjson::Value& spec, const char* list);
/// Those that are volumes, which kube-scheduler counts like containers'.
std::vector<std::string> decode_image_volumes(Fields& fields, const rapidjson::Value& spec);
core::Constraints decode_constraints(Fields& fields, const rapidjson::Value& spec);

/// A term of a node selector, of a pod's affinity or of a volume's.
core::NodeSelectorTerm decode_node_term(Fields& fields, const rapidjson::Value& term);

/// The effect by its name, or nothing for a name that is none.
std::optional<core::TaintEffect> parse_effect(std::string_view text);
/// The other way round.
const char* effect_name(core::TaintEffect effect);

}  // namespace k8s
