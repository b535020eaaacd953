"""Health, metrics and the control endpoint, asked by clients that nobody here wrote."""
import http.client
import os
import resource
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault
from support.process.polling import eventually
from support.plane.rig import Rig, binary
from support.plane.served import ANY_PORT, Served
from support.kube.spark_application import Size, sized

ELECT = ("--leader-elect=true", *ANY_PORT)
ALONE = ("--leader-elect=false", *ANY_PORT)
HEADER_SECONDS = 5
CONNECTIONS = 10_000
embedded = pytest.mark.parametrize("rig_name", ["embedded"], indirect=True, scope="session")
real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")


@pytest.fixture
def served(cluster: Cluster) -> Served:
    """A scheduler that is ready, over two nodes."""
    cluster.add_nodes(2)
    found = Served(cluster.start_scheduler(*ALONE))
    eventually(found.is_ready, 10, lambda: f"readiness; failing: {found.failing()}")
    return found


@pytest.fixture
def many_files() -> Iterator[None]:
    """As many descriptors as we may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= CONNECTIONS + 1000, f"only {hard} descriptors allowed; raise the limit (ulimit -Hn)"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_metrics_count_what_the_api_server_saw(cluster: Cluster, served: Served, promlint: Path) -> None:
    application = sized(Size(executors=3), cluster.default_namespace)
    application.work_seconds = 2
    cluster.submit(application)
    eventually(lambda: cluster.is_whole(application), 20, "the whole gang")
    assert served.metric("scheduler_schedule_attempts_total", result="scheduled") == 4
    assert served.metric("scheduler_pod_scheduling_sli_duration_seconds_count") == 4
    assert served.metric("gang_scheduler_gang_wait_seconds_count") == 1
    assert served.metric("gang_scheduler_bind_seconds_count") == 4
    assert served.metric("gang_scheduler_reservation_slots", state="bound") == 3
    assert served.metric("gang_scheduler_gangs", state="Running") == 1
    assert served.metric("gang_scheduler_nodes") == 2
    assert served.metric("leader_election_master_status") == 1
    assert served.metric("rest_client_requests_total", method="POST", code="201") >= 4
    assert 0 < served.metric("process_resident_memory_bytes") < 200e6
    cluster.wait_finished(application)
    eventually(lambda: served.metric("gang_scheduler_gangs", state="Running") == 0, 5, "no gang to run")
    assert served.metric("gang_scheduler_reservation_slots") == 0
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    eventually(lambda: served.metric("gang_scheduler_pending_gangs", code="ExceedsCluster") == 1, 5, "the code")
    assert served.metric("scheduler_pending_pods", queue="unschedulable") == 1
    text = served.get("/metrics").text
    for name in (application.namespace, application.driver_name, application.application_id):
        assert name not in text
    linted = subprocess.run([str(promlint)], input=text, capture_output=True, text=True, timeout=10)
    assert linted.returncode == 0 and not linted.stdout, linted.stdout


@embedded
def test_a_standby_is_ready_and_shows_nothing_of_the_leader(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    first = cluster.start_scheduler(*ELECT)
    leader = Served(first)
    eventually(leader.is_ready, 10, "the leader")
    standby = Served(cluster.start_scheduler(*ELECT))
    eventually(standby.is_ready, 10, "the standby")
    assert leader.metric("leader_election_master_status") == 1
    assert leader.metric("gang_scheduler_nodes") == 1
    assert standby.metric("leader_election_master_status") == 0
    assert standby.metric("gang_scheduler_nodes") == 0
    assert first.terminate() == 0
    eventually(lambda: standby.metric("leader_election_master_status") == 1, 20, "the standby to lead")
    eventually(lambda: standby.metric("gang_scheduler_nodes") == 1, 5, "its nodes")


@embedded
def test_while_it_ends_it_is_alive_but_not_ready(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    proxy = cluster.rig.start_proxy()
    proxy.add(Fault("hold", method="POST", path="/binding$", applied=True))
    scheduler = cluster.rig.start_scheduler(ALONE, kubeconfig=cluster.rig.proxied_kubeconfig(proxy))
    served = Served(scheduler)
    eventually(served.is_ready, 10, "readiness")
    cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    eventually(lambda: proxy.requests("POST", "/binding$"), 10, "a bind in flight")
    assert served.metric("gang_scheduler_writes_waiting") >= 1
    scheduler.process.signal(15)
    eventually(lambda: not served.is_ready(), 2, "no readiness", 0.02)
    assert "shutdown" in served.failing()
    assert served.get("/livez").status_code == 200
    assert scheduler.process.wait(10) == 0


def test_without_the_api_server_it_lives_and_is_not_ready(rig: Rig, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                          "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                          "users: [{name: c, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: c}}]\n")
    scheduler = rig.start_scheduler(ELECT, kubeconfig=kubeconfig)
    served = Served(scheduler)
    assert served.get("/livez").text == "ok"
    assert served.failing() == ["pods-synced", "nodes-synced", "leader-election"]
    assert served.get("/readyz").status_code == 503
    assert served.metric("rest_client_requests_total", code="<error>") >= 2
    scheduler.stop()


@embedded
def test_python_and_curl_understand_it(served: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=5)
    for _ in range(3):  # on one connection
        connection.request("GET", "/livez")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"ok")
    connection.request("HEAD", "/metrics")
    answer = connection.getresponse()
    assert answer.status == 200 and int(answer.headers["Content-Length"]) > 5000 and answer.read() == b""
    connection.close()
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        connection.request(method, "/livez", body=b"x" * 1000 if method == "POST" else None)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD"), method
        assert answer.read() and answer.headers["Connection"] == "close"
    url = f"http://127.0.0.1:{served.port}"
    assert curl(f"{url}/livez", f"{url}/readyz?verbose", f"{url}/metrics").startswith("ok[+]ping ok\n")
    assert "200 OK" in curl("--head", f"{url}/livez")
    status = ("-o", "/dev/null", "-w", "%{http_code}")
    assert curl(*status, f"{url}/<script>") == "404"
    assert curl(*status, "-H", "X: " + "x" * 20_000, f"{url}/livez") == "431"
    assert curl(*status, "-X", "GET", "-d", "body", f"{url}/livez") == "413"


@embedded
def test_the_control_endpoint_on_a_unix_socket(cluster: Cluster, tmp_path: Path) -> None:
    folder = Path("/tmp") / f"gs-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    path = folder / "control.sock"
    cluster.add_nodes(1)
    scheduler = cluster.start_scheduler("--leader-elect=false", "--control", f"unix:{path}")
    eventually(path.exists, 10, "the socket")
    assert path.stat().st_mode & 0o777 == 0o600
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    assert waiting.driver_name in curl("--unix-socket", str(path), "http://localhost/gangs")
    said = subprocess.run([str(binary()), "why", waiting.driver_name, "--control", f"unix:{path}"],
                          capture_output=True, text=True, timeout=10)
    assert "ExceedsCluster" in said.stdout, said
    scheduler.kill()
    scheduler.restart()  # the file that the killed one left is no obstacle
    eventually(lambda: "waiting" in curl("--unix-socket", str(path), "http://localhost/gangs", check=False).lower()
               or waiting.driver_name in curl("--unix-socket", str(path), "http://localhost/gangs", check=False),
               10, "an answer of the second")
    assert scheduler.terminate() == 0
    assert not path.exists()
    shutil.rmtree(folder)


@embedded
def test_slow_ones_are_cut_off_while_others_are_served(served: Served) -> None:
    begun = time.monotonic()
    silent = [connect(served) for _ in range(20)]
    slow = [connect(served) for _ in range(20)]
    for each in slow:
        each.sendall(b"GET /livez HTTP/1.1\r\n")
    for _ in range(3):  # a line now and then is no reason to wait longer
        time.sleep(1)
        for each in slow:
            each.sendall(b"X: y\r\n")
        assert served.get("/livez").text == "ok"
    for each in silent + slow:
        each.settimeout(3 * HEADER_SECONDS)
        assert each.recv(100) == b""
    assert time.monotonic() - begun < 3 * HEADER_SECONDS
    assert served.get("/livez").text == "ok"


@embedded
def test_ten_thousand_connections(cluster: Cluster, served: Served, many_files: None) -> None:
    """They neither keep a probe out, nor eat descriptors or memory, nor stop the scheduling."""
    sockets = [connect(served) for _ in range(CONNECTIONS)]
    application = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    assert served.get("/livez").text == "ok"
    assert served.metric("process_open_fds") < 150
    assert served.metric("process_resident_memory_bytes") < 60e6 or "debug" in str(binary())
    cluster.wait_finished(application)
    for each in sockets:
        each.close()
    assert served.is_ready()


def connect(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=10)


def curl(*arguments: str, check: bool = True) -> str:
    result = subprocess.run(["curl", "--silent", "--show-error", "--max-time", "5", "--noproxy", "*", *arguments],
                            capture_output=True, text=True, timeout=20)
    assert result.returncode == 0 or not check, result.stderr
    return result.stdout
