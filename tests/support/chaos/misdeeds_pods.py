"""What tenants do to pods: those that say they are what they are not, and those that go."""
from random import Random
from typing import Optional

from ..kube.history import RESERVATION, SEAL, SLOT
from ..kube.pods import annotation
from .forgery import more_slots, slot_text
from .misdeeds_texts import executors_of
from .spark import GATE, Application, hand_pod
from .tenant import Tenant
from .world import World


def make_stranger(world: World, tenant: Tenant, random: Random) -> str:
    """A pod of ours, alone, that says it is an executor of an application which owns its own."""
    victims = [each for each in world.running() if not each.trusts_labels or each.namespace != tenant.namespace]
    if not victims:
        return ""
    victim = random.choice(victims)
    pod = hand_pod(f"stranger-{world.next_number()}", victim.cores, _executor_labels(victim, random))
    pod["metadata"]["annotations"] = {SLOT: slot_text("number", victim.uid, [], random)}
    made = tenant.create(pod)
    if made is None:
        return ""
    world.strangers[f"{tenant.pods}/{made['metadata']['name']}"] = made["metadata"]["uid"]
    return f"stranger {made['metadata']['name']} says it is of {victim.name}"


def plant_stranger(world: World, tenant: Tenant, random: Random) -> str:
    """The same, on a node from its birth: no scheduler has placed it."""
    nodes = [node for node in world.nodes if node not in world.gone_nodes and world.count_bound(node) <= 3]
    victims = [each for each in world.running() if not each.trusts_labels or each.namespace != tenant.namespace]
    if not victims or not nodes:
        return ""
    victim, node = random.choice(victims), random.choice(nodes)
    pod = hand_pod(f"planted-{world.next_number()}", 1, _executor_labels(victim, random))
    pod["metadata"]["annotations"] = {SLOT: slot_text("number", victim.uid, [], random)}
    pod["spec"]["nodeName"] = node
    made = tenant.create(pod)
    if made is None:
        return ""
    path = f"{tenant.pods}/{made['metadata']['name']}"
    world.strangers[path] = made["metadata"]["uid"]
    world.add_foreign(path)
    return f"{made['metadata']['name']} on {node} says it is of {victim.name}"


def disguise_lone_pod(world: World, tenant: Tenant, random: Random) -> str:
    """A lone pod that has a node says afterwards that it is an executor, with a slot."""
    victims = [each for each in world.running() if not each.trusts_labels or each.namespace != tenant.namespace]
    lone = world.bound_lone_pods(tenant)
    if not victims or not lone:
        return ""
    same = [each for each in victims if each.namespace == tenant.namespace]
    victim, path = random.choice(same or victims), random.choice(lone)
    world.strangers[path] = world.lone.pop(path)
    slot = slot_text("number", victim.uid, [], random)
    seals = [annotation(pod, SEAL) for _, pod in executors_of(world, tenant) if annotation(pod, SEAL)]
    seal = {SEAL: random.choice(seals)} if seals and random.random() < 0.5 else {}
    tenant.label(path, dict(_executor_labels(victim, random)), {SLOT: slot, **seal})
    return f"lone {path.rsplit('/', 1)[1]} says it has slot {slot} of {victim.name}"


def crown_lone_pod(world: World, tenant: Tenant, random: Random) -> str:
    """A lone pod that has a node says afterwards that it is a driver, with a reservation that it made up."""
    lone = world.bound_lone_pods(tenant)
    if not lone:
        return ""
    path = random.choice(lone)
    uid = world.lone.pop(path)
    world.strangers[path] = uid
    text = more_slots("", world.nodes, uid, random)
    tenant.label(path, {"spark-role": "driver", "spark-app-selector": f"crowned-{world.next_number()}"},
                 {RESERVATION: text, SEAL: "v1 " + "ab" * 32})
    return f"lone {path.rsplit('/', 1)[1]} says it is a driver: {text}"


def relabel_driver(world: World, tenant: Tenant, random: Random) -> str:
    running = world.running(tenant)
    if not running:
        return ""
    application = random.choice(running)
    labels = _relabelled(random)
    application.relabelled = True
    done = tenant.label(application.path, labels)
    return f"driver {application.name} relabelled: {labels}" if done else ""


def relabel_executor(world: World, tenant: Tenant, random: Random) -> str:
    executors = executors_of(world, tenant)
    if not executors:
        return ""
    _, pod = random.choice(executors)
    path = f"{tenant.pods}/{pod['metadata']['name']}"
    world.edited_executors.add(path)
    labels = _relabelled(random)
    return f"executor {pod['metadata']['name']} relabelled: {labels}" if tenant.label(path, labels) else ""


def delete_conf(world: World, tenant: Tenant, random: Random) -> str:
    """The ConfigMap of a running application."""
    running = [each for each in world.running(tenant) if each.spark is not None and not each.conf_gone]
    if not running:
        return ""
    application = random.choice(running)
    assert application.spark is not None
    application.conf_gone = True
    for each in application.spark.config_maps:
        tenant.delete(f"/api/v1/namespaces/{tenant.namespace}/configmaps/{each['metadata']['name']}")
    return f"conf of {application.name} deleted"


def ungate_driver(world: World, tenant: Tenant, random: Random) -> str:
    gated = [each for each in world.drivers.applications if each.namespace == tenant.namespace
             and (world.history.pod(each.path) or {}).get("spec", {}).get("schedulingGates")]
    if not gated:
        return ""
    application = random.choice(gated)
    return f"gate of {application.name} ({GATE}) removed" if tenant.ungate(application.path) else ""


def delete_executor(world: World, tenant: Tenant, random: Random) -> str:
    executors = executors_of(world, tenant)
    if not executors:
        return ""
    name = random.choice(executors)[1]["metadata"]["name"]
    tenant.delete(f"{tenant.pods}/{name}")
    return f"executor {name} deleted"


def delete_driver(world: World, tenant: Tenant, random: Random) -> str:
    running = world.running(tenant)
    if len(running) < 2:
        return ""
    application = random.choice(running)
    application.ended = True
    tenant.delete(application.path)
    return f"driver {application.name} deleted"


def _executor_labels(victim: Application, random: Random) -> dict[str, str]:
    labels = {"spark-role": "executor", "spark-app-selector": victim.identity}
    if random.random() < 0.5:
        labels |= {"spark-exec-id": str(random.randrange(1, 9)), "spark-exec-resourceprofile-id": "0"}
    return labels


def _relabelled(random: Random) -> dict[str, Optional[str]]:
    return random.choice((
        {"spark-role": None}, {"spark-role": "executor"}, {"spark-role": "driver"}, {"spark-app-selector": None},
        {"spark-app-selector": "another"}, {"spark-exec-resourceprofile-id": "7"},
        {"spark-role": None, "spark-app-selector": None}))
