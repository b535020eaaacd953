#include "k8s/embedded/store/kinds.hpp"

#include "core/base/result.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

using Names = std::vector<std::string_view>;

Subresource own(
    std::string_view name,
    std::string_view group,
    std::string_view version,
    std::string_view kind) {
    return {name, group, version, kind, {"get", "patch", "update"}};
}

/// A kind of this group with a status subresource.
Kind with_status(Kind kind) {
    kind.subresources.insert(
        kind.subresources.begin(), own("status", kind.group, kind.version, kind.kind));
    return kind;
}

Kind review(std::string_view group, std::string_view plural, std::string_view kind) {
    const auto singular = plural.substr(0, plural.size() - 1);
    Kind result{
        .group = group, .version = "v1", .plural = plural, .singular = singular, .kind = kind};
    result.namespaced = plural == "localsubjectaccessreviews";
    result.is_stored = false;
    return result;
}

Names event_fields() {
    return {
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type"};
}

Names new_event_fields() {
    return {
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "regarding.apiVersion",
        "regarding.resourceVersion",
        "regarding.fieldPath",
        "reason",
        "reportingController",
        "type"};
}

Kind pods() {
    Kind kind{
        .group = "",
        .version = "v1",
        .plural = "pods",
        .singular = "pod",
        .kind = "Pod",
        .short_names = {"po"},
        .categories = {"all"}};
    kind.subresources = {
        {"binding", "", "v1", "Binding", {"create"}},
        {"eviction", "policy", "v1", "Eviction", {"create"}},
        {"log", "", "v1", "Pod", {"get"}}};
    kind.fields = {
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName"};
    kind.has_generation = true;
    kind.answers_deleted = true;
    return with_status(std::move(kind));
}

void add_core(std::vector<Kind>& all) {
    const auto core = [](Names names, Names shorts, bool namespaced = true) {
        Kind kind{
            .group = "",
            .version = "v1",
            .plural = names[0],
            .singular = names[1],
            .kind = names[2],
            .namespaced = namespaced};
        kind.short_names = std::move(shorts);
        return kind;
    };
    const auto deleted_answered = [](Kind kind) {
        kind.answers_deleted = true;
        return kind;
    };
    all.push_back(core({"configmaps", "configmap", "ConfigMap"}, {"cm"}));
    all.push_back(core({"endpoints", "endpoints", "Endpoints"}, {"ep"}));
    all.back().creates_on_update = true;
    all.push_back(core({"events", "event", "Event"}, {"ev"}));
    all.back().fields = event_fields();
    all.back().creates_on_update = true;
    all.push_back(core({"limitranges", "limitrange", "LimitRange"}, {"limits"}));
    all.push_back(with_status(core({"namespaces", "namespace", "Namespace"}, {"ns"}, false)));
    all.back().fields = {"status.phase"};
    all.back().answers_deleted = true;
    all.back().deletes_collection = false;
    all.push_back(with_status(core({"nodes", "node", "Node"}, {"no"}, false)));
    all.back().fields = {"spec.unschedulable"};
    all.push_back(with_status(deleted_answered(core(
        {"persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim"}, {"pvc"}))));
    all.push_back(with_status(deleted_answered(
        core({"persistentvolumes", "persistentvolume", "PersistentVolume"}, {"pv"}, false))));
    all.push_back(pods());
    all.push_back(deleted_answered(core({"podtemplates", "podtemplate", "PodTemplate"}, {})));
    all.back().has_generation = true;
    all.push_back(with_status(core(
        {"replicationcontrollers", "replicationcontroller", "ReplicationController"}, {"rc"})));
    all.back().categories = {"all"};
    all.back().fields = {"status.replicas"};
    all.back().has_generation = true;
    all.push_back(with_status(
        deleted_answered(core({"resourcequotas", "resourcequota", "ResourceQuota"}, {"quota"}))));
    all.push_back(core({"secrets", "secret", "Secret"}, {}));
    all.back().fields = {"type"};
    all.push_back(
        deleted_answered(core({"serviceaccounts", "serviceaccount", "ServiceAccount"}, {"sa"})));
    all.push_back(with_status(deleted_answered(core({"services", "service", "Service"}, {"svc"}))));
    all.back().categories = {"all"};
    all.back().fields = {"spec.clusterIP", "spec.type"};
}

void add_workloads(std::vector<Kind>& all) {
    const auto workload = [](std::string_view group, Names names, Names shorts) {
        Kind kind{
            .group = group,
            .version = group == "autoscaling" ? "v2" : "v1",
            .plural = names[0],
            .singular = names[1],
            .kind = names[2],
            .short_names = std::move(shorts),
            .categories = {"all"}};
        kind.has_generation = true;
        return with_status(std::move(kind));
    };
    all.push_back(Kind{
        .group = "apps",
        .version = "v1",
        .plural = "controllerrevisions",
        .singular = "controllerrevision",
        .kind = "ControllerRevision"});
    all.push_back(workload("apps", {"daemonsets", "daemonset", "DaemonSet"}, {"ds"}));
    all.push_back(workload("apps", {"deployments", "deployment", "Deployment"}, {"deploy"}));
    all.push_back(workload("apps", {"replicasets", "replicaset", "ReplicaSet"}, {"rs"}));
    all.back().fields = {"status.replicas"};
    all.push_back(workload("apps", {"statefulsets", "statefulset", "StatefulSet"}, {"sts"}));
    all.push_back(workload(
        "autoscaling",
        {"horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler"},
        {"hpa"}));
    all.push_back(workload("batch", {"cronjobs", "cronjob", "CronJob"}, {"cj"}));
    all.push_back(workload("batch", {"jobs", "job", "Job"}, {}));
    all.back().fields = {"status.successful"};
}

void add_others(std::vector<Kind>& all) {
    const auto plain = [](std::string_view group, Names names, bool namespaced = true) {
        return Kind{
            .group = group,
            .version = "v1",
            .plural = names[0],
            .singular = names[1],
            .kind = names[2],
            .namespaced = namespaced};
    };
    all.push_back(plain("coordination.k8s.io", {"leases", "lease", "Lease"}));
    all.back().creates_on_update = true;
    all.back().updates_need_version = true;
    all.push_back(plain("discovery.k8s.io", {"endpointslices", "endpointslice", "EndpointSlice"}));
    all.back().has_generation = true;
    all.push_back(plain("events.k8s.io", {"events", "event", "Event"}));
    all.back().short_names = {"ev"};
    all.back().fields = new_event_fields();
    all.back().creates_on_update = true;
    all.push_back(with_status(plain("networking.k8s.io", {"ingresses", "ingress", "Ingress"})));
    all.back().short_names = {"ing"};
    all.back().has_generation = true;
    all.push_back(
        plain("networking.k8s.io", {"networkpolicies", "networkpolicy", "NetworkPolicy"}));
    all.back().short_names = {"netpol"};
    all.back().has_generation = true;
    all.push_back(plain("node.k8s.io", {"runtimeclasses", "runtimeclass", "RuntimeClass"}, false));
    all.push_back(with_status(
        plain("policy", {"poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget"})));
    all.back().short_names = {"pdb"};
    all.back().has_generation = true;
    const std::string_view rbac = "rbac.authorization.k8s.io";
    all.push_back(
        plain(rbac, {"clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding"}, false));
    all.push_back(plain(rbac, {"clusterroles", "clusterrole", "ClusterRole"}, false));
    all.push_back(plain(rbac, {"rolebindings", "rolebinding", "RoleBinding"}));
    all.push_back(plain(rbac, {"roles", "role", "Role"}));
    all.push_back(
        plain("scheduling.k8s.io", {"priorityclasses", "priorityclass", "PriorityClass"}, false));
    all.back().short_names = {"pc"};
    all.back().has_generation = true;
    all.push_back(plain("storage.k8s.io", {"csidrivers", "csidriver", "CSIDriver"}, false));
    all.back().answers_deleted = true;
    all.back().updates_need_version = true;
    all.push_back(plain("storage.k8s.io", {"csinodes", "csinode", "CSINode"}, false));
    all.back().answers_deleted = true;
    all.back().updates_need_version = true;
    all.push_back(plain(
        "storage.k8s.io", {"csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity"}));
    all.back().updates_need_version = true;
    all.push_back(
        plain("storage.k8s.io", {"storageclasses", "storageclass", "StorageClass"}, false));
    all.back().short_names = {"sc"};
    all.back().answers_deleted = true;
    all.push_back(with_status(plain(
        "storage.k8s.io", {"volumeattachments", "volumeattachment", "VolumeAttachment"}, false)));
    all.back().answers_deleted = true;
    all.back().updates_need_version = true;
}

/// As with the custom resource definitions of the coscheduling plugin and of Volcano installed.
void add_pod_groups(std::vector<Kind>& all) {
    const auto pod_group = [](std::string_view group, std::string_view version) {
        Kind kind{
            .group = group,
            .version = version,
            .plural = "podgroups",
            .singular = "podgroup",
            .kind = "PodGroup"};
        kind.short_names = {"pg"};
        kind.has_generation = true;
        return kind;
    };
    all.push_back(pod_group("scheduling.volcano.sh", "v1beta1"));  // its status is a part of the object
    all.push_back(with_status(pod_group("scheduling.x-k8s.io", "v1alpha1")));
}

/// As with the custom resource definitions of an autoscaler installed. Nobody acts on them here.
void add_autoscaler_requests(std::vector<Kind>& all) {
    const std::string_view group = "autoscaling.x-k8s.io";
    Kind buffer{
        .group = group,
        .version = "v1beta1",
        .plural = "capacitybuffers",
        .singular = "capacitybuffer",
        .kind = "CapacityBuffer"};
    buffer.short_names = {"cb"};
    buffer.categories = {"autoscaling"};
    buffer.has_generation = true;
    all.push_back(with_status(std::move(buffer)));
    Kind request{
        .group = group,
        .version = "v1",
        .plural = "provisioningrequests",
        .singular = "provisioningrequest",
        .kind = "ProvisioningRequest"};
    request.short_names = {"provreq", "provreqs"};
    request.has_generation = true;
    all.push_back(with_status(std::move(request)));
}

void add_reviews(std::vector<Kind>& all) {
    all.push_back(review("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview"));
    all.push_back(
        review("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview"));
    all.push_back(
        review("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview"));
    all.push_back(
        review("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview"));
    all.push_back(review("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview"));
}

/// Views of one group stand together, the core group first.
std::vector<Kind> make_kinds() {
    std::vector<Kind> all;
    add_core(all);
    add_workloads(all);
    add_others(all);
    add_pod_groups(all);
    add_autoscaler_requests(all);
    add_reviews(all);
    std::stable_sort(all.begin(), all.end(), [](const Kind& left, const Kind& right) {
        return left.group < right.group;
    });
    return all;
}

}  // namespace

const Subresource* Kind::find_subresource(std::string_view name) const {
    for (const auto& one : subresources) {
        if (one.name == name) {
            return &one;
        }
    }
    return nullptr;
}

std::string Kind::api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Kind::resource() const {
    return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

const Kind& Kind::stored_view() const {
    return group == "events.k8s.io" ? core_kind("events") : *this;
}

std::vector<std::string_view> Kind::verbs() const {
    if (!is_stored) {
        return {"create"};
    }
    if (!deletes_collection) {
        return {"create", "delete", "get", "list", "patch", "update", "watch"};
    }
    return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

std::span<const Kind> all_kinds() {
    static const std::vector<Kind> all = make_kinds();
    return all;
}

const Kind* find_kind(std::string_view group, std::string_view version, std::string_view plural) {
    for (const auto& kind : all_kinds()) {
        if (kind.plural == plural && kind.group == group && kind.version == version) {
            return &kind;
        }
    }
    return nullptr;
}

const Kind* find_kind_of(std::string_view api_version, std::string_view kind) {
    for (const auto& one : all_kinds()) {
        if (one.kind == kind && one.api_version() == api_version) {
            return &one;
        }
    }
    return nullptr;
}

const Kind& core_kind(std::string_view plural) {
    const Kind* kind = find_kind("", "v1", plural);
    ENSURE(kind != nullptr);
    return *kind;
}

}  // namespace k8s::embedded
