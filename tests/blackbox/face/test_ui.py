"""`ui`: the page through the user's own kubeconfig and the API server; and `demo --ui`."""
import json
import re
import socket
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
import requests

from support.plane.api_port import ANY_API, ApiPort, check
from support.plane.chart import NAMESPACE
from support.kube.cluster import Cluster
from support.plane.exposed import PORT, SERVICE, Exposed, own_address
from support.process.polling import eventually
from support.process.processes import Process
from support.plane.real_plane import RealPlane
from support.plane.rig import ROOT, Rig, binary
from support.kube.spark_application import Size, sized

real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
embedded = pytest.mark.parametrize("rig_name", ["embedded"], indirect=True, scope="session")
FLAGS = ("--namespace", NAMESPACE, "--service", SERVICE, "--port", PORT)
VIEWER = "page-viewer"


def get(url: str, **headers: str) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.get(url, timeout=20, proxies={"http": ""}, headers=named)


def address_in(process: Process) -> str:
    """Of the page, from what was printed."""
    found = eventually(lambda: re.search(r"http://127[.]0[.]0[.]1:[0-9]+", process.output()), 20,
                       lambda: f"an address in {process.output()!r}")
    return found.group(0)


@pytest.fixture
def viewer(rig: Rig) -> Iterator[Path]:
    """The kubeconfig of somebody who may see the page, by the chart's Role, and nothing else."""
    assert isinstance(rig, RealPlane)
    base = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
    account = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
    rig.api.post(account, {"metadata": {"name": VIEWER}})
    rig.api.post(f"{base}/roles", {"metadata": {"name": VIEWER}, "rules": [
        {"apiGroups": [""], "resources": ["services/proxy"], "verbs": ["get"],
         "resourceNames": [f"http:{SERVICE}:{PORT}", f"{SERVICE}:{PORT}"]}]})
    rig.api.post(f"{base}/rolebindings", {
        "metadata": {"name": VIEWER}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": VIEWER},
        "subjects": [{"kind": "ServiceAccount", "name": VIEWER, "namespace": NAMESPACE}]})
    yield rig.token_kubeconfig(NAMESPACE, VIEWER)
    for path in (f"{base}/rolebindings", f"{base}/roles", account):
        rig.api.delete(f"{path}/{VIEWER}")


@real
def test_the_page_through_a_kubeconfig(cluster: Cluster, rig: Rig, viewer: Path, kubectl_program: Path,
                                       tmp_path: Path) -> None:
    """Two replicas behind the Service: the standby's answers are not taken for the leader's."""
    cluster.add_nodes(2)
    address = own_address()
    elect = ("--leader-elect=true", "--api", f"{address}:0")
    leader = ApiPort(cluster.start_scheduler(*elect))
    eventually(lambda: leader.get("/api/v1/summary").status_code == 200, 20, "a leader")
    standby = ApiPort(cluster.start_scheduler(*elect))
    eventually(lambda: "leads" in standby.get("/api/v1/summary").text, 20, "a standby that knows who leads")
    exposed = Exposed(rig, address, [leader.port, standby.port])
    ui = None
    try:
        eventually(lambda: exposed.get("api/v1/summary"), 20, "endpoints")
        ui = Process([str(binary()), "ui", "--kubeconfig", str(viewer), *FLAGS], tmp_path / "ui.log")
        url = address_in(ui)
        assert f"led by {leader.ask('summary')['leader']}" in ui.output()
        for _ in range(10):
            answer = get(f"{url}/api/v1/summary")
            assert answer.status_code == 200
            check(answer.json())
        huge = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
        cluster.wait_code(huge, "ExceedsCluster")
        assert get(f"{url}/api/v1/gangs?q=ExceedsCluster").json()["total"] == 1
        one = f"{url}/api/v1/gangs/{huge.namespace}/{huge.driver_name}"
        assert "Reason: ExceedsCluster" in get(f"{one}?format=text").text
        assert get(f"{url}/api/v1/history").json()["kind"] == "History"
        plugin = [str(ROOT / "charts/kubectl-plugin/kubectl-gangs")]
        there = {"KUBECTL": f"{kubectl_program} --kubeconfig {viewer}", "GANG_SCHEDULER_NAMESPACE": NAMESPACE,
                 "GANG_SCHEDULER_SERVICE": SERVICE, "PATH": "/usr/bin:/bin"}
        table = subprocess.run(plugin, env=there, capture_output=True, text=True, timeout=60)
        assert table.returncode == 0 and huge.driver_name in table.stdout and "ExceedsCluster" in table.stdout, table
        why = subprocess.run([*plugin, "why", f"{huge.namespace}/{huge.driver_name}"], env=there, capture_output=True,
                             text=True, timeout=60)
        assert why.returncode == 0 and "Reason: ExceedsCluster" in why.stdout, why
        for wrong, code in ((["why", "a/../../x b"], 2), (["why", "etl/nobody"], 1), (["-o", "xml"], 2)):
            refused = subprocess.run([*plugin, *wrong], env=there, capture_output=True, text=True, timeout=60)
            assert refused.returncode == code and "kubectl gangs: " in refused.stderr, (wrong, refused)
        page = get(url + "/")
        assert "page.js" in page.text and "script-src 'self'" in page.headers["Content-Security-Policy"]
        assert get(f"{url}/api/v1/gangs/etl/nobody").status_code == 404
        # Nobody else's page, and nothing else of the cluster.
        assert get(f"{url}/api/v1/summary", Host="evil.example").status_code == 421
        assert get(f"{url}/api/v1/summary", Origin="http://evil.example").status_code == 403
        for path in ("/api/v1/..%2f..%2f..%2fpods", "/apis", "/version"):
            assert get(url + path).status_code == 404
        assert requests.post(f"{url}/api/v1/gangs", timeout=10, proxies={"http": ""}).status_code == 405
        events = requests.get(f"{url}/api/v1/events", stream=True, timeout=20, proxies={"http": ""})
        lines = events.iter_lines(chunk_size=1, decode_unicode=True)
        assert "event: summary" in [next(lines) for _ in range(4)]
        cluster.add_nodes(1)
        assert any('"nodes":3' in line for line in lines)
        events.close()
        ui.signal(2)
        assert ui.wait(10) == 0
    finally:
        if ui is not None:
            ui.stop()
        exposed.remove()


@real
def test_the_verbs_ask_the_leader_from_anywhere(cluster: Cluster, rig: Rig, viewer: Path, tmp_path: Path) -> None:
    """Who may see the page, and not one pod, sees the line; who may not is told what it takes."""
    cluster.add_nodes(1)
    address = own_address()
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", "--api", f"{address}:0"))
    first, second = (cluster.submit(sized(Size(executors=count), cluster.default_namespace)) for count in (4, 5))
    for each in (first, second):
        cluster.wait_code(each, "ExceedsCluster")
    cluster.api.patch(second.driver_path, {"metadata": {"labels": {"spark-app-name": "nightly-sales"}}})
    exposed = Exposed(rig, address, [api.port])

    def ask(*arguments: str, who: Path = viewer,
            service: str = f"{NAMESPACE}/{SERVICE}:{PORT}") -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(binary()), *arguments, "--control", "none", "--kubeconfig", str(who),
                               *(["--service", service] if service else [])], capture_output=True, text=True, timeout=30)

    try:
        eventually(lambda: exposed.get("api/v1/summary"), 10, "an answer through the API server")
        told = ask("gangs", "-A", "-o", "json")
        assert told.returncode == 0 and not told.stderr, told
        listed = json.loads(told.stdout)
        assert listed["source"] == "daemon" and listed["server"] == rig.url, listed
        assert {gang["driver"]: gang["needs"]["cpuMilli"] for gang in listed["gangs"]} == {
            first.driver_name: 5000, second.driver_name: 6000}
        for question in (f"{cluster.default_namespace}/{second.driver_name}", "nightly-sales", second.application_id):
            why = ask("why", question)
            assert why.returncode == 4 and not why.stderr and ", called nightly-sales" in why.stdout, why
            assert "daemon's control endpoint" not in why.stdout
        assert json.loads(ask("queues", "-o", "json").stdout)["queues"][0]["waiting"] == 0
        (node,) = json.loads(ask("nodes", "-o", "json").stdout)["nodes"]
        assert node["name"] == "node-1" and node["units"] == [], node
        assert "Nothing is bound or held there." in ask("nodes", "node-1").stdout
        picture = ask("top", "-A")
        assert picture.returncode == 0 and second.driver_name[:20] in picture.stdout, picture
        unknown = ask("why", f"{cluster.default_namespace}/nobody")
        assert unknown.returncode == 1 and "forbidden" in unknown.stderr, unknown

        refused = ask("gangs", "-A", service=f"{NAMESPACE}/other")
        assert refused.returncode == 1 and f"get services/proxy of {NAMESPACE}/other:api sees the line" in refused.stderr
        admin = rig.kubeconfig
        for service in ("", "none", f"{NAMESPACE}/other"):
            pods_alone = ask("gangs", "-A", "-o", "json", who=admin, service=service)
            assert pods_alone.returncode == 0 and not pods_alone.stderr, pods_alone
            assert json.loads(pods_alone.stdout)["source"] == "api-server"
        life = ask("timeline", f"{cluster.default_namespace}/{second.driver_name}", "-o", "json", who=admin)
        assert "Sized" in [entry["step"] for entry in json.loads(life.stdout)["entries"]], life
        wrong = ask("gangs", service="gang-scheduler")
        assert wrong.returncode == 2 and "expected NAMESPACE/NAME" in wrong.stderr, wrong
    finally:
        exposed.remove()


@real
def test_what_is_missing_is_said(cluster: Cluster, rig: Rig, viewer: Path) -> None:
    cluster.add_nodes(1)
    assert isinstance(rig, RealPlane)

    def said(*arguments: str) -> str:
        result = subprocess.run([str(binary()), "ui", *arguments], capture_output=True, text=True, timeout=20)
        assert result.returncode == 1 and result.stdout == "", result
        return result.stderr
    assert "no endpoints available" in said("--kubeconfig", str(rig.kubeconfig), *FLAGS) or \
        "not found; is there a Service gangs-page with a port api in namespace gang-system" in \
        said("--kubeconfig", str(rig.kubeconfig), *FLAGS)
    assert "`get` of services/proxy is needed (docs/reference/api.md)" in \
        said("--kubeconfig", str(viewer), "--service", "other")


@pytest.fixture
def taken_ports() -> Iterator[None]:
    """The default ports of health and control are somebody else's."""
    sockets = []
    for port in (10351, 10352):
        one = socket.socket()
        try:
            one.bind(("127.0.0.1", port))
            one.listen()
        except OSError:
            pass  # so they are already
        sockets.append(one)
    yield
    for one in sockets:
        one.close()


@embedded
def test_the_demo_with_its_page(rig: Rig, tmp_path: Path, taken_ports: None) -> None:
    demo = Process([str(binary()), "demo", "--ui"], tmp_path / "demo.log")
    try:
        url = address_in(demo)
        eventually(lambda: try_get(url), 10, "the page")
        assert "page.js" in get(url + "/").text
        stuck = eventually(lambda: (found := try_get(url)) and found["waiting"] > 0 and found, 30, "pods that wait")
        assert stuck["room"]["cpuMilli"]["allocatable"] == 12_000
        eventually(lambda: "The page stays until Ctrl-C" in demo.output(), 55, "the end")
        eventually(lambda: try_get(url)["waiting"] == 0, 10, "nobody to wait")
        demo.signal(2)
        assert demo.wait(10) == 0
        assert "not served" not in demo.output()
    finally:
        demo.stop()


def try_get(url: str) -> dict:
    """The summary, or nothing between the demo's two halves."""
    try:
        return get(f"{url}/api/v1/summary").json()
    except requests.ConnectionError:
        return {}
