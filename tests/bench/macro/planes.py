"""The clusters that the benches run on: nodes without kubelets, so that a bound pod stays bound and nothing else
is written."""
import itertools
from pathlib import Path
from typing import Optional

from support.client.json_type import Json
from support.process.processes import Process
from support.plane.real_plane import RealPlane
from support.plane.rig import EmbeddedRig, Rig

from . import objects
from .load import Load, Outcome, send

# Of kube-scheduler's own gangs, off by default in 1.37.
GANG_GATES = "GenericWorkload=true"
GANG_API = "scheduling.k8s.io/v1beta1=true"


class BenchPlane:
    """A rig with nodes. Each run gets a namespace of its own, cleared when the run is over."""

    def __init__(self, rig: Rig, nodes: int) -> None:
        self.rig = rig
        self.nodes = nodes
        self._numbers = itertools.count(1)
        send(rig.kubeconfig, objects.nodes(nodes))

    @property
    def name(self) -> str:
        return self.rig.name

    @property
    def kubeconfig(self) -> Path:
        return self.rig.kubeconfig

    def servers(self) -> list[Process]:
        """The processes of the plane itself."""
        if isinstance(self.rig, RealPlane):
            return [self.rig.etcd.process, *(server.process for server in self.rig.servers)]
        return [self.rig.server]

    def namespace(self) -> str:
        name = f"run-{next(self._numbers)}"
        self.rig.api.post("/api/v1/namespaces", {"metadata": {"name": name}})
        return name

    def create(self, namespace: str, pods: list[Json]) -> Outcome:
        return send(self.kubeconfig, objects.create(namespace, pods))

    def clear(self, namespace: str) -> None:
        """Deletes all pods of the namespace, at once."""
        names = [each["metadata"]["name"] for each in self.rig.api.items(objects.pods_path(namespace))]
        send(self.kubeconfig, objects.removals(namespace, names))

    def raw_bind(self, namespace: str, names: list[str], connections: int,
                 idle_watches: int = 1) -> Outcome:
        """The anchor: nothing but Bindings of pods that exist, to fixed nodes.

        `idle_watches`: so many watches of all pods beside the judge's, as a scheduler would have one.
        """
        return Load(self.kubeconfig, objects.bindings(namespace, names, self.nodes),
                    watch=objects.pods_path(namespace), until_bound=len(names),
                    connections=connections, idle_watches=idle_watches).wait().check()

    def collect_garbage(self) -> None:
        """Of the API servers, now: their collectors then begin again from the same point for everybody."""
        if isinstance(self.rig, RealPlane):
            for server in self.rig.servers:
                answer = self.rig.api.session().get(f"{server.url}/debug/pprof/heap?gc=1", timeout=60)
                answer.raise_for_status()

    def stop(self) -> None:
        self.rig.stop()


def embedded_plane(nodes: int) -> BenchPlane:
    return BenchPlane(EmbeddedRig(), nodes)


def real_plane(nodes: int, audit: bool = False, gangs: bool = False) -> BenchPlane:
    """`gangs`: with the API of kube-scheduler's own gangs. Raises what pytest.fail() raises without Go."""
    more = ["--feature-gates", GANG_GATES, "--runtime-config", GANG_API] if gangs else []
    return BenchPlane(RealPlane(audit=audit, server_arguments=more), nodes)


def make_plane(name: str, nodes: int, **options: bool) -> BenchPlane:
    return embedded_plane(nodes) if name == "embedded" else real_plane(nodes, **options)
