"""Claims, volumes, storage classes and the CSI drivers of nodes."""
import time
from typing import Any

from support.client.api import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, Json

from ..recorder import Recorder, scenario
from .tables import TABLE

STORAGE = "/apis/storage.k8s.io/v1"
CLASSES = f"{STORAGE}/storageclasses"
CSI_NODES = f"{STORAGE}/csinodes"
VOLUMES = "/api/v1/persistentvolumes"
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}
GIBIBYTE = {"requests": {"storage": "1Gi"}}
INFORMER_SECONDS_MAX = 10


def claim(name: str, **spec: Any) -> Json:
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": GIBIBYTE, **spec}}


def volume(name: str, **spec: Any) -> Json:
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, **spec}}


def storage_class(name: str, **more: Any) -> Json:
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": "example.com/disks", **more}


def csi_node(name: str, *drivers: Json) -> Json:
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
            "spec": {"drivers": list(drivers)}}


def release(rig: Recorder, path: str) -> None:
    """Takes away what the real server holds the object with until a controller lets it go."""
    rig.quietly("PATCH", path, {"metadata": {"finalizers": None}}, MERGE_PATCH)


def until_admission_knows(rig: Recorder, method: str, path: str, body: Json, status: int, wanted: str = "") -> None:
    """The real server's admission plugins see classes by informers, a moment later."""
    deadline = time.monotonic() + INFORMER_SECONDS_MAX
    while True:
        answer = rig.quietly(method, path, body, MERGE_PATCH if method == "PATCH" else "application/json", dryRun="All")
        if answer.status == status and answer.body.get("spec", {}).get("storageClassName", "") == wanted:
            return
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)


@scenario
def claims(rig: Recorder) -> None:
    path = rig.path("persistentvolumeclaims")
    made = rig.ask("create", "POST", path, claim("a", storageClassName="slow"))
    rig.ask("twice", "POST", path, claim("a"))
    rig.ask("get", "GET", f"{path}/a")
    rig.ask("list", "GET", path, fieldSelector="metadata.name=a")
    rig.ask("unknown field", "GET", path, fieldSelector="spec.volumeName=a")
    rig.ask("strategic", "PATCH", f"{path}/a", {"metadata": {"labels": {"a": "b"}}}, STRATEGIC_PATCH)
    rig.ask("json", "PATCH", f"{path}/a", [{"op": "add", "path": "/metadata/labels/c", "value": "d"}], JSON_PATCH)
    rig.ask("apply", "PATCH", f"{path}/applied", claim("applied", storageClassName=""), APPLY_PATCH, fieldManager="m")
    rig.ask("old version", "PUT", f"{path}/a", made.body)
    rig.ask("the same again", "PUT", f"{path}/a", claim("a", storageClassName="slow", volumeMode="Filesystem"))
    for label, spec in (("no mode", {"accessModes": []}), ("no such mode", {"accessModes": ["Sometimes"]}),
                        ("one pod and others", {"accessModes": ["ReadWriteOnce", "ReadWriteOncePod"]}),
                        ("no amount", {"resources": {}}), ("nothing", {"resources": {"requests": {"storage": "0"}}}),
                        ("less than nothing", {"resources": {"requests": {"storage": "-1Gi"}}}),
                        ("no quantity", {"resources": {"requests": {"storage": "much"}}}),
                        ("odd amount", {"resources": {"requests": {"storage": "1536Mi"}, "limits": {"storage": 2147483648}}}),
                        ("no such volume mode", {"volumeMode": "Tape"}), ("block", {"volumeMode": "Block"}),
                        ("bad class name", {"storageClassName": "Not A Name"}),
                        ("attributes", {"volumeAttributesClassName": "gold"}),
                        ("bad attributes", {"volumeAttributesClassName": "Not A Name"}),
                        ("empty volume mode", {"volumeMode": ""}), ("empty volume", {"volumeName": ""}),
                        ("selector", {"selector": {"matchLabels": {"a": "b"}}}), ("bad label", {"selector": {"matchLabels": {"a": "b c"}}}),
                        ("bad expressions", {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}, {"key": "b", "operator": "Near"},
                                                                               {"key": "a b", "operator": "Exists", "values": ["c"]}]}}),
                        ("modes as text", {"accessModes": "ReadWriteOnce"}), ("unknown", {"strange": 1})):
        rig.ask(f"new: {label}", "POST", path, claim("b", **spec), dryRun="All")
    for label, spec in (("modes", {"accessModes": ["ReadOnlyMany"]}), ("amount", {"resources": {"requests": {"storage": "2Gi"}}}),
                        ("less", {"resources": {"requests": {"storage": "1Mi"}}}), ("class", {"storageClassName": "fast"}),
                        ("no class", {"storageClassName": None}), ("volume mode", {"volumeMode": "Block"}),
                        ("attributes", {"volumeAttributesClassName": "gold"}), ("nothing", {}), ("volume", {"volumeName": "v"})):
        rig.ask(f"pending: {label}", "PATCH", f"{path}/a", {"spec": spec}, MERGE_PATCH, dryRun="All")
    rig.ask("status is not for update", "PATCH", f"{path}/a", {"status": {"phase": "Bound"}}, MERGE_PATCH)
    release(rig, f"{path}/a")
    rig.ask("delete", "DELETE", f"{path}/a")
    rig.ask("gone", "GET", f"{path}/a")
    release(rig, f"{path}/applied")
    rig.quietly("DELETE", f"{path}/applied")


@scenario
def bound_claims(rig: Recorder) -> None:
    """What the volume binder writes, and what may change afterwards."""
    path = rig.path("persistentvolumeclaims")
    fixed, grows = f"{rig.namespace}-fixed", f"{rig.namespace}-grows"
    rig.quietly("POST", CLASSES, storage_class(fixed))
    rig.quietly("POST", CLASSES, storage_class(grows, allowVolumeExpansion=True))
    larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    for name, of_class in (("f", fixed), ("g", grows)):
        made = rig.quietly("POST", path, claim(name, storageClassName=of_class))
        release(rig, f"{path}/{name}")
        rig.ask(f"{name}: node selected", "PATCH", f"{path}/{name}", {"metadata": {"annotations": {
            "volume.kubernetes.io/selected-node": "n"}}}, MERGE_PATCH)
        rig.ask(f"{name}: bind", "PATCH", f"{path}/{name}", {"metadata": {"annotations": {
            "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}},
            "spec": {"volumeName": f"pvc-{made.uid}"}}, MERGE_PATCH)
        rig.ask(f"{name}: bound", "PATCH", f"{path}/{name}/status", {"status": {
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1024Mi"}}}, MERGE_PATCH)
    rig.ask("another volume", "PATCH", f"{path}/f", {"spec": {"volumeName": "other"}}, MERGE_PATCH)
    rig.ask("a capacity that is none", "PATCH", f"{path}/f/status", {"status": {"capacity": {"storage": "x"}}}, MERGE_PATCH)
    until_admission_knows(rig, "PATCH", f"{path}/g", larger, 200, grows)
    rig.ask("may not grow", "PATCH", f"{path}/f", larger, MERGE_PATCH)
    rig.ask("may grow", "PATCH", f"{path}/g", larger, MERGE_PATCH)
    for label, amount in (("shrinks a little", "1536Mi"), ("shrinks to what it has", "1Gi")):
        rig.ask(label, "PATCH", f"{path}/g", {"spec": {"resources": {"requests": {"storage": amount}}}}, MERGE_PATCH)
    rig.ask("attributes", "PATCH", f"{path}/g", {"spec": {"volumeAttributesClassName": "gold"}}, MERGE_PATCH)
    for name in ("f", "g"):
        rig.ask(f"{name}: delete", "DELETE", f"{path}/{name}")
    for name in (fixed, grows):
        rig.quietly("DELETE", f"{CLASSES}/{name}")


@scenario
def default_storage_class(rig: Recorder) -> None:
    path = rig.path("persistentvolumeclaims")
    name = f"{rig.namespace}-default"
    marked = storage_class(name)
    marked["metadata"]["annotations"] = DEFAULT
    rig.ask("create", "POST", CLASSES, marked)
    until_admission_knows(rig, "POST", path, claim("probe"), 201, name)
    rig.ask("none named", "POST", path, claim("a"), dryRun="All")
    rig.ask("the empty name", "POST", path, claim("a", storageClassName=""), dryRun="All")
    rig.ask("a name", "POST", path, claim("a", storageClassName="slow"), dryRun="All")
    rig.ask("shown", "GET", f"{CLASSES}/{name}", headers={"Accept": TABLE})
    rig.ask("delete", "DELETE", f"{CLASSES}/{name}")
    until_admission_knows(rig, "POST", path, claim("probe"), 201)
    rig.ask("no longer", "POST", path, claim("a"), dryRun="All")


@scenario
def volumes(rig: Recorder) -> None:
    name = f"{rig.namespace}-v"
    path = f"{VOLUMES}/{name}"
    csi = {"driver": "disks.example.com", "volumeHandle": "h"}
    in_zone = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]}}
    rig.ask("create", "POST", VOLUMES, volume(name, csi=csi, nodeAffinity=in_zone, storageClassName="slow",
                                              persistentVolumeReclaimPolicy="Delete"))
    rig.ask("get", "GET", path)
    rig.ask("list", "GET", VOLUMES, fieldSelector=f"metadata.name={name}")
    host = {"hostPath": {"path": "/x"}}
    for label, spec in (("host path", host), ("no source", {}), ("two sources", {**host, "csi": csi}),
                        ("local", {"local": {"path": "/x"}, "nodeAffinity": in_zone}), ("local anywhere", {"local": {"path": "/x"}}),
                        ("no path", {"hostPath": {"path": ""}}), ("backsteps", {"hostPath": {"path": "/a/../b"}}),
                        ("no handle", {"csi": {"driver": "d"}}), ("no driver", {"csi": {"volumeHandle": "h"}}),
                        ("bad driver", {"csi": {"driver": "d_d", "volumeHandle": "h"}}),
                        ("no affinity", {**host, "nodeAffinity": {}}),
                        ("no terms", {**host, "nodeAffinity": {"required": {"nodeSelectorTerms": []}}}),
                        ("no values", {**host, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                            {"key": "zone", "operator": "In"}]}]}}}),
                        ("bad value", {**host, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                            {"key": "zone", "operator": "In", "values": ["a b"]}]}]}}}),
                        ("no such path type", {"hostPath": {"path": "/x", "type": "Pipe"}}), ("empty class", {**host, "storageClassName": ""}),
                        ("no capacity", {**host, "capacity": {}}), ("another capacity", {**host, "capacity": {"cpu": "1"}}),
                        ("capacity zero", {**host, "capacity": {"storage": "0"}}),
                        ("no modes", {**host, "accessModes": []}), ("no such policy", {**host, "persistentVolumeReclaimPolicy": "Burn"}),
                        ("no such volume mode", {**host, "volumeMode": "Tape"}), ("attributes", {**host, "volumeAttributesClassName": "gold"}),
                        ("bad class name", {**host, "storageClassName": "Not A Name"})):
        rig.ask(f"new: {label}", "POST", VOLUMES, volume(f"{name}-x", **spec), dryRun="All")
    for label, spec in (("source", {"csi": {"volumeHandle": "other"}}), ("other source", {"csi": None, **host}),
                        ("nodes", {"nodeAffinity": None}), ("volume mode", {"volumeMode": "Block"}),
                        ("policy", {"persistentVolumeReclaimPolicy": "Retain"}), ("class", {"storageClassName": "fast"}),
                        ("amount", {"capacity": {"storage": "2Gi"}}),
                        ("claim", {"claimRef": {"kind": "PersistentVolumeClaim", "namespace": rig.namespace, "name": "c"}})):
        rig.ask(f"change: {label}", "PATCH", path, {"spec": spec}, MERGE_PATCH, dryRun="All")
    rig.ask("available", "PATCH", f"{path}/status", {"status": {"phase": "Available"}}, STRATEGIC_PATCH)
    rig.ask("bound", "PATCH", f"{path}/status", {"status": {"phase": "Bound"}}, MERGE_PATCH)
    rig.ask("json", "PATCH", path, [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}], JSON_PATCH)
    rig.ask("apply", "PATCH", path, {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {
        "name": name, "annotations": {"k": "v"}}}, APPLY_PATCH, fieldManager="m")
    release(rig, path)
    rig.ask("delete", "DELETE", path)


@scenario
def storage_classes(rig: Recorder) -> None:
    name = f"{rig.namespace}-c"
    path = f"{CLASSES}/{name}"
    made = rig.ask("create", "POST", CLASSES, storage_class(name, parameters={"a": "b"}))
    rig.ask("get", "GET", path)
    rig.ask("list", "GET", CLASSES, fieldSelector=f"metadata.name={name}")
    zones = {"key": "topology.kubernetes.io/zone", "values": ["a", "b"]}
    for label, more in (("all", {"volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Retain", "mountOptions": ["ro"],
                                 "allowVolumeExpansion": True, "allowedTopologies": [{"matchLabelExpressions": [zones]}]}),
                        ("no provisioner", {"provisioner": ""}), ("bad provisioner", {"provisioner": "a b"}),
                        ("no such mode", {"volumeBindingMode": "Later"}), ("no such policy", {"reclaimPolicy": "Recycle"}),
                        ("no zones", {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone"}]}]}),
                        ("a zone twice", {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "a"]}]}]}),
                        ("a key twice", {"allowedTopologies": [{"matchLabelExpressions": [zones, zones]}]}),
                        ("everywhere", {"allowedTopologies": [{}]}), ("empty parts", {"parameters": {}, "mountOptions": [], "allowedTopologies": []}),
                        ("empty mode", {"volumeBindingMode": ""}), ("empty policy", {"reclaimPolicy": ""}),
                        ("number for text", {"provisioner": 1})):
        rig.ask(f"new: {label}", "POST", CLASSES, storage_class(f"{name}-x", **more), dryRun="All")
    for label, change in (("provisioner", {"provisioner": "other"}), ("parameters", {"parameters": {"a": "c"}}),
                          ("policy", {"reclaimPolicy": "Retain"}), ("mode", {"volumeBindingMode": "WaitForFirstConsumer"}),
                          ("expansion", {"allowVolumeExpansion": True}), ("options", {"mountOptions": ["ro"]}), ("no parameters", {"parameters": {}}),
                          ("label", {"metadata": {"labels": {"a": "b"}}})):
        rig.ask(f"change: {label}", "PATCH", path, change, MERGE_PATCH, dryRun="All")
    rig.ask("blind update", "PUT", path, {**made.body, "metadata": {"name": name}, "allowVolumeExpansion": True})
    rig.ask("delete", "DELETE", path)


@scenario
def csi_nodes(rig: Recorder) -> None:
    name = f"{rig.namespace}-n"
    path = f"{CSI_NODES}/{name}"
    driver = {"name": "disks.example.com", "nodeID": "i", "topologyKeys": ["topology.kubernetes.io/zone"]}
    other = {"name": "files.example.com", "nodeID": "j", "allocatable": {"count": 3}}
    made = rig.ask("create", "POST", CSI_NODES, csi_node(name, driver))
    rig.ask("get", "GET", path)
    rig.ask("list", "GET", CSI_NODES, fieldSelector=f"metadata.name={name}")
    rig.ask("no drivers", "POST", CSI_NODES, {"metadata": {"name": f"{name}-x"}, "spec": {"drivers": []}}, dryRun="All")
    for label, wrong in (("no name", {"nodeID": "i"}), ("bad name", {**driver, "name": "d_d"}), ("no id", {"name": "d"}),
                         ("negative", {**driver, "allocatable": {"count": -1}}), ("empty key", {**driver, "topologyKeys": [""]}),
                         ("a key twice", {**driver, "topologyKeys": ["zone", "zone"]})):
        rig.ask(f"new: {label}", "POST", CSI_NODES, csi_node(f"{name}-x", wrong), dryRun="All")
    rig.ask("new: a driver twice", "POST", CSI_NODES, csi_node(f"{name}-x", driver, driver), dryRun="All")
    rig.ask("one more", "PATCH", path, {"spec": {"drivers": [other]}}, STRATEGIC_PATCH)
    rig.ask("count", "PATCH", path, {"spec": {"drivers": [{"name": other["name"], "allocatable": {"count": 4}}]}}, STRATEGIC_PATCH)
    rig.ask("another id", "PATCH", path, {"spec": {"drivers": [{"name": other["name"], "nodeID": "k"}]}}, STRATEGIC_PATCH)
    rig.ask("blind update", "PUT", path, {**made.body, "metadata": {"name": name}})
    rig.ask("one less", "PATCH", path, {"spec": {"drivers": [driver]}}, MERGE_PATCH)
    rig.ask("delete", "DELETE", path)


@scenario
def csi_drivers(rig: Recorder) -> None:
    """And what they have left, and have attached."""
    name = f"{rig.namespace}.example.com"
    drivers, attachments = f"{STORAGE}/csidrivers", f"{STORAGE}/volumeattachments"
    rig.ask("create", "POST", drivers, {"metadata": {"name": name}, "spec": {"storageCapacity": True}})
    rig.ask("get", "GET", f"{drivers}/{name}")
    rig.ask("list", "GET", drivers, fieldSelector=f"metadata.name={name}")
    for label, spec in (("policy", {"fsGroupPolicy": "Some"}), ("mode", {"volumeLifecycleModes": ["Some"]}), ("nothing", {})):
        rig.ask(f"new: {label}", "POST", drivers, {"metadata": {"name": f"x.{name}"}, "spec": spec}, dryRun="All")
    rig.ask("delete", "DELETE", f"{drivers}/{name}")
    path = f"{STORAGE}/namespaces/{rig.namespace}/csistoragecapacities"
    left = {"storageClassName": "fast", "nodeTopology": {"matchLabels": {"zone": "a"}}, "capacity": "1024Mi"}
    made = rig.ask("capacity", "POST", path, {"metadata": {"name": "a"}, **left})
    rig.ask("capacities", "GET", path)
    for label, wrong in (("no class", {"storageClassName": ""}), ("negative", {"capacity": "-1"}), ("no text", {"capacity": "much"})):
        rig.ask(f"new capacity: {label}", "POST", path, {"metadata": {"name": "x"}, **left, **wrong}, dryRun="All")
    for label, change in (("amount", {"capacity": "2Gi", "maximumVolumeSize": "1024Mi"}), ("class", {"storageClassName": "slow"}),
                          ("nodes", {"nodeTopology": {}})):
        rig.ask(f"change of capacity: {label}", "PATCH", f"{path}/a", change, MERGE_PATCH)
    rig.ask("blind update of a capacity", "PUT", f"{path}/a", {**made.body, "metadata": {"name": "a"}})
    rig.ask("delete the capacity", "DELETE", f"{path}/a")
    spec = {"attacher": name, "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    rig.ask("attachment", "POST", attachments, {"metadata": {"name": name}, "spec": spec, "status": {"attached": True}})
    rig.ask("attached", "PATCH", f"{attachments}/{name}/status", {"status": {"attached": True}}, MERGE_PATCH)
    rig.ask("another node", "PATCH", f"{attachments}/{name}", {"spec": {"nodeName": "m"}}, MERGE_PATCH)
    for label, wrong in (("no source", {**spec, "source": {}}), ("no node", {**spec, "nodeName": ""}), ("no attacher", {**spec, "attacher": ""})):
        rig.ask(f"new attachment: {label}", "POST", attachments, {"metadata": {"name": f"x.{name}"}, "spec": wrong}, dryRun="All")
    rig.ask("delete the attachment", "DELETE", f"{attachments}/{name}")


@scenario
def watches_of_storage(rig: Recorder) -> None:
    path = rig.path("persistentvolumeclaims")
    rig.quietly("POST", path, claim("a", storageClassName="slow"))
    release(rig, f"{path}/a")
    start = rig.quietly("GET", path).version
    rig.quietly("PATCH", f"{path}/a/status", {"status": {"phase": "Lost"}}, MERGE_PATCH)
    rig.quietly("DELETE", f"{path}/a")
    rig.events("claims", path, lambda event: event["type"] == "DELETED", resourceVersion=start)
    name = f"{rig.namespace}-c"
    start = rig.quietly("GET", CLASSES).version
    rig.quietly("POST", CLASSES, storage_class(name))
    rig.quietly("DELETE", f"{CLASSES}/{name}")
    rig.events("classes", CLASSES, lambda event: event["type"] == "DELETED", resourceVersion=start,
               fieldSelector=f"metadata.name={name}")


@scenario
def tables_of_storage(rig: Recorder) -> None:
    accept = {"Accept": TABLE}
    path, name = rig.path("persistentvolumeclaims"), f"{rig.namespace}-t"
    rig.quietly("POST", path, claim("pending", storageClassName="slow"))
    rig.quietly("POST", path, claim("bound", storageClassName="slow", volumeName=name, volumeAttributesClassName="gold"))
    rig.quietly("PATCH", f"{path}/bound/status", {"status": {
        "phase": "Bound", "accessModes": ["ReadOnlyMany", "ReadWriteOnce"], "capacity": {"storage": "2Gi"}}}, MERGE_PATCH)
    rig.quietly("POST", VOLUMES, volume(name, hostPath={"path": "/x"}, claimRef={"namespace": rig.namespace, "name": "bound"}))
    rig.quietly("POST", CLASSES, storage_class(name, allowVolumeExpansion=True))
    rig.quietly("POST", CSI_NODES, csi_node(name, {"name": "d", "nodeID": "i"}))
    rig.ask("claims", "GET", path, headers=accept)
    rig.ask("volumes", "GET", f"{VOLUMES}/{name}", headers=accept)
    rig.ask("classes", "GET", CLASSES, headers=accept, fieldSelector=f"metadata.name={name}")
    rig.ask("CSI nodes", "GET", CSI_NODES, headers=accept, fieldSelector=f"metadata.name={name}")
    for each in (f"{path}/pending", f"{path}/bound", f"{VOLUMES}/{name}", f"{CLASSES}/{name}", f"{CSI_NODES}/{name}"):
        release(rig, each)
        rig.quietly("DELETE", each)


@scenario
def schemas_of_storage(rig: Recorder) -> None:
    for group, package, names in (("api/v1", "core", ("PersistentVolumeClaim", "PersistentVolumeClaimSpec", "PersistentVolume",
                                                      "PersistentVolumeSpec")),
                                  ("apis/storage.k8s.io/v1", "storage", ("StorageClass", "CSINode", "CSINodeDriver"))):
        schemas = rig.quietly("GET", f"/openapi/v3/{group}").body["components"]["schemas"]
        for name in names:
            schema = schemas.get(f"io.k8s.api.{package}.v1.{name}", {})
            rig.note(f"{name}: properties", sorted(schema.get("properties", {})))
            rig.note(f"{name}: kind", schema.get("x-kubernetes-group-version-kind"))
