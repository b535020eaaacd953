"""Other kinds: leases, events, services, nodes, and what Spark and helm make."""
from support.client.api import MERGE_PATCH, STRATEGIC_PATCH

from ..builders import config_map, lease
from ..recorder import Recorder, scenario

LEASES = "coordination.k8s.io/v1"


@scenario
def leases(rig: Recorder) -> None:
    path = rig.path("leases", LEASES)
    made = rig.ask("create", "POST", path, lease("a"))
    rig.ask("twice", "POST", path, lease("a"))
    rig.ask("renew", "PUT", f"{path}/a", {**made.body, "spec": {**made.body["spec"], "renewTime": "2026-01-02T03:04:06.000000Z"}})
    rig.ask("with the old version", "PUT", f"{path}/a", {**made.body, "spec": {**made.body["spec"], "holderIdentity": "b"}})
    rig.ask("patch", "PATCH", f"{path}/a", {"spec": {"holderIdentity": "c"}}, MERGE_PATCH)
    rig.ask("created by PUT", "PUT", f"{path}/by-put", lease("by-put"))
    for label, spec in (("zero duration", {"leaseDurationSeconds": 0}), ("negative transitions", {"leaseTransitions": -1}),
                        ("empty holder", {"holderIdentity": ""}), ("time without fraction", {"renewTime": "2026-01-02T03:04:05Z"}),
                        ("a wrong time", {"renewTime": "now"}), ("text for a number", {"leaseDurationSeconds": "15"}),
                        ("nanoseconds", {"renewTime": "2026-01-02T03:04:05.123456789Z"}),
                        ("another zone", {"renewTime": "2026-01-02T03:04:05.000000+02:00"})):
        rig.ask(label, "POST", path, lease("b", **spec), dryRun="All")
    rig.ask("empty spec", "POST", path, {"metadata": {"name": "empty"}})
    rig.ask("list", "GET", path)
    rig.ask("delete", "DELETE", f"{path}/a")


@scenario
def events(rig: Recorder) -> None:
    core, new = rig.path("events"), rig.path("events", "events.k8s.io/v1")
    about = {"kind": "Pod", "namespace": rig.namespace, "name": "p", "uid": "u", "apiVersion": "v1"}
    old = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "old"}, "involvedObject": about, "reason": "Why",
           "message": "text", "type": "Warning", "count": 1, "firstTimestamp": "2026-01-02T03:04:05Z",
           "lastTimestamp": "2026-01-02T03:04:05Z", "source": {"component": "gang-scheduler"}}
    current = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "new"}, "regarding": about,
               "reason": "Why", "note": "text", "type": "Normal", "eventTime": "2026-01-02T03:04:05.000006Z",
               "reportingController": "example.com/c", "reportingInstance": "c-1", "action": "Binding"}
    rig.ask("core", "POST", core, old)
    rig.ask("new", "POST", new, current)
    rig.ask("core seen as new", "GET", f"{new}/old")
    rig.ask("new seen as core", "GET", f"{core}/new")
    rig.ask("counted", "PATCH", f"{core}/old", {"count": 2, "lastTimestamp": "2026-01-02T03:05:05Z"}, STRATEGIC_PATCH)
    rig.ask("series", "PATCH", f"{new}/new", {"series": {"count": 2, "lastObservedTime": "2026-01-02T03:05:05.000000Z"}},
            STRATEGIC_PATCH)
    for label, change in (("another namespace", {"involvedObject": {**about, "namespace": "other"}}),
                          ("no object", {"involvedObject": {}}), ("unknown type", {"type": "Strange"}),
                          ("no reason", {"reason": ""}), ("long message", {"message": "x" * 1025})):
        rig.ask(f"core: {label}", "POST", core, {**old, **change}, dryRun="All")
    for label, change in (("no time", {"eventTime": None}), ("no action", {"action": ""}), ("no controller", {"reportingController": ""}),
                          ("no instance", {"reportingInstance": ""}), ("unknown type", {"type": "Strange"}),
                          ("long note", {"note": "x" * 1025}), ("long reason", {"reason": "x" * 129}),
                          ("another namespace", {"regarding": {**about, "namespace": "other"}}),
                          ("deprecated fields", {"deprecatedCount": 1})):
        rig.ask(f"new: {label}", "POST", new, {**current, **change}, dryRun="All")
    rig.ask("list core", "GET", core, fieldSelector="involvedObject.name=p,reason=Why")
    rig.ask("list new", "GET", new, fieldSelector="regarding.name=p")


@scenario
def config_maps_and_secrets(rig: Recorder) -> None:
    for label, more in (("data", {"data": {"a": "1"}}), ("binary", {"binaryData": {"b": "AAE="}}),
                        ("not base64", {"binaryData": {"b": "***"}}), ("both the same key", {"data": {"a": "1"}, "binaryData": {"a": "AAE="}}),
                        ("bad key", {"data": {"a/b": "1"}}), ("empty", {}), ("immutable", {"immutable": True}),
                        ("long key", {"data": {"k" * 254: "1"}}), ("dots", {"data": {"..": "1"}})):
        rig.ask(f"config map: {label}", "POST", rig.maps, config_map("a", **more), dryRun="All")
    secrets = rig.path("secrets")
    for label, body in (("string data", {"stringData": {"a": "b"}}), ("data", {"data": {"a": "Yg=="}}), ("not base64", {"data": {"a": "b"}}),
                        ("a type", {"type": "helm.sh/release.v1", "data": {"release": "YQ=="}}),
                        ("no docker config", {"type": "kubernetes.io/dockerconfigjson"}),
                        ("no TLS key", {"type": "kubernetes.io/tls", "data": {"tls.crt": "YQ=="}})):
        rig.ask(f"secret: {label}", "POST", secrets, {"metadata": {"name": "a"}, **body}, dryRun="All")
    rig.quietly("POST", secrets, {"metadata": {"name": "kept"}, "type": "Opaque"})
    rig.ask("secret: the type stays", "PATCH", f"{secrets}/kept", {"type": "other"}, MERGE_PATCH)


@scenario
def services(rig: Recorder) -> None:
    path = rig.path("services")
    for label, spec in (("headless", {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"name": "p", "port": 7078, "targetPort": 7078}]}),
                        ("no ports", {"selector": {"a": "b"}}), ("headless without ports", {"clusterIP": "None"}),
                        ("port number", {"ports": [{"port": 0}]}), ("a port twice", {"clusterIP": "None", "ports": [
                            {"name": "a", "port": 1}, {"name": "b", "port": 1}]}),
                        ("ports without names", {"clusterIP": "None", "ports": [{"port": 1}, {"port": 2}]}),
                        ("type", {"type": "Imaginary", "ports": [{"port": 1}]}),
                        ("external name", {"type": "ExternalName", "externalName": "example.com"}),
                        ("wrong address", {"clusterIP": "1.2.3", "ports": [{"port": 1}]})):
        rig.ask(label, "POST", path, {"metadata": {"name": "a"}, "spec": spec}, dryRun="All")


@scenario
def nodes(rig: Recorder) -> None:
    name = f"{rig.namespace}-node"
    path = "/api/v1/nodes"
    rig.ask("create", "POST", path, {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
    resources = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    rig.ask("status", "PATCH", f"{path}/{name}/status", {"status": {"capacity": resources, "allocatable": resources, "conditions": [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-02T03:04:05Z"}]}}, STRATEGIC_PATCH)
    rig.ask("taint", "PATCH", f"{path}/{name}", {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}, STRATEGIC_PATCH)
    rig.ask("the same key, another effect", "PATCH", f"{path}/{name}", {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}},
            STRATEGIC_PATCH)
    rig.ask("a wrong effect", "PATCH", f"{path}/{name}", {"spec": {"taints": [{"key": "k", "effect": "Bad"}]}}, MERGE_PATCH)
    rig.ask("cordon", "PATCH", f"{path}/{name}", {"spec": {"unschedulable": True}}, STRATEGIC_PATCH)
    rig.ask("cordoned", "GET", path, fieldSelector=f"spec.unschedulable=true,metadata.name={name}")
    rig.ask("allocatable that is none", "PATCH", f"{path}/{name}/status", {"status": {"allocatable": {"cpu": "x"}}}, MERGE_PATCH)
    rig.ask("negative", "PATCH", f"{path}/{name}/status", {"status": {"allocatable": {"cpu": "-1"}}}, MERGE_PATCH)
    rig.ask("delete", "DELETE", f"{path}/{name}")
    rig.ask("a bad name", "POST", path, {"metadata": {"name": "Not_A_Node"}})


@scenario
def other_kinds(rig: Recorder) -> None:
    """The least of each that Spark, helm or an operator makes."""
    selector = {"matchLabels": {"a": "b"}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    for plural, group, kind, body in (
            ("serviceaccounts", "", "ServiceAccount", {}),
            ("persistentvolumeclaims", "", "PersistentVolumeClaim", {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {
                "requests": {"storage": "1Gi"}}}}),
            ("endpoints", "", "Endpoints", {"subsets": [{"addresses": [{"ip": "1.2.3.4"}], "ports": [{"port": 80}]}]}),
            ("limitranges", "", "LimitRange", {"spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}}),
            ("resourcequotas", "", "ResourceQuota", {"spec": {"hard": {"configmaps": "1k"}}}),
            ("podtemplates", "", "PodTemplate", {"template": template}),
            ("replicationcontrollers", "", "ReplicationController", {"spec": {"replicas": 0, "selector": {"a": "b"}, "template": template}}),
            ("deployments", "apps/v1", "Deployment", {"spec": {"replicas": 0, "selector": selector, "template": template}}),
            ("statefulsets", "apps/v1", "StatefulSet", {"spec": {"replicas": 0, "selector": selector, "serviceName": "s", "template": template}}),
            ("replicasets", "apps/v1", "ReplicaSet", {"spec": {"replicas": 0, "selector": selector, "template": template}}),
            ("daemonsets", "apps/v1", "DaemonSet", {"spec": {"selector": selector, "template": template}}),
            ("controllerrevisions", "apps/v1", "ControllerRevision", {"revision": 1, "data": {"a": "b"}}),
            ("jobs", "batch/v1", "Job", {"spec": {"suspend": True, "template": {"spec": {**template["spec"], "restartPolicy": "Never"}}}}),
            ("cronjobs", "batch/v1", "CronJob", {"spec": {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": {
                "spec": {**template["spec"], "restartPolicy": "Never"}}}}}}),
            ("poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", {"spec": {"minAvailable": 1, "selector": selector}}),
            ("horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 3, "scaleTargetRef": {
                "kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}),
            ("networkpolicies", "networking.k8s.io/v1", "NetworkPolicy", {"spec": {"podSelector": {}}}),
            ("ingresses", "networking.k8s.io/v1", "Ingress", {"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}}),
            ("endpointslices", "discovery.k8s.io/v1", "EndpointSlice", {"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}],
                                                                        "ports": [{"port": 80}]}),
            ("roles", "rbac.authorization.k8s.io/v1", "Role", {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}),
            ("rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding", {
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"},
                "subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": rig.namespace}]})):
        path = rig.path(plural, group)
        version = group or "v1"
        made = rig.ask(f"{kind}: create", "POST", path, {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, **body})
        if made.status == 201:
            rig.ask(f"{kind}: patch", "PATCH", f"{path}/a", {"metadata": {"labels": {"x": "y"}}}, MERGE_PATCH)
            rig.ask(f"{kind}: list", "GET", path, labelSelector="x=y")
            rig.ask(f"{kind}: delete", "DELETE", f"{path}/a", {"propagationPolicy": "Background"})
    for plural, group, kind, body in (
            ("priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", {"value": 5}),
            ("storageclasses", "storage.k8s.io/v1", "StorageClass", {"provisioner": "example.com/p"}),
            ("runtimeclasses", "node.k8s.io/v1", "RuntimeClass", {"handler": "h"}),
            ("clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole", {"rules": []}),
            ("persistentvolumes", "", "PersistentVolume", {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                                                                    "hostPath": {"path": "/x"}}})):
        root = f"/apis/{group}" if group else "/api/v1"
        body = {"metadata": {"name": f"{rig.namespace}-a"}, **body}
        rig.ask(f"{kind}: create", "POST", f"{root}/{plural}", body)
        rig.ask(f"{kind}: delete", "DELETE", f"{root}/{plural}/{rig.namespace}-a")


@scenario
def priorities(rig: Recorder) -> None:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    name = f"{rig.namespace}-high"
    rig.quietly("POST", path, {"metadata": {"name": name}, "value": 100})
    pod = {"metadata": {"name": "p"}, "spec": {"schedulerName": "nobody", "priorityClassName": name,
                                                "containers": [{"name": "c", "image": "i"}]}}
    rig.ask("resolved", "POST", rig.pods, pod)
    rig.ask("a class of the system", "POST", rig.pods, {"metadata": {"name": "q"}, "spec": {
        **pod["spec"], "priorityClassName": "system-node-critical"}})
    rig.ask("too high", "POST", path, {"metadata": {"name": f"{name}-too"}, "value": 1_000_000_001})
    rig.quietly("DELETE", f"{path}/{name}")


@scenario
def reviews(rig: Recorder) -> None:
    ask = {"spec": {"resourceAttributes": {"verb": "create", "resource": "pods", "namespace": rig.namespace}}}
    rig.ask("self", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", **ask})
    rig.ask("nothing asked", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {}})
