"""The page, in a real browser: what a person reads there, with keys alone, on a phone, in the dark, and with wicked names.

PAGE_SCREENSHOTS=DIR keeps pictures to look at.
"""
import json
import os
import time
from pathlib import Path
from typing import Iterator

import pytest

from support.plane.api_port import ANY_API, ApiPort
from support.client.browser import Browser, find_browser
from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.process.ports import free_ports
from support.plane.rig import Scheduler
from support.kube.spark_application import Size, SparkApplication, sized

embedded = pytest.mark.parametrize("rig_name", ["embedded"], indirect=True, scope="session")
pytestmark = embedded
WICKED = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """With an empty tab; afterwards the page must have complained about nothing."""
    program = find_browser()
    if program is None:
        pytest.fail("THE PAGE WAS NOT LOOKED AT: no chromium (scripts/install_deps.sh test installs it)", pytrace=False)
    opened = Browser(program)
    opened.look()
    yield opened
    errors = opened.errors
    opened.close()
    assert not errors, errors


@pytest.fixture
def scene(cluster: Cluster) -> tuple[ApiPort, SparkApplication, SparkApplication]:
    """A gang that runs, and one that never fits."""
    cluster.add_nodes(2)
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", *ANY_API))
    running = sized(Size(executors=3), cluster.default_namespace)
    running.work_seconds = 40
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 20, "a gang that runs")
    huge = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(huge, "ExceedsCluster")
    return api, running, huge


def picture(browser: Browser, name: str) -> None:
    if folder := os.environ.get("PAGE_SCREENSHOTS"):
        browser.screenshot(Path(folder) / f"{name}.png")


def name_of(application: SparkApplication) -> str:
    return f"{application.namespace}/{application.driver_name}"


def test_what_a_person_reads(browser: Browser, scene: tuple[ApiPort, SparkApplication, SparkApplication]) -> None:
    api, running, huge = scene
    for scheme in ("light", "dark"):
        browser.look(scheme=scheme)
        browser.open(api.url)
        for part in ("Cannot fit as things are: 1 gang", "[ExceedsCluster]", "Running: 1 gang", name_of(running), name_of(huge),
                     "4 cpu free", "4 cpu bound, 0 cpu held for gangs, of 8 cpu", "live"):
            browser.wait_text(part)
        picture(browser, f"now-{scheme}")
        browser.open(f"{api.url}/#/gang/{running.namespace}/{running.driver_name}")
        for part in ("3 reserved: 3 bound, 0 on their way, 0 open", "all executors after", running.application_id):
            browser.wait_text(part)
        picture(browser, f"gang-{scheme}")
        browser.open(f"{api.url}/#/nodes")
        browser.wait_text("2 nodes")
        browser.wait_text("node-1 · CPU: ")
        picture(browser, f"nodes-{scheme}")
        browser.open(f"{api.url}/#/history")
        for part in ("The last six hours", "now: waiting 0, running 1, cannot fit 1", "it has just begun"):
            browser.wait_text(part)
        picture(browser, f"history-{scheme}")
        browser.run("""view.load = async () => {}; view.charts.forEach((chart) => chart.show(
            Array.from({length: 360}, (_, i) => ({atMs: i * 60000, waiting: 3 + Math.round(3 * Math.sin(i / 20)), running: 5 + (i % 7),
                degraded: 0, neverFit: 1, oldestWaitingMs: i * 900, slotsOpen: i % 11, cpuMilliAllocatable: 96000,
                cpuMilliBound: 50000 + 40 * i, cpuMilliHeld: 9000, memoryBytesAllocatable: 4e11, memoryBytesBound: 1e11 + 3e8 * i,
                memoryBytesHeld: 5e10})), 0, 359 * 60000))""")
        assert browser.run("[...document.querySelectorAll('polyline')].every((line) => line.points.numberOfItems === 360)")
        picture(browser, f"history-full-{scheme}")
        browser.open(f"{api.url}/#/config")
        browser.wait_text("leaseDuration: 15s")
        picture(browser, f"config-{scheme}")


def test_two_recordings_are_compared_in_the_browser(browser: Browser, cluster: Cluster) -> None:
    """Nothing is asked for it: the files are read by the page alone."""
    cluster.add_nodes(1)
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", *ANY_API))

    def recording(*waits: tuple[str, int]) -> str:
        lines = [{"recording": 1, "program": "0.1.0"}]
        for name, _ in waits:
            lines.append({"seq": 1, "ms": 1_000, "event": {"pod": {"pod": {
                "namespace": "etl", "name": name, "uid": f"uid-{name}", "labels": [["spark-role", "driver"]]}}}})
        for name, seconds in waits:
            lines += [{"seq": 2, "ms": 1_000 + seconds * 1_000, "event": {"tick": {}}},
                      {"after": 2, "decisions": [{"bind": {"pod": {"namespace": "etl", "name": name}, "startsGang": True}}]}]
        return "\n".join(json.dumps(line) for line in lines) + '\n{"cut'

    def drop(index: int, text: str) -> None:
        browser.run(f"view.read({index}, new File([{json.dumps(text)}], 'a.jsonl'))")
    browser.open(api.url)
    browser.wait_text("No application waits.")
    browser.press("m")
    browser.wait_text("Compare two recordings")
    drop(0, "no recording at all")
    browser.wait_text("a.jsonl is no recording.")
    drop(0, recording(("a", 10), ("b", 100), (WICKED, 5)))
    browser.wait_text("half waited at most")
    drop(1, recording(("a", 10), ("b", 30), ("c", 600)))
    for part in ("etl/c", "not there", "\u221270s", "10m", f"etl/{WICKED}"):
        browser.wait_text(part)
    assert browser.run("document.title") == "gang-scheduler"
    picture(browser, "compare-light")


def test_queues_and_what_if(browser: Browser, scene: tuple[ApiPort, SparkApplication, SparkApplication]) -> None:
    api, _, huge = scene
    for scheme in ("light", "dark"):
        browser.look(scheme=scheme)
        browser.open(api.url)
        browser.wait_text("Running: 1 gang")
        browser.press("u")
        for part in ("everybody is in one", "4 cpu", "no limit, no guarantee"):
            browser.wait_text(part)
        picture(browser, f"queues-{scheme}")
        browser.press("w")
        browser.wait_text("Would a gang of this size fit?")
        browser.press("/")  # the first field
        browser.wait("document.activeElement.name === 'executors'")
        browser.run("document.activeElement.value = '2'")
        browser.press("Enter")
        browser.wait_text("Yes, there is room for it now.")
        browser.wait_text("2 executors")
        assert "executors=2" in browser.run("location.hash")  # a link to send
        picture(browser, f"whatif-{scheme}")
        browser.open(f"{api.url}/#/whatif?executors=5")
        browser.wait_text("Not now.")
        browser.wait_text("3 executors beside the driver would fit now.")
        browser.open(f"{api.url}/#/whatif?executors=50")
        browser.wait_text("Never, as the nodes are.")
        picture(browser, f"whatif-never-{scheme}")
        browser.open(f"{api.url}/#/whatif?executors=lots")
        browser.wait_text('executors: found "lots", expected a number')
    assert huge.driver_name


def test_by_keys_alone(browser: Browser, scene: tuple[ApiPort, SparkApplication, SparkApplication]) -> None:
    api, running, huge = scene
    browser.open(api.url)
    browser.wait_text(name_of(running))
    browser.press("g")
    browser.wait_text("2 gangs")
    browser.press("/")
    browser.type("ExceedsCl")
    browser.wait_text("1 gang\n")
    assert browser.run("location.hash") == "#/gangs?q=ExceedsCl"  # a link to send
    browser.press("Escape")
    browser.press("j")
    browser.press("Enter")
    browser.wait_text("could take gang")
    assert huge.driver_name in browser.run("location.hash")
    browser.press("Escape")
    browser.wait("location.hash === '#/gangs'")
    browser.press("n")
    browser.wait_text("node-1 · CPU: ")
    browser.run("document.querySelector('canvas').focus()")
    browser.press("ArrowRight")
    browser.wait_text("node-2 · CPU: ")
    browser.press("Enter")
    browser.wait("location.hash === '#/node/node-2'")
    browser.wait_text("free; ")
    browser.press("c")
    browser.wait_text("Configuration in effect")
    browser.press("?")
    browser.wait("document.getElementById('help').open")
    browser.press("Escape")
    browser.wait("!document.getElementById('help').open")
    browser.press("h")
    browser.wait_text("Running: 1 gang")


def test_on_a_phone_nothing_is_cut_off(browser: Browser, scene: tuple[ApiPort, SparkApplication, SparkApplication]) -> None:
    api, running, _ = scene
    browser.look(360, 740, "dark")
    for name, part in (("", name_of(running)), ("gangs", "2 gangs"), (f"gang/{running.namespace}/{running.driver_name}", "Slots"),
                       ("nodes", "node-1 · CPU"), ("queues", "no limit"), ("whatif?executors=2", "Yes, there is room"),
                       ("config", "leaseDuration")):
        browser.open(f"{api.url}/#/{name}")
        browser.wait_text(part)
        assert browser.run("document.documentElement.scrollWidth") <= 360, name
        picture(browser, f"phone-{name.partition('/')[0].partition('?')[0] or 'now'}")


def test_names_of_tenants_are_text(cluster: Cluster, browser: Browser) -> None:
    cluster.add_nodes(1)
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", *ANY_API))
    application = sized(Size(executors=1), cluster.default_namespace)
    application.driver["metadata"].setdefault("annotations", {})["gang-scheduler/executors"] = WICKED
    cluster.submit(application)
    cluster.wait_code(application, "Misconfigured")
    for view in ("", "gangs", f"gang/{application.namespace}/{application.driver_name}"):
        browser.open(f"{api.url}/#/{view}")
        browser.wait_text("<script>document.title='taken'</script>")
        assert browser.run("document.title") == "gang-scheduler"
        assert browser.run("document.querySelectorAll('main script, main img, main iframe').length") == 0
    picture(browser, "wicked")
    # What stands in the address comes from others, too.
    browser.open(f"{api.url}/#/gang/{WICKED.replace('/', '%2F')}/x")
    browser.wait_text("<script>document.title=")
    assert browser.run("document.title") == "gang-scheduler"
    browser.errors.clear()


def test_it_follows_what_happens_and_comes_back(cluster: Cluster, browser: Browser) -> None:
    cluster.add_nodes(2)
    listen = ("--leader-elect=false", "--api", f"127.0.0.1:{free_ports(1)[0]}")
    scheduler: Scheduler = cluster.start_scheduler(*listen)
    api = ApiPort(scheduler)
    browser.open(api.url)
    browser.wait_text("No application waits.")
    huge = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    browser.wait_text(name_of(huge))
    cluster.add_nodes(1)
    browser.wait_text("of 12 cpu")
    assert scheduler.terminate() == 0
    browser.wait_text("does not answer")
    time.sleep(1)
    picture(browser, "alone")
    scheduler.restart()
    browser.wait("document.getElementById('trouble').hidden", 20)
    cluster.add_nodes(1)
    browser.wait_text("of 16 cpu")
    assert name_of(huge) in browser.text()
