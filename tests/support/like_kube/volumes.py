"""Random clusters whose nodes say how many volumes they can attach, and pods that share volumes: what a seed draws."""
from typing import Any

from support.client.json_type import Json

from .worlds import HOST, SPACES, ZONE, Dice, World, any_room

DRIVERS = ("disks.example.com", "pd.csi.storage.gke.io", "other.example.com")


def draw_volumes(seed: int) -> World:
    dice = Dice(1_000_000 + seed)
    world = World()
    for i in range(dice.number(2, 4)):
        name = f"vol-{seed}-{i}"
        world.nodes.append(any_room(name, {HOST: name, ZONE: dice.any("a", "b")},
                                    {"cpu": dice.any("1", "4"), "memory": "4Gi", "pods": "110"}))
        if dice.percent(85):
            world.csi_nodes.append(_csi_node(dice, name))
    names = [f"like-{seed}-{i}" for i in range(dice.number(1, 5))]
    for name in names:
        _add_volume(dice, world, name)
    for i in range(dice.number(1, 6)):
        pod = _pod(dice, f"there-{i}", dice.some(2, lambda: dice.any(*names)))
        pod["spec"].update(nodeName=dice.any(*world.nodes)["metadata"]["name"], schedulerName="somebody-else")
        world.pods.append(pod)
    world.probe = _pod(dice, "probe", dice.some(3, lambda: dice.any(*names)))
    return world


def _csi_node(dice: Dice, name: str) -> Json:
    def driver(of: str) -> Json:
        limit: dict[str, Any] = {"allocatable": {"count": dice.number(0, 3)}} if dice.percent(80) else {}
        return {"name": of, "nodeID": name, "topologyKeys": [], **limit}
    drivers = [driver(each) for each in DRIVERS if dice.percent(70)]
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}, "spec": {"drivers": drivers}}


def _add_volume(dice: Dice, world: World, name: str) -> None:
    """All in one namespace, for pods share them. Two volumes may be one disk of the driver, and some were made by a plugin
    that was once built in."""
    handle = dice.any(name, "one", "two")
    source: Json = {"csi": {"driver": dice.any(*DRIVERS[:2]), "volumeHandle": handle}}
    if dice.percent(20):
        source = {"gcePersistentDisk": {"pdName": handle}}
    if dice.percent(10):
        source = {"nfs": {"server": "10.0.0.1", "path": "/"}}
    spec: Json = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                  "persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": SPACES[0], "name": name}, **source}
    if dice.percent(20):
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": ZONE, "operator": "In", "values": [dice.any("a", "b")]}]}]}}
    world.volumes.append({"apiVersion": "v1", "kind": "PersistentVolume", "spec": spec, "metadata": {"name": name}})
    world.claims.append({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": SPACES[0], "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": name,
                 "resources": {"requests": {"storage": "1Gi"}}}})


def _pod(dice: Dice, name: str, claims: list[str]) -> Json:
    volumes: list[Json] = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": each}}
                           for i, each in enumerate(sorted(set(claims)))]
    if dice.percent(20):  # read-only, so that pods may share it, as they share the volumes of claims
        volumes.append({"name": "disk", "gcePersistentDisk": {"pdName": dice.any("one", "two"), "readOnly": True}})
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": dice.any("100m", "500m")}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": SPACES[0]},
            "spec": {"containers": [container], "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                     "volumes": volumes}}
