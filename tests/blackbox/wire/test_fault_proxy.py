"""The fault proxy itself: what each fault shows to the client, and what the server has seen of it."""
import socket
import ssl
import threading
import time
from typing import Callable, Iterator
from urllib.parse import urlsplit

import pytest
import requests

from support.client.api import Api, ApiError, Json
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault, FaultProxy
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

POST = dict(method="POST", path="/configmaps$")
BROKEN = requests.ConnectionError


@pytest.fixture
def proxy(cluster: Cluster) -> FaultProxy:
    return cluster.rig.start_proxy()


@pytest.fixture
def api(cluster: Cluster, proxy: FaultProxy) -> Api:
    """Through the proxy."""
    return Api(cluster.rig.proxied_kubeconfig(proxy))


@pytest.fixture
def maps(cluster: Cluster) -> str:
    return f"/api/v1/namespaces/{cluster.default_namespace}/configmaps"


def test_without_a_fault_it_is_not_there(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str) -> None:
    large = {"data": {"key": "x" * 900_000}}
    created = api.post(maps, named("plain", **large))
    assert api.get(f"{maps}/plain") == cluster.api.get(f"{maps}/plain") == created
    with pytest.raises(ApiError) as caught:
        api.post(maps, named("plain"))
    assert caught.value.status == 409
    assert [seen["status"] for seen in proxy.requests(path=maps)] == [201, 200, 409]
    watch = api.websocket(f"{maps}?watch=true&fieldSelector=metadata.name%3Dplain")
    assert watch.read_event()["object"] == created
    watch.close()


@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize("abrupt", [False, True])
def test_a_reset_and_what_the_server_has_seen(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str,
                                              applied: bool, abrupt: bool) -> None:
    fault = proxy.add(Fault("reset", count=1, skip=1, applied=applied, abrupt=abrupt, **POST))
    api.post(maps, named("before"))
    with pytest.raises(BROKEN):
        api.post(maps, named("struck"))
    assert fault.fired() == 1
    assert (cluster.api.find(f"{maps}/struck") is not None) == applied
    api.post(maps, named("after"))


@pytest.mark.parametrize("applied", [False, True])
def test_half_open_says_nothing(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str,
                                applied: bool) -> None:
    fault = proxy.add(Fault("half_open", count=1, applied=applied, **POST))
    with pytest.raises(requests.ReadTimeout):
        api.request("POST", maps, named("struck"), timeout=0.7)
    fault.wait_fired()
    if applied:
        eventually(lambda: cluster.api.find(f"{maps}/struck"), 10, "the request to be carried out", 0.02)
    else:
        assert cluster.api.find(f"{maps}/struck") is None


def test_held_back_until_released(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str) -> None:
    """The request arrives even when its sender has gone meanwhile: as a packet on its way would."""
    fault = proxy.add(Fault("hold", count=1, **POST))
    with pytest.raises(requests.ReadTimeout):
        api.request("POST", maps, named("late"), timeout=0.5)
    fault.wait_waiting()
    assert cluster.api.find(f"{maps}/late") is None
    fault.release()
    eventually(lambda: cluster.api.find(f"{maps}/late"), 5, "the held request to arrive", 0.02)


def test_an_answer_of_its_own(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str) -> None:
    proxy.add(Fault("answer", count=1, status=429, headers={"Retry-After": "7"}, body="{}", **POST))
    proxy.add(Fault("answer", count=1, skip=1, status=504, applied=True, body="{}", **POST))
    for name, status in (("refused", 429), ("lost", 504)):
        with pytest.raises(ApiError) as caught:
            api.post(maps, named(name))
        assert caught.value.status == status
    assert cluster.api.find(f"{maps}/refused") is None
    assert cluster.api.find(f"{maps}/lost") is not None


def test_a_delay_and_a_repeated_request(proxy: FaultProxy, api: Api, maps: str) -> None:
    proxy.add(Fault("delay", seconds=0.4, count=1, **POST))
    proxy.add(Fault("repeat", count=1, skip=1, **POST))
    assert duration(lambda: api.post(maps, named("late"))) >= 0.4
    first = api.post(maps, named("twice"))
    assert first["metadata"]["name"] == "twice"
    with pytest.raises(ApiError) as caught:
        api.post(maps, named("twice"))
    assert caught.value.status == 409


@pytest.mark.parametrize("abrupt", [False, True])
def test_a_watch_cut_inside_a_chunk(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str,
                                    abrupt: bool) -> None:
    proxy.add(Fault("cut", path="watch=true", chunks=2, abrupt=abrupt))
    events = api.watch(maps, version(cluster, maps))
    cluster.api.post(maps, named("whole"))
    assert next(events)["object"]["metadata"]["name"] == "whole"
    cluster.api.post(maps, named("half"))
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError, ValueError)):
        next(events)


def test_running_watches_lag_go_half_open_and_are_dropped(cluster: Cluster, proxy: FaultProxy, api: Api,
                                                          maps: str) -> None:
    follower = Follower(api, maps, version(cluster, maps))
    cluster.api.post(maps, named("first"))
    eventually(lambda: follower.names == ["first"], 5, "the first event", 0.02)
    lag = proxy.add(Fault("lag", path="watch=true", seconds=float("inf")))
    cluster.api.post(maps, named("second"))
    lag.wait_waiting()
    assert follower.names == ["first"]
    lag.release()
    eventually(lambda: follower.names == ["first", "second"], 5, "the second event", 0.02)
    proxy.add(Fault("half_open", path="watch=true")).wait_fired()
    cluster.api.post(maps, named("third"))
    eventually(lambda: len(cluster.api.items(maps)) >= 3, 5, "the third map", 0.02)
    assert follower.names == ["first", "second"] and follower.is_open
    proxy.drop()
    eventually(lambda: not follower.is_open, 5, "the watch to end", 0.02)


def test_throttled(cluster: Cluster, proxy: FaultProxy, api: Api, maps: str) -> None:
    cluster.api.post(maps, named("large", data={"key": "x" * 50_000}))
    proxy.add(Fault("throttle", method="GET", bytes_per_second=100_000, count=1))
    proxy.add(Fault("slow_reader", method="POST", bytes_per_second=100_000, count=1))
    assert duration(lambda: api.get(f"{maps}/large")) >= 0.5
    assert duration(lambda: api.post(maps, named("slow", data={"key": "x" * 50_000}))) >= 0.5


def test_refused_and_accepted_again(proxy: FaultProxy, api: Api, maps: str) -> None:
    api.get(maps)
    proxy.refuse()
    proxy.drop()
    with pytest.raises(BROKEN):
        api.get(maps)
    proxy.accept()
    api.get(maps)


def test_chance_is_drawn_from_the_seed(proxy: FaultProxy, api: Api, maps: str) -> None:
    def struck() -> list[bool]:
        fault = proxy.add(Fault("answer", method="GET", probability=0.5, seed=7, body="{}"))
        result = []
        for _ in range(12):
            try:
                api.get(maps)
                result.append(False)
            except ApiError:
                result.append(True)
        fault.release()
        return result

    first = struck()
    assert True in first and False in first and struck() == first


# Only there is etcd, with connections whose bytes are not HTTP/1.1.
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_bytes(rig: RealPlane) -> None:
    parts = urlsplit(rig.url)
    proxy = FaultProxy(rig.folder, f"tcp://127.0.0.1:{parts.port}", is_bytes=True)
    tls = ssl.create_default_context(cafile=str(rig.ca_file))
    try:
        with tls.wrap_socket(socket.create_connection(("127.0.0.1", proxy.port), 5),
                             server_hostname="127.0.0.1") as channel:
            channel.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            assert channel.recv(1000).startswith(b"HTTP/1.1 200")
        proxy.add(Fault("reset"))
        with pytest.raises(OSError):
            tls.wrap_socket(socket.create_connection(("127.0.0.1", proxy.port), 5),
                            server_hostname="127.0.0.1")
    finally:
        proxy.stop()


class Follower:
    """A watch read by a thread."""

    def __init__(self, api: Api, path: str, resource_version: str) -> None:
        self.names: list[str] = []
        self.is_open = True
        self._events = api.watch(path, resource_version)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            for event in self._events:
                if event["type"] != "BOOKMARK":
                    self.names.append(event["object"]["metadata"]["name"])
        except requests.RequestException:
            pass
        self.is_open = False


def named(name: str, **more: object) -> Json:
    return {"metadata": {"name": name}, **more}


def version(cluster: Cluster, path: str) -> str:
    return cluster.api.get(path)["metadata"]["resourceVersion"]


def duration(action: Callable[[], object]) -> float:
    start = time.monotonic()
    action()
    return time.monotonic() - start
