"""Who comes and who goes, as in any cluster."""
from random import Random

from ..client.api import ApiError
from .spark import Application
from .world import World


def submit(world: World, random: Random) -> None:
    world.submit(random.choice(world.tenants))


def lone_pods_come(world: World, random: Random) -> None:
    for _ in range(random.choice((1, 2))):
        world.add_lone_pod(random.choice(world.tenants))


def application_ends(world: World, random: Random) -> None:
    """Its driver succeeds, and its executors go."""
    running = world.running()
    if len(running) < 3:
        return
    application = random.choice(running)
    pod = world.history.pod(application.path)
    if pod is None or pod.get("status", {}).get("phase") != "Running":
        return
    world.tell(f"{application.name} ends")
    end(world, application)


def executors_are_asked_for(world: World, random: Random) -> None:
    for application in world.running():
        application.asked = min(application.executors, application.asked + random.choice((0, 1, 2)))


def end(world: World, application: Application) -> None:
    """The driver succeeds and takes its executors with it."""
    application.ended = True
    try:
        world.api.patch(f"{application.path}/status", {"status": {"phase": "Succeeded"}})
    except ApiError as error:
        assert error.status == 404, error
    for executor in application.made:
        world.api.delete(executor)
