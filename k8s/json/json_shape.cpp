#include "k8s/json/json_shape.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace k8s {
namespace {

constexpr Shape scalar;
constexpr Shape map{.kind = ShapeKind::map};
constexpr Shape version{.role = ShapeRole::version};

template <std::size_t size>
constexpr Shape object(
    const std::array<ShapeMember, size>& members,
    ShapeRole role = ShapeRole::none,
    std::string_view detail = {}) {
    std::uint64_t names = 0;
    for (const ShapeMember& member : members) names |= name_bit(member.word, member.name.size());
    return Shape{
        .kind = ShapeKind::object,
        .members = members,
        .role = role,
        .detail = detail,
        .names = names};
}

constexpr Shape array_of(
    const Shape& element, ShapeRole role = ShapeRole::none, std::string_view detail = {}) {
    return Shape{.kind = ShapeKind::array, .element = &element, .role = role, .detail = detail};
}

constexpr Shape scalars = array_of(scalar);

/// With one member more.
template <std::size_t size>
constexpr std::array<ShapeMember, size + 1> added(
    const std::array<ShapeMember, size>& members, const ShapeMember& one) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::array<ShapeMember, size + 1>{members[i]..., one};
    }(std::make_index_sequence<size>());
}

/// With another shape for a member.
template <std::size_t size>
constexpr std::array<ShapeMember, size> replaced(
    std::array<ShapeMember, size> members, const ShapeMember& one) {
    for (ShapeMember& member : members) {
        if (member.name == one.name) member = one;
    }
    return members;
}

// metadata of pods and nodes

constexpr std::array<ShapeMember, 4> owner_members = {
    {{"kind", &scalar}, {"name", &scalar}, {"uid", &scalar}, {"controller", &scalar}}};
constexpr Shape owner = object(owner_members);
constexpr Shape owners = array_of(owner);
constexpr Shape annotations{.kind = ShapeKind::map, .role = ShapeRole::annotations};
constexpr std::array<ShapeMember, 9> pod_metadata_members = {
    {{"name", &scalar},
     {"namespace", &scalar},
     {"uid", &scalar},
     {"resourceVersion", &version},
     {"creationTimestamp", &scalar},
     {"deletionTimestamp", &scalar},
     {"labels", &map},
     {"annotations", &annotations},
     {"ownerReferences", &owners}}};
constexpr Shape pod_metadata = object(pod_metadata_members, ShapeRole::metadata);
constexpr Shape node_annotations{.kind = ShapeKind::map, .role = ShapeRole::node_annotations};
constexpr std::array<ShapeMember, 5> node_metadata_members = {
    {{"name", &scalar},
     {"uid", &scalar},
     {"resourceVersion", &version},
     {"labels", &map},
     {"annotations", &node_annotations}}};
constexpr Shape node_metadata = object(node_metadata_members, ShapeRole::metadata);

// what a pod asks for

constexpr std::array<ShapeMember, 2> resources_members = {{{"requests", &map}, {"limits", &map}}};
constexpr Shape resources = object(resources_members);
constexpr std::array<ShapeMember, 3> port_members = {
    {{"hostPort", &scalar}, {"hostIP", &scalar}, {"protocol", &scalar}}};
constexpr Shape port = object(port_members);
constexpr Shape ports = array_of(port);
constexpr std::array<ShapeMember, 4> init_container_members = {
    {{"name", &scalar}, {"restartPolicy", &scalar}, {"resources", &resources}, {"ports", &ports}}};
constexpr Shape init_container = object(init_container_members);
constexpr Shape init_containers = array_of(init_container);
constexpr std::array<ShapeMember, 5> init_container_members_with_images =
    added(init_container_members, {"image", &scalar});
constexpr Shape init_container_with_images = object(init_container_members_with_images);
constexpr Shape init_containers_with_images = array_of(init_container_with_images);

// a Spark driver's way to its config maps

constexpr std::array<ShapeMember, 3> mount_members = {
    {{"name", &scalar}, {"mountPath", &scalar}, {"subPath", &scalar}}};
constexpr Shape mount = object(mount_members);
constexpr Shape mounts = array_of(mount, ShapeRole::late);
constexpr std::array<ShapeMember, 2> item_members = {{{"key", &scalar}, {"path", &scalar}}};
constexpr Shape item = object(item_members);
constexpr Shape items = array_of(item);
constexpr std::array<ShapeMember, 2> config_map_members = {{{"name", &scalar}, {"items", &items}}};
constexpr Shape config_map = object(config_map_members);
constexpr std::array<ShapeMember, 1> claim_members = {{{"claimName", &scalar}}};
constexpr Shape claim = object(claim_members);
constexpr std::array<ShapeMember, 2> gce_disk_members = {
    {{"pdName", &scalar}, {"readOnly", &scalar}}};
constexpr Shape gce_disk = object(gce_disk_members);
constexpr std::array<ShapeMember, 1> ebs_disk_members = {{{"volumeID", &scalar}}};
constexpr Shape ebs_disk = object(ebs_disk_members);
constexpr Shape cinder_disk = object(ebs_disk_members);
constexpr Shape portworx_disk = object(ebs_disk_members);
constexpr std::array<ShapeMember, 1> azure_disk_members = {{{"diskURI", &scalar}}};
constexpr Shape azure_disk = object(azure_disk_members);
constexpr std::array<ShapeMember, 2> iscsi_disk_members = {
    {{"iqn", &scalar}, {"readOnly", &scalar}}};
constexpr Shape iscsi_disk = object(iscsi_disk_members);
constexpr std::array<ShapeMember, 4> rbd_disk_members = {
    {{"monitors", &scalars}, {"pool", &scalar}, {"image", &scalar}, {"readOnly", &scalar}}};
constexpr Shape rbd_disk = object(rbd_disk_members);
constexpr std::array<ShapeMember, 1> image_members = {{{"reference", &scalar}}};
constexpr Shape image = object(image_members);
constexpr std::array<ShapeMember, 12> volume_members = {
    {{"name", &scalar},
     {"configMap", &config_map},
     {"persistentVolumeClaim", &claim},
     {"ephemeral", &scalar},
     {"gcePersistentDisk", &gce_disk},
     {"awsElasticBlockStore", &ebs_disk},
     {"iscsi", &iscsi_disk},
     {"rbd", &rbd_disk},
     {"azureDisk", &azure_disk},
     {"cinder", &cinder_disk},
     {"portworxVolume", &portworx_disk},
     {"image", &image}}};
constexpr Shape volume = object(volume_members);
// What a volume that decides about nodes has in it: persistentVolumeClaim, or
// ephemeral.volumeClaimTemplate, or a disk, or an image's reference.
constexpr Shape volumes = array_of(
    volume,
    ShapeRole::late,
    "olumeClaim PersistentDisk ElasticBlockStore \"iscsi\" \"rbd\" azureDisk \"cinder\" "
    "portworxVolume \"reference\" ");
constexpr Shape arguments = array_of(scalar, ShapeRole::arguments, "driver");
constexpr std::array<ShapeMember, 6> container_members = {
    {{"name", &scalar},
     {"restartPolicy", &scalar},
     {"resources", &resources},
     {"ports", &ports},
     {"args", &arguments},
     {"volumeMounts", &mounts}}};
constexpr Shape container = object(container_members, ShapeRole::container);
constexpr Shape containers = array_of(container);
constexpr std::array<ShapeMember, 7> container_members_with_images =
    added(container_members, {"image", &scalar});
constexpr Shape container_with_images =
    object(container_members_with_images, ShapeRole::container);
constexpr Shape containers_with_images = array_of(container_with_images);

// where a pod may go

constexpr std::array<ShapeMember, 3> expression_members = {
    {{"key", &scalar}, {"operator", &scalar}, {"values", &scalars}}};
constexpr Shape expression = object(expression_members);
constexpr Shape expressions = array_of(expression);
constexpr std::array<ShapeMember, 2> term_members = {
    {{"matchExpressions", &expressions}, {"matchFields", &expressions}}};
constexpr Shape term = object(term_members);
constexpr Shape terms = array_of(term);
constexpr std::array<ShapeMember, 1> required_members = {{{"nodeSelectorTerms", &terms}}};
constexpr Shape required = object(required_members);
constexpr std::array<ShapeMember, 2> preferred_term_members = {
    {{"weight", &scalar}, {"preference", &term}}};
constexpr Shape preferred_term = object(preferred_term_members);
constexpr Shape preferred = array_of(preferred_term);
constexpr std::array<ShapeMember, 2> node_affinity_members = {
    {{"requiredDuringSchedulingIgnoredDuringExecution", &required},
     {"preferredDuringSchedulingIgnoredDuringExecution", &preferred}}};
constexpr Shape node_affinity = object(node_affinity_members);
constexpr std::array<ShapeMember, 2> label_selector_members = {
    {{"matchLabels", &map}, {"matchExpressions", &expressions}}};
constexpr Shape label_selector = object(label_selector_members);
constexpr std::array<ShapeMember, 6> pod_term_members = {
    {{"topologyKey", &scalar},
     {"labelSelector", &label_selector},
     {"namespaces", &scalars},
     {"namespaceSelector", &label_selector},
     {"matchLabelKeys", &scalars},
     {"mismatchLabelKeys", &scalars}}};
constexpr Shape pod_term = object(pod_term_members);
constexpr Shape pod_terms = array_of(pod_term);
constexpr std::array<ShapeMember, 2> preferred_pods_members = {
    {{"weight", &scalar}, {"podAffinityTerm", &pod_term}}};
constexpr Shape preferred_pods = object(preferred_pods_members);
constexpr Shape all_preferred_pods = array_of(preferred_pods);
constexpr std::array<ShapeMember, 2> pod_affinity_members = {
    {{"requiredDuringSchedulingIgnoredDuringExecution", &pod_terms},
     {"preferredDuringSchedulingIgnoredDuringExecution", &all_preferred_pods}}};
constexpr Shape pod_affinity = object(pod_affinity_members);
constexpr std::array<ShapeMember, 3> affinity_members = {
    {{"nodeAffinity", &node_affinity},
     {"podAffinity", &pod_affinity},
     {"podAntiAffinity", &pod_affinity}}};
constexpr Shape affinity = object(affinity_members);
constexpr std::array<ShapeMember, 8> spread_members = {
    {{"maxSkew", &scalar},
     {"topologyKey", &scalar},
     {"whenUnsatisfiable", &scalar},
     {"labelSelector", &label_selector},
     {"minDomains", &scalar},
     {"nodeAffinityPolicy", &scalar},
     {"nodeTaintsPolicy", &scalar},
     {"matchLabelKeys", &scalars}}};
constexpr Shape spread = object(spread_members);
constexpr Shape spreads = array_of(spread);
constexpr std::array<ShapeMember, 5> toleration_members = {
    {{"key", &scalar},
     {"operator", &scalar},
     {"value", &scalar},
     {"effect", &scalar},
     {"tolerationSeconds", &scalar}}};
constexpr Shape toleration = object(toleration_members);
constexpr Shape tolerations = array_of(toleration);

constexpr std::array<ShapeMember, 0> no_members = {};
constexpr Shape gate = object(no_members);
constexpr Shape gates = array_of(gate);
constexpr std::array<ShapeMember, 1> group_members = {{{"podGroupName", &scalar}}};
constexpr Shape scheduling_group = object(group_members);
constexpr std::array<ShapeMember, 17> pod_spec_members = {
    {{"volumes", &volumes},
     {"initContainers", &init_containers},
     {"containers", &containers},
     {"nodeSelector", &map},
     {"nodeName", &scalar},
     {"affinity", &affinity},
     {"topologySpreadConstraints", &spreads},
     {"schedulerName", &scalar},
     {"tolerations", &tolerations},
     {"priority", &scalar},
     {"preemptionPolicy", &scalar},
     {"serviceAccountName", &scalar},
     {"overhead", &map},
     {"schedulingGates", &gates},
     {"schedulingGroup", &scheduling_group},
     {"resourceClaims", &gates},
     {"resources", &resources}}};
constexpr Shape pod_spec = object(pod_spec_members, ShapeRole::spec);
constexpr std::array<ShapeMember, 17> pod_spec_members_with_images = replaced(
    replaced(pod_spec_members, {"containers", &containers_with_images}),
    {"initContainers", &init_containers_with_images});
constexpr Shape pod_spec_with_images = object(pod_spec_members_with_images, ShapeRole::spec);

// status

constexpr std::array<ShapeMember, 5> pod_condition_members = {
    {{"type", &scalar},
     {"status", &scalar},
     {"reason", &scalar},
     {"message", &scalar},
     {"lastTransitionTime", &scalar}}};
constexpr Shape pod_condition = object(pod_condition_members, ShapeRole::condition, "PodScheduled");
constexpr Shape pod_conditions = array_of(pod_condition);
constexpr std::array<ShapeMember, 1> terminated_members = {{{"finishedAt", &scalar}}};
constexpr Shape terminated = object(terminated_members);
constexpr std::array<ShapeMember, 1> container_state_members = {{{"terminated", &terminated}}};
constexpr Shape container_state = object(container_state_members);
constexpr std::array<ShapeMember, 1> container_status_members = {{{"state", &container_state}}};
constexpr Shape container_status = object(container_status_members);
constexpr Shape container_statuses = array_of(container_status);
constexpr std::array<ShapeMember, 4> pod_status_members = {
    {{"phase", &scalar},
     {"reason", &scalar},
     {"conditions", &pod_conditions},
     {"containerStatuses", &container_statuses}}};
constexpr Shape pod_status = object(pod_status_members);

constexpr std::array<ShapeMember, 3> taint_members = {
    {{"key", &scalar}, {"value", &scalar}, {"effect", &scalar}}};
constexpr Shape taint = object(taint_members);
constexpr Shape taints = array_of(taint);
constexpr std::array<ShapeMember, 2> node_spec_members = {
    {{"unschedulable", &scalar}, {"taints", &taints}}};
constexpr Shape node_spec = object(node_spec_members);
constexpr std::array<ShapeMember, 2> node_condition_members = {
    {{"type", &scalar}, {"status", &scalar}}};
constexpr Shape node_condition = object(node_condition_members, ShapeRole::condition, "Ready");
constexpr Shape node_conditions = array_of(node_condition);
constexpr std::array<ShapeMember, 2> node_status_members = {
    {{"allocatable", &map}, {"conditions", &node_conditions}}};
constexpr Shape node_status = object(node_status_members);
constexpr std::array<ShapeMember, 2> node_image_members = {
    {{"names", &scalars}, {"sizeBytes", &scalar}}};
constexpr Shape node_image = object(node_image_members);
constexpr Shape node_images = array_of(node_image);
constexpr std::array<ShapeMember, 3> node_status_members_with_images =
    added(node_status_members, {"images", &node_images});
constexpr Shape node_status_with_images = object(node_status_members_with_images);

// An object of a watch; the last four are a Status'.

constexpr std::array<ShapeMember, 1> cause_members = {{{"reason", &scalar}}};
constexpr Shape cause = object(cause_members);
constexpr Shape causes = array_of(cause);
constexpr std::array<ShapeMember, 2> details_members = {
    {{"causes", &causes}, {"retryAfterSeconds", &scalar}}};
constexpr Shape details = object(details_members);

constexpr std::array<ShapeMember, 9> pod_members = {
    {{"kind", &scalar},
     {"apiVersion", &scalar},
     {"metadata", &pod_metadata},
     {"spec", &pod_spec},
     {"status", &pod_status},
     {"code", &scalar},
     {"reason", &scalar},
     {"message", &scalar},
     {"details", &details}}};
constexpr std::array<ShapeMember, 9> node_members = {
    {{"kind", &scalar},
     {"apiVersion", &scalar},
     {"metadata", &node_metadata},
     {"spec", &node_spec},
     {"status", &node_status},
     {"code", &scalar},
     {"reason", &scalar},
     {"message", &scalar},
     {"details", &details}}};

constexpr Shape pod_contents = object(pod_members, ShapeRole::contents);
constexpr Shape node_contents = object(node_members, ShapeRole::contents);
constexpr std::array<ShapeMember, 2> pod_line_members = {
    {{"type", &scalar}, {"object", &pod_contents}}};
constexpr std::array<ShapeMember, 2> node_line_members = {
    {{"type", &scalar}, {"object", &node_contents}}};

constexpr std::array<ShapeMember, 9> pod_members_with_images =
    replaced(pod_members, {"spec", &pod_spec_with_images});
constexpr std::array<ShapeMember, 9> node_members_with_images =
    replaced(node_members, {"status", &node_status_with_images});
constexpr Shape pod_contents_with_images = object(pod_members_with_images, ShapeRole::contents);
constexpr Shape node_contents_with_images = object(node_members_with_images, ShapeRole::contents);
constexpr std::array<ShapeMember, 2> pod_line_members_with_images =
    replaced(pod_line_members, {"object", &pod_contents_with_images});
constexpr std::array<ShapeMember, 2> node_line_members_with_images =
    replaced(node_line_members, {"object", &node_contents_with_images});

// Each item is parsed by itself.

constexpr std::array<ShapeMember, 2> list_metadata_members = {
    {{"resourceVersion", &scalar}, {"continue", &scalar}}};
constexpr Shape list_metadata = object(list_metadata_members);
constexpr Shape list_items = array_of(scalar, ShapeRole::late);
constexpr std::array<ShapeMember, 4> list_members = {
    {{"kind", &scalar},
     {"apiVersion", &scalar},
     {"metadata", &list_metadata},
     {"items", &list_items}}};

}  // namespace

const Shape pod_line_shape = object(pod_line_members);
const Shape node_line_shape = object(node_line_members);
const Shape pod_shape = pod_contents;
const Shape node_shape = node_contents;
const Shape pod_line_shape_with_images = object(pod_line_members_with_images);
const Shape node_line_shape_with_images = object(node_line_members_with_images);
const Shape pod_shape_with_images = pod_contents_with_images;
const Shape node_shape_with_images = node_contents_with_images;
const Shape list_head_shape = object(list_members);

}  // namespace k8s
