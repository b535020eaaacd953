"""What happens to nodes, and what others put on them."""
from random import Random

from ..client.api import STRATEGIC_PATCH, ApiError
from ..kube.cluster import Cluster
from ..kube.pods import path_of
from .world import World


def node_is_cordoned(world: World, random: Random) -> None:
    node, cordoned = random.choice(world.nodes), random.random() < 0.6
    if node not in world.gone_nodes:
        world.tell(f"{node} {'cordoned' if cordoned else 'uncordoned'}")
        cordon(world.cluster, node, cordoned)


def node_goes(world: World, random: Random) -> None:
    """With its pods; it comes back by another trouble, or at the end."""
    here = [node for node in world.nodes if node not in world.gone_nodes]
    if len(here) <= 2:
        return
    node = random.choice(here)
    world.tell(f"{node} goes")
    world.gone_nodes.add(node)
    world.api.delete(f"/api/v1/nodes/{node}")
    remove_pods_of(world, node)


def node_comes_back(world: World, random: Random) -> None:
    if world.gone_nodes:
        node = random.choice(sorted(world.gone_nodes))
        remove_pods_of(world, node)
        world.tell(f"{node} comes back")
        world.add_node(node)
        world.gone_nodes.discard(node)


def remove_pods_of(world: World, node: str) -> None:
    """As the controllers do for a node that is gone."""
    for namespace in world.cluster.namespaces:
        for pod in world.api.items(f"/api/v1/namespaces/{namespace}/pods", fieldSelector=f"spec.nodeName={node}"):
            world.api.delete(path_of(pod), grace_seconds=0)


def foreign_pod_comes(world: World, random: Random) -> None:
    """Where it fits beside what is bound; open slots have to leave."""
    node = random.choice(world.nodes)
    if node in world.gone_nodes or world.count_bound(node) > 4:
        return
    name = f"foreign-{world.next_number()}"
    world.tell(f"{name} on {node}")
    try:
        world.add_foreign(world.cluster.foreign_pod(name, random.choice(("1", "2", "3")), node))
    except ApiError as error:
        assert error.status in (404, 409), error


def foreign_pod_leaves(world: World, random: Random) -> None:
    if world.foreign:
        path = world.foreign.pop(random.randrange(len(world.foreign)))
        world.tell(f"{path.rsplit('/', 1)[1]} leaves")
        world.api.delete(path, grace_seconds=0)


def cordon(cluster: Cluster, node: str, cordoned: bool) -> None:
    try:
        cluster.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": cordoned}}, STRATEGIC_PATCH)
    except ApiError as error:
        assert error.status == 404, error
