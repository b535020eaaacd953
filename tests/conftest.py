"""Fixtures of all Python tests: the two rigs, a cluster per test, and a bound on every test's time."""
import os
import signal
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest

from support.plane.audit import lacking
from support.plane.chart import USER, Rights
from support.kube.cluster import Cluster
from support.process.processes import remove_scratch_folders
from support.process.programs import PLANES, programs
from support.kube.provisioner import Provisioner
from support.plane.real_plane import RealPlane
from support.plane.rig import EmbeddedRig, Rig, binary

TEST_SECONDS_MAX = 60
RIGS = ("embedded", "real")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("embedded", "real", "own"),
                     help="only the tests of this rig; `own`: those that name none, and start what they need. With "
                          "--plane these go with the real one")
    parser.addoption("--plane", choices=PLANES, help=f"the version of Kubernetes of the real rig, {PLANES[0]} if not said")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--plane"):
        os.environ["GANG_PLANE"] = config.getoption("--plane")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """These parts share nothing, so that their runs may go on at the same time."""
    part = config.getoption("--part")
    if part is None:
        return

    others = "real" if config.getoption("--plane") else "own"

    def part_of(item: pytest.Item) -> str:
        call = getattr(item, "callspec", None)
        return call.params.get("rig_name", others) if call else others
    config.hook.pytest_deselected(items=[item for item in items if part_of(item) != part])
    items[:] = [item for item in items if part_of(item) == part]


class Rigs:
    """Starts a rig when it is first asked for, and again when a test has brought it down."""

    def __init__(self) -> None:
        self._running: dict[str, Rig] = {}

    def get(self, name: str) -> Rig:
        rig = self._running.get(name)
        if rig is None or not rig.is_running():
            self.stop(name)
            rig = self._running[name] = self._start(name)
        return rig

    def stop(self, name: str) -> None:
        """The scheduler has been refused nothing there."""
        rig = self._running.pop(name, None)
        if rig is None:
            return
        rig.stop()
        if isinstance(rig, RealPlane):
            refused = lacking(event for server in rig.servers for event in server.audited(USER))
            assert not refused, f"the chart's rights lack {refused[:20]}"

    def stop_all(self) -> None:
        for name in list(self._running):
            self.stop(name)

    def _start(self, name: str) -> Rig:
        if name == "embedded":
            return EmbeddedRig()
        rights = Rights.render()
        plane = RealPlane(audit=True)
        plane.use_chart(rights)
        return plane


@pytest.fixture(scope="session")
def rigs() -> Iterator[Rigs]:
    assert binary().exists(), f"{binary()} is missing: run `make build`"
    holder = Rigs()
    yield holder
    holder.stop_all()


@pytest.fixture(params=RIGS, scope="session")
def rig_name(request: pytest.FixtureRequest) -> str:
    """Of session scope, so that pytest runs all tests of one rig before those of the other."""
    return request.param


@pytest.fixture
def rig(rigs: Rigs, rig_name: str) -> Rig:
    return rigs.get(rig_name)


@pytest.fixture
def make_plane() -> Iterator[Callable[..., RealPlane]]:
    """Starts real planes with options (see RealPlane) that this test alone uses."""
    made: list[RealPlane] = []

    def make(**options: Any) -> RealPlane:
        made.append(RealPlane(**options))
        return made[-1]

    yield make
    for plane in made:
        plane.stop()


@pytest.fixture(scope="session")
def helm() -> Path:
    """The program."""
    return programs("helm") / "helm"


@pytest.fixture(scope="session")
def kubectl_program() -> Path:
    return programs("kubectl") / "kubectl"


@pytest.fixture(scope="session")
def promlint() -> Path:
    """A program that reads metrics from its standard input; exit code 0 when nothing is wrong with them."""
    return programs("promlint") / "promlint"


@pytest.fixture(scope="session")
def promtool() -> Path:
    return programs("prometheus") / "promtool"


@pytest.fixture
def cluster(rig: Rig, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """An empty cluster on the rig; judged (referee and history) when the test has passed."""
    made = Cluster(rig)
    yield made
    report = getattr(request.node, "call_report", None)
    made.close(judge=report is not None and report.passed)


@pytest.fixture
def make_provisioner(cluster: Cluster) -> Iterator[Callable[..., Provisioner]]:
    """Starts provisioners of the cluster's volumes; each is stopped and checked at the end."""
    made: list[Provisioner] = []

    def make(**options: Any) -> Provisioner:
        made.append(Provisioner(cluster.rig, **options))
        return made[-1]

    yield make
    for provisioner in made:
        provisioner.stop()
    for provisioner in made:
        provisioner.check()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Lets fixtures see how their test went, and shows the scheduler's last words of a failed one."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.when != "call":
        return
    item.call_report = report  # type: ignore[attr-defined]
    rig = getattr(item, "funcargs", {}).get("rig")
    if report.failed and rig is not None:
        for number, scheduler in enumerate(rig.schedulers):
            report.sections.append((f"scheduler {number}", scheduler.output()[-5000:]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.testsfailed == 0:
        remove_scratch_folders()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """No test hangs: an alarm interrupts it."""
    marker = item.get_closest_marker("bound")
    seconds = marker.args[0] if marker else TEST_SECONDS_MAX

    def on_alarm(number: int, frame: object) -> None:
        raise TimeoutError(f"the test took longer than {seconds} s")

    previous = signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
