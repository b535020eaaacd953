"""The page's JSON, asked by clients that nobody here wrote; the page itself is in test_page.py."""
import http.client
import json
import socket
import time
from pathlib import Path
from typing import Iterator

import pytest
import requests

from support.plane.api_port import ANY_API, ApiPort, check
from support.kube.cluster import Cluster
from support.plane.exposed import Exposed, own_address
from support.process.polling import eventually
from support.process.ports import free_ports
from support.plane.rig import Rig
from support.kube.spark_application import Size, sized

ALONE = ("--leader-elect=false", *ANY_API)
ELECT = ("--leader-elect=true", *ANY_API)
HEADER_SECONDS = 5
embedded = pytest.mark.parametrize("rig_name", ["embedded"], indirect=True, scope="session")
real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")


@pytest.fixture
def api(cluster: Cluster) -> ApiPort:
    """Of a scheduler that knows its two nodes."""
    cluster.add_nodes(2)
    found = ApiPort(cluster.start_scheduler(*ALONE))
    eventually(lambda: found.get("/api/v1/summary").status_code == 200 and found.ask("summary")["nodes"] == 2, 10,
               "a leader with both nodes")
    return found


def test_the_answers_are_what_their_schema_says(cluster: Cluster, api: ApiPort) -> None:
    running = sized(Size(executors=3), cluster.default_namespace)
    running.work_seconds = 8
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 20, "a gang that runs")
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    summary = eventually(lambda: (found := api.ask("summary"))["gangs"]["Parked"] == 1 and found, 5, "the parked gang")
    assert summary["gangs"]["Running"] == 1 and summary["waiting"] == 0 and summary["from"] == "leader"
    assert summary["room"]["cpuMilli"]["allocatable"] == 8000 and summary["room"]["cpuMilli"]["bound"] == 4000
    assert {gang["driver"] for gang in api.ask("gangs")["gangs"]} == {running.driver_name, waiting.driver_name}
    only = api.ask(f"gangs?state=Parked&namespace={cluster.default_namespace}&limit=1")
    assert [gang["code"] for gang in only["gangs"]] == ["ExceedsCluster"] and only["total"] == 1
    one = api.ask(f"gangs/{waiting.namespace}/{waiting.driver_name}")
    said = api.get(f"/api/v1/gangs/{waiting.namespace}/{waiting.driver_name}?format=text")
    assert "even if they were empty" in one["text"] and "Reason: ExceedsCluster" in said.text
    assert said.headers["Content-Type"] == "text/plain; charset=utf-8"
    executor = cluster.executors(running)[0]["metadata"]["name"]
    whole = api.ask(f"gangs/{running.namespace}/{executor}")["gang"]
    assert whole["isExecutor"] and whole["driver"] == running.driver_name and sum(whole["slotsPerNode"].values()) == 3
    nodes = api.ask("nodes")["nodes"]
    assert [node["name"] for node in nodes] == ["node-1", "node-2"] and all(node["addsUp"] for node in nodes)
    assert api.ask("nodes/node-1")["node"]["name"] == "node-1"
    assert api.ask("config")["config"]["api"]["enabled"] is True
    for path in api.ask("")["paths"]:
        assert path.startswith("/api/v1/")
    assert "no node" in api.ask("nodes/node-9", 404)["error"]
    assert "no parameter" in api.ask("gangs?colour=red", 400)["error"]


def test_off_unless_it_is_switched_on(cluster: Cluster) -> None:
    scheduler = cluster.start_scheduler("--leader-elect=false")
    eventually(lambda: '"leading"' in scheduler.output(), 10, "a leader")
    assert "page and API" not in scheduler.output()


@embedded
def test_one_port_for_two_is_refused_at_the_start(cluster: Cluster) -> None:
    scheduler = cluster.start_scheduler("--server", "127.0.0.1:10399", "--api", ":10399")
    assert scheduler.process.wait(10) == 2
    assert "api.listen: found \":10399\", whose port server.listen has, too" in scheduler.output()
    bad = cluster.start_scheduler("--api", "gangs.example:80")
    assert bad.process.wait(10) == 2 and "--api: found" in bad.output()


@embedded
def test_no_verb_writes(api: ApiPort) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=5)
    for path in ("/", "/api/v1/gangs", "/api/v1/gangs/etl/a", "/api/v1/config", "/api/v1/events"):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            connection.request(method, path, body=b"x" * 1000 if method == "POST" else None)
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD"), (method, path)
            check(json.loads(answer.read()))
    connection.request("HEAD", "/api/v1/gangs")
    answer = connection.getresponse()
    assert answer.status == 200 and int(answer.headers["Content-Length"]) > 50 and answer.read() == b""


@embedded
def test_other_names_and_other_pages_are_refused(cluster: Cluster, api: ApiPort, tmp_path: Path) -> None:
    for host in ("evil.example", f"evil.example:{api.port}", "127.0.0.1.evil.example", ""):
        for path in ("/", "/api/v1/gangs", "/api/v1/events"):
            answer = api.get(path, Host=host)
            assert answer.status_code == 421 and "api.hosts" in answer.json()["error"], (host, path)
    for origin in ("http://evil.example", "null"):
        assert api.get("/api/v1/gangs", Origin=origin).status_code == 403
    assert api.get("/api/v1/gangs", Origin=api.url).status_code == 200
    assert api.get("/api/v1/gangs", Host="localhost:8080").status_code == 200
    config = tmp_path / "config.yaml"
    config.write_text("api: {enabled: true, listen: '127.0.0.1:0', hosts: [gangs.example.com]}\n")
    named = ApiPort(cluster.start_scheduler("--leader-elect=false", "--config", str(config)))
    assert named.get("/", Host="gangs.example.com").status_code == 200
    assert named.get("/", Host="other.example.com").status_code == 421


@embedded
def test_every_answer_has_its_fields(api: ApiPort) -> None:
    for path in ("/", "/page.js", "/api/v1/summary", "/api/v1/nothing", "/nothing"):
        headers = api.get(path).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'"), path
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Frame-Options"] == "DENY"
        assert "Access-Control-Allow-Origin" not in headers and "Server" not in headers


@embedded
def test_what_is_too_long_or_too_slow(api: ApiPort) -> None:
    assert api.get("/api/v1/gangs", X="x" * 20_000).status_code == 431
    too_long = api.get("/api/v1/gangs?q=" + "x" * 20_000)
    assert too_long.status_code == 431
    check(too_long.json())
    begun = time.monotonic()
    slow = [socket.create_connection(("127.0.0.1", api.port), timeout=3 * HEADER_SECONDS) for _ in range(80)]
    for each in slow:
        try:
            each.sendall(b"GET /api/v1/gangs HTTP/1.1\r\n")
        except OSError:
            pass  # it has made room for a later one
    assert api.ask("summary")["nodes"] == 2
    for each in slow:
        try:
            assert each.recv(100) == b""
        except ConnectionResetError:
            pass
    assert time.monotonic() - begun < 2 * HEADER_SECONDS + 5


@embedded
def test_a_reader_who_does_not_read_holds_up_nobody(cluster: Cluster, api: ApiPort) -> None:
    deaf = socket.create_connection(("127.0.0.1", api.port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.sendall(b"GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
    application = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    cluster.wait_finished(application)
    assert api.ask("summary")["from"] == "leader"
    deaf.close()


@embedded
def test_names_of_tenants_stay_what_they_are(cluster: Cluster, api: ApiPort) -> None:
    """In JSON; that a browser makes text of them is tested in test_page.py."""
    application = sized(Size(executors=1), cluster.default_namespace)
    wicked = "</script><script>alert(1)</script>\u2028\"\\\n<img src=x onerror=alert(2)>"
    application.driver["metadata"].setdefault("annotations", {})["gang-scheduler/executors"] = wicked
    cluster.submit(application)
    cluster.wait_code(application, "Misconfigured")
    gang = eventually(lambda: [g for g in api.ask("gangs")["gangs"] if g["driver"] == application.driver_name], 5, "it")
    assert "<script>alert(1)</script>" in gang[0]["message"] and "\n" not in gang[0]["message"]
    answer = api.get(f"/api/v1/gangs/{application.namespace}/{application.driver_name}?format=text")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"


@embedded
def test_a_standby_says_who_leads(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    first = cluster.start_scheduler(*ELECT)
    leader = ApiPort(first)
    eventually(lambda: leader.get("/api/v1/summary").status_code == 200, 10, "the leader")
    standby = ApiPort(cluster.start_scheduler(*ELECT))
    name = leader.ask("summary")["leader"]
    eventually(lambda: standby.ask("summary", 503)["leader"] == name, 10, "the standby to know who leads")
    for path in ("gangs", "nodes", "config", "events", "gangs/etl/a"):
        error = standby.ask(path, 503)
        assert error["from"] == "standby" and f"{name} leads" in error["error"], path
    assert standby.get("/").status_code == 200
    assert first.terminate() == 0
    eventually(lambda: standby.get("/api/v1/summary").status_code == 200, 20, "the standby to lead")
    assert standby.ask("summary")["leader"] != name


@embedded
def test_a_standby_asks_the_leader(cluster: Cluster) -> None:
    """It passes on neither streams nor callers' tokens, nor what another standby passes on to it."""
    cluster.add_nodes(1)
    ports = free_ports(2)
    schedulers = []
    apis = []
    for port in ports:
        schedulers.append(cluster.start_scheduler("--leader-elect=true", "--api", f"127.0.0.1:{port}"))
        apis.append(ApiPort(schedulers[-1]))
        eventually(lambda: apis[0].get("/api/v1/summary").status_code == 200, 10, "the leader")
    leader, standby = apis
    eventually(lambda: standby.get("/api/v1/summary").status_code == 200, 10, "an answer by the standby")
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    eventually(lambda: leader.ask("gangs?q=ExceedsCluster")["total"] == 1, 10, "the picture that has it")
    for path in ("summary", "nodes", "gangs?state=Parked", f"gangs/{cluster.default_namespace}/{waiting.driver_name}"):
        told, first_hand = standby.ask(path), leader.ask(path)
        assert told["from"] == "leader" and told["leader"] == first_hand["leader"], told
        for answer in (told, first_hand):
            answer.pop("asOfMs")
            answer.pop("text", None)
        assert told == first_hand, path
    text = standby.get("/api/v1/gangs?format=text")
    assert "gang-scheduler-standby" in text.headers["Via"] and "ExceedsCluster" in text.text, text.headers
    assert text.headers["Content-Type"].startswith("text/plain")
    assert "Via" not in leader.get("/api/v1/gangs").headers
    assert standby.ask("gangs?colour=red", 400)["error"] == leader.ask("gangs?colour=red", 400)["error"]

    assert standby.ask("events", 503)["from"] == "standby"
    for field in ({"Authorization": "Bearer secret"}, {"Sec_Gang_Scheduler": "standby"}):
        assert standby.get("/api/v1/summary", **field).status_code == 503, field
    assert standby.get("/api/v1/summary", Host="evil.example").status_code == 421

    lease = next(path for namespace in cluster.api.items("/api/v1/namespaces")
                 for path in [f"/apis/coordination.k8s.io/v1/namespaces/{namespace['metadata']['name']}/leases/gang-scheduler"]
                 if cluster.api.find(path))
    (unused,) = free_ports(1)
    for address in (f"127.0.0.1:{unused}", "evil.example:80", "0.0.0.0:80", "unix:/tmp/x", "x" * 5000, ""):
        cluster.api.patch(lease, {"metadata": {"annotations": {"gang-scheduler/api": address}}})
        eventually(lambda: standby.get("/api/v1/summary").status_code == 503, 10, f"no answer from {address[:20]!r}")
    cluster.api.patch(lease, {"metadata": {"annotations": {"gang-scheduler/api": f"127.0.0.1:{ports[0]}"}}})
    eventually(lambda: standby.get("/api/v1/summary").status_code == 200, 10, "the leader's answer again")

    schedulers[0].kill()
    eventually(lambda: standby.get("/api/v1/summary").status_code == 200, 30, "the standby to lead")
    assert "Via" not in standby.get("/api/v1/summary").headers
    annotations = cluster.api.get(lease)["metadata"]["annotations"]
    assert annotations["gang-scheduler/api"] == f"127.0.0.1:{ports[1]}"


class Events:
    """An open stream of server-sent events."""

    def __init__(self, api: ApiPort, last_id: str = "") -> None:
        self._response = requests.get(api.url + "/api/v1/events", stream=True, timeout=20, proxies={"http": ""},
                                      headers={"Last-Event-ID": last_id} if last_id else {})
        self.status = self._response.status_code
        self._lines: Iterator[str] = self._response.iter_lines(chunk_size=1, decode_unicode=True)

    def next(self) -> tuple[str, dict]:
        """The id and the data of the next event."""
        found: dict[str, str] = {}
        for line in self._lines:
            key, _, value = line.partition(": ")
            found[key] = value
            if not line and "data" in found:
                assert found["event"] == "summary"
                return found["id"], json.loads(found["data"])
        raise AssertionError("the stream has ended")

    def close(self) -> None:
        self._response.close()


@embedded
def test_events_come_when_something_changes(cluster: Cluster, api: ApiPort) -> None:
    events = Events(api)
    first, summary = events.next()
    check(summary)
    assert summary["nodes"] == 2
    cluster.add_nodes(1)
    second, summary = events.next()
    assert second != first and summary["nodes"] == 3
    again = Events(api, last_id=second)  # has seen that before its connection broke
    cluster.add_nodes(1)
    assert again.next()[1]["nodes"] == 4
    more = [Events(api) for _ in range(19)]
    assert [each.status for each in more].count(503) == 1  # twenty may watch
    for each in (events, again, *more):
        each.close()
    eventually(lambda: api.get("/api/v1/nodes").status_code == 200, 5, "the others to be served")


@real
def test_through_the_api_servers_service_proxy(cluster: Cluster, rig: Rig) -> None:
    """As `kubectl get --raw` asks. The API server hands on the name by which it was asked itself."""
    cluster.add_nodes(1)
    address = own_address()
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", "--api", f"{address}:0"))
    exposed = Exposed(rig, address, [api.port])
    try:
        answer = eventually(lambda: exposed.get("api/v1/summary"), 10, "an answer through the API server")
        check(answer.json())
        page = exposed.get("")
        assert page is not None and "page.js" in page.text and exposed.path not in page.text.replace("href=\"#", "")
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    finally:
        exposed.remove()
