"""The world of one life: nodes, two schedulers behind a fault proxy each, tenants, and who made what."""
import threading
import time
from random import Random
from typing import Callable, Iterator, Optional

from ..client.api import Json
from ..kube.cluster import Cluster
from ..kube.history import RESERVATION
from ..kube.kubelet import NodeSpec
from ..kube.pods import annotation, node_of
from ..plane.real_plane import RealPlane
from ..plane.replicas import Replicas
from .spark import Application, Drivers, hand_pod, make_application
from .tenant import Tenant

NODES, CPUS = 4, 8
MEMORY = "64Gi"
NAMESPACES = 2


class World:
    """All is taken down by close(), but for the cluster, which the test owns."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        assert isinstance(cluster.rig, RealPlane)
        self.cluster = cluster
        self.api = cluster.api
        self.history = cluster.history
        self.random = Random(seed)
        # With several sizes it may be nobody's fault that a slot which had to move finds no room again.
        self.has_one_size = Random(seed + 3).random() < 0.7
        self.sizes = (1,) if self.has_one_size else (1, 1, 1, 2)
        self.prefix = cluster.default_namespace.rsplit("-", 1)[1]
        self.nodes = [f"node-{number}-{self.prefix}" for number in range(1, NODES + 1)]
        for name in self.nodes:
            self.add_node(name)
        namespaces = [cluster.default_namespace, *(cluster.namespace() for _ in range(NAMESPACES - 1))]
        self.wrote: set[tuple[str, str]] = set()  # states that are a tenant's doing: (uid, resourceVersion)
        self.tenants = [Tenant(cluster.rig, namespace, self.wrote) for namespace in namespaces]
        self.strangers: dict[str, str] = {}  # path of each pod that only says that it is an executor: its uid
        self.lone: dict[str, str] = {}  # of pods of ours without a gang
        self.foreign: list[str] = []  # paths of pods that our scheduler has not placed, as long as they are there
        self.not_ours: set[str] = set()  # of these and those that are gone
        self.probes: dict[str, int] = {}  # by the driver's uid, its executors, which nobody makes
        self.edited_executors: set[str] = set()  # whose labels are not what Spark gave them
        self.gone_nodes: set[str] = set()
        self.temper: dict[Callable[..., str], int] = {}  # of the tenants (misdeeds.temper)
        self.story: list[str] = []
        self.begin = time.monotonic()
        self._numbers = 0
        self._lock = threading.Lock()
        self.drivers = Drivers(cluster.api, cluster.history, Random(seed + 1))
        self.proxies = [cluster.rig.start_proxy() for _ in range(2)]
        key_file = cluster.rig.folder / f"seal-{seed}.key"
        key_file.write_text(f"{self.random.getrandbits(256):064x}\n")
        self.replicas = Replicas(cluster.rig, [cluster.rig.proxied_kubeconfig(proxy) for proxy in self.proxies],
                                 more_config=f"seal:\n  keyFile: {key_file}\n")
        self.replicas.wait_leader(60)

    def close(self) -> None:
        self.replicas.stop()
        self.drivers.stop()

    def tell(self, line: str) -> None:
        """For the story of this life."""
        with self._lock:
            self.story.append(f"{time.monotonic() - self.begin:7.2f} {line}")

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def add_node(self, name: str) -> None:
        self.cluster.kubelet.add_node(NodeSpec(name, str(CPUS), MEMORY))

    def submit(self, tenant: Tenant) -> Application:
        made = make_application(self.next_number(), tenant.namespace, self.random, self.prefix, self.sizes)
        self.drivers.submit(made)
        self.tell(f"submitted {made.name}: {made.kind}, {made.executors} executors of {made.cores}, "
                  f"{made.asked} asked for")
        return made

    def add_lone_pod(self, tenant: Tenant, name: str = "lone") -> Optional[Json]:
        """A pod of ours that is nobody's executor."""
        made = tenant.create(hand_pod(f"{name}-{self.next_number()}", 1, {}))
        if made is not None:
            self.lone[f"{tenant.pods}/{made['metadata']['name']}"] = made["metadata"]["uid"]
        return made

    def running(self, tenant: Optional[Tenant] = None) -> list[Application]:
        """Applications whose driver is bound and lives."""
        return [each for each in self.drivers.applications if self.drivers.is_running(each)
                and (tenant is None or each.namespace == tenant.namespace)]

    def carried(self, application: Application) -> Iterator[Json]:
        """Every state of its driver so far in which it had a reservation, the newest last."""
        for seen in self.history.states(application.path):
            if seen.pod["metadata"]["uid"] == application.uid and annotation(seen.pod, RESERVATION):
                yield seen.pod

    def add_foreign(self, path: str) -> None:
        self.foreign.append(path)
        self.not_ours.add(path)

    def count_bound(self, node: str) -> int:
        """Pods on that node that have not ended."""
        return sum(node_of(pod) == node for pod in self.history.living())

    def bound_lone_pods(self, tenant: Tenant) -> list[str]:
        """Paths of those that live and have a node."""
        found = []
        for path in self.lone:
            pod = self.history.pod(path)
            if path.startswith(tenant.pods) and pod is not None and node_of(pod):
                found.append(path)
        return found
