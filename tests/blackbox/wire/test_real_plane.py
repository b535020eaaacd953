"""What the real plane lets tests do to it: kill, pause, compact, audit, several servers over one etcd."""
from typing import Callable

import pytest
import requests

from support.client.api import Api, ApiError, Json
from support.plane.fault_proxy import Fault
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 2  # more than a loaded machine takes to answer
MakePlane = Callable[..., RealPlane]


def test_two_servers_over_one_etcd_killed_paused_compacted_audited(make_plane: MakePlane) -> None:
    """One plane and one test for all of it: starting a plane is what takes time."""
    plane = make_plane(api_servers=2, audit=True, etcd_proxies=True)
    second = Api(plane.token_kubeconfig("default", "tester", plane.servers[1].url, is_admin=True))
    old = plane.api.post(MAPS, named("first"))["metadata"]["resourceVersion"]
    assert second.get(f"{MAPS}/first")["metadata"]["name"] == "first"

    def is_gone(api: Api) -> bool:
        try:
            api.request("GET", f"{MAPS}/first", timeout=PATIENCE_SECONDS)
            return False
        except requests.RequestException:
            return True

    plane.servers[0].pause()
    assert is_gone(plane.api) and not is_gone(second)
    plane.servers[0].resume()
    eventually(lambda: not is_gone(plane.api), 10, "the first server to answer again")

    slow = plane.etcd_proxies[1].add(Fault("lag", seconds=float("inf")))
    assert is_gone(second) and not is_gone(plane.api)
    slow.release()
    eventually(lambda: not is_gone(second), 20, "the second server to answer again")

    second.post(MAPS, named("second"))
    plane.etcd.kill()
    plane.etcd.restart()
    assert plane.etcd.compact() > int(old)
    for server in plane.servers:
        server.kill()
        server.restart()
    plane.wait_ready()
    assert {item["metadata"]["name"] for item in second.items(MAPS)} >= {"first", "second"}
    first_event = next(plane.api.watch(MAPS, old))
    assert first_event["type"] == "ERROR" and first_event["object"]["code"] == 410

    user = "system:serviceaccount:default:tester"
    eventually(lambda: any(event["verb"] == "create" and event["objectRef"].get("name") == "second"
                           for event in plane.servers[1].audited(user)), 10, "the audit event")
    assert not list(plane.servers[0].audited(user))


def test_a_token_has_the_rights_of_its_account_and_no_more(make_plane: MakePlane) -> None:
    plane = make_plane()
    api = Api(plane.token_kubeconfig("default", "nobody"))
    with pytest.raises(ApiError) as caught:
        api.get("/api/v1/nodes")
    assert caught.value.status == 403
    assert "system:serviceaccount:default:nobody" in caught.value.body["message"]


def named(name: str) -> Json:
    return {"metadata": {"name": name}}
