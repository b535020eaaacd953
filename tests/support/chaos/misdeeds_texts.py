"""What tenants write over the scheduler's own words. Each answers what it did, nothing where there is nothing to do."""
from random import Random
from typing import Optional

from ..client.api import Json
from ..kube.history import RESERVATION, SEAL, SLOT
from ..kube.pods import annotation
from .forgery import FORGERS, SLOT_KINDS, slot_text
from .spark import Application
from .tenant import Tenant
from .world import World

OURS = (RESERVATION, SEAL)


def forge_reservation(world: World, tenant: Tenant, random: Random) -> str:
    """Of a live driver; the seal stays what it is, or goes, or is nonsense."""
    found = _target(world, tenant, random)
    if found is None:
        return ""
    application, driver = found
    kind = random.choice(list(FORGERS))
    text = FORGERS[kind](annotation(driver, RESERVATION), world.nodes, application.uid, random)
    seal = random.choice(({}, {}, {SEAL: None}, {SEAL: "v1 " + "0" * 64}, {SEAL: "v9"}))
    return _touch(tenant, application, {RESERVATION: text, **seal}, f"{kind} {seal or ''} {text[:160]}")


def remove_reservation(world: World, tenant: Tenant, random: Random) -> str:
    """The text, the seal, or both."""
    found = _target(world, tenant, random)
    if found is None:
        return ""
    gone = random.choice((OURS, OURS, (RESERVATION,), (SEAL,)))
    return _touch(tenant, found[0], {key: None for key in gone}, f"removed {gone}")


def copy_reservation(world: World, tenant: Tenant, random: Random) -> str:
    """Another driver's, with its seal, as it is or with the uid of the one that gets it."""
    found = _target(world, tenant, random)
    others = [each for each in world.running() if found and each is not found[0]]
    if found is None or not others:
        return ""
    other = random.choice(others)
    driver = world.history.pod(other.path)
    if driver is None:
        return ""
    texts = _texts_of(driver)
    if texts[RESERVATION] and random.random() < 0.3:
        texts[RESERVATION] = texts[RESERVATION].replace(other.uid, found[0].uid)
    return _touch(tenant, found[0], texts, f"copied from {other.name}: {texts[RESERVATION]}")


def restore_reservation(world: World, tenant: Tenant, random: Random) -> str:
    """An older state of its own, which was right once."""
    found = _target(world, tenant, random)
    if found is None:
        return ""
    old = [_texts_of(pod) for pod in world.carried(found[0])]
    old = [texts for texts in old if texts[RESERVATION] != annotation(found[1], RESERVATION)]
    if not old:
        return ""
    texts = random.choice(old)
    return _touch(tenant, found[0], texts, f"restored {texts[RESERVATION]}")


def forge_slot(world: World, tenant: Tenant, random: Random) -> str:
    """Of an executor that lives, bound or not."""
    executors = executors_of(world, tenant)
    if not executors:
        return ""
    application, pod = random.choice(executors)
    driver = random.choice([application, *world.running()])
    kind = random.choice(SLOT_KINDS)
    text: Optional[str] = slot_text(kind, driver.uid, [annotation(other, SLOT) for _, other in executors], random)
    if random.random() < 0.2:
        text = None
    seal: dict[str, Optional[str]] = random.choice(({}, {SEAL: None}, {SEAL: annotation(
        random.choice(executors)[1], SEAL) or None}))
    path = f"{tenant.pods}/{pod['metadata']['name']}"
    done = tenant.annotate(path, {SLOT: text, **seal})
    return f"slot of {pod['metadata']['name']}: {text!r} {seal or ''}" if done else ""


def executors_of(world: World, tenant: Tenant) -> list[tuple[Application, Json]]:
    return [(application, pod) for application in world.drivers.applications
            if application.namespace == tenant.namespace for pod in world.drivers.living(application)]


def _target(world: World, tenant: Tenant, random: Random) -> Optional[tuple[Application, Json]]:
    running = world.running(tenant)
    if not running:
        return None
    application = random.choice(running)
    driver = world.history.pod(application.path)
    return (application, driver) if driver is not None else None


def _touch(tenant: Tenant, application: Application, texts: dict[str, Optional[str]], what: str) -> str:
    application.reservation_touched = True
    return f"reservation of {application.name}: {what}" if tenant.annotate(application.path, texts) else ""


def _texts_of(driver: Json) -> dict[str, Optional[str]]:
    return {key: annotation(driver, key) or None for key in OURS}
