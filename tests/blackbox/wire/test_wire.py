"""What real Spark sent, request by request, is answered the same on both rigs."""
import json
import re
from pathlib import Path

import pytest

from support.client.api import Api, ApiError, Json
from support.kube.cluster import Cluster

RECORDINGS = sorted((Path(__file__).parent.parent / "fixtures/wire").glob("*.jsonl"))
UID = re.compile(r'"uid":"[0-9a-f]{8}-[0-9a-f-]{27}"')


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_the_requests_of_a_whole_application(cluster: Cluster, recording: Path) -> None:
    namespace, driver_uid = cluster.default_namespace, ""
    for line in recording.read_text().splitlines():
        request = json.loads(line)
        uri = request["uri"].replace("/namespaces/default/", f"/namespaces/{namespace}/")
        if request["status"] == 101:
            assert_watches_by_websocket(cluster.api, uri, namespace)
            continue
        body = request.get("body", "").replace('"namespace":"default"', f'"namespace":"{namespace}"')
        body = UID.sub(f'"uid":"{driver_uid}"', body)
        answer = exchange(cluster.api, request, uri, body)
        what = f"{request['method']} {uri}"
        assert answer["status"] == request["status"], f"{what}: {answer}"
        assert answer["type"].split(";")[0] == request["answer_type"], what
        if not driver_uid:
            driver_uid = answer["body"]["metadata"]["uid"]


def exchange(api: Api, request: Json, uri: str, body: str) -> Json:
    try:
        answer = api.request(request["method"], uri, body or None,
                             request["headers"].get("Content-Type", "application/json"))
    except ApiError as error:
        return {"status": error.status, "type": "application/json", "body": error.body}
    return {"status": answer.status_code, "type": answer.headers["Content-Type"], "body": answer.json()}


def assert_watches_by_websocket(api: Api, uri: str, namespace: str) -> None:
    """The watch opens, and a pod that its selector names arrives as a frame."""
    watch = api.websocket(uri)
    try:
        if "fieldSelector" in uri:
            event = watch.read_event()
            assert event["type"] == "ADDED" and event["object"]["metadata"]["namespace"] == namespace
    finally:
        watch.close()


def test_a_node_without_status_shows_one(cluster: Cluster) -> None:
    """Clients look into status without asking whether it is there."""
    created = cluster.api.post("/api/v1/nodes", {"metadata": {"name": "bare"}})
    assert isinstance(created["status"], dict)


def test_a_websocket_watch_follows_changes(cluster: Cluster) -> None:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    large = {"large": "x" * 100_000}  # more than one write of any server
    pod = cluster.api.post(path, {"metadata": {"name": "followed", "annotations": large}, "spec": {
        "schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}})
    watch = cluster.api.websocket(
        f"{path}?watch=true&resourceVersion={pod['metadata']['resourceVersion']}")
    try:
        cluster.api.patch(f"{path}/followed", {"metadata": {"labels": {"seen": "yes"}}})
        event = watch.read_event()
        assert event["type"] == "MODIFIED" and event["object"]["metadata"]["labels"] == {"seen": "yes"}
        cluster.api.delete(f"{path}/followed", grace_seconds=0)
        assert watch.read_event()["type"] in ("MODIFIED", "DELETED")
    finally:
        watch.close()
