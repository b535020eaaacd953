"""Whose names a caller of the API is shown with api.showAllNamespaces: false, held against a real API server's RBAC."""
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest

from support.plane.api_port import ApiPort
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import Scheduler
from support.kube.spark_application import Size, SparkApplication, sized

real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
pytestmark = real
CONFIG = "api: {enabled: true, listen: '127.0.0.1:0', showAllNamespaces: false}\nconditions: {nameOtherNamespaces: false}\n"


class Tenants:
    """Two namespaces: in one a gang runs, in the other one waits behind a first that waits."""

    def __init__(self, plane: RealPlane, folder: Path) -> None:
        self.plane = plane
        self.cluster = Cluster(plane)
        self.cluster.add_nodes(1)
        config = folder / "config.yaml"
        config.write_text(CONFIG)
        self.scheduler: Scheduler = self.cluster.start_scheduler("--leader-elect=false", "--config", str(config))
        self.api = ApiPort(self.scheduler)
        self.own, self.other = self.cluster.namespace(), self.cluster.namespace()
        self.running = self.submit(self.other, 2)
        self.running.work_seconds = 300
        eventually(lambda: self.cluster.is_whole(self.running), 30, "a gang that runs")
        self.head = self.submit(self.other, 3)
        self.cluster.wait_code(self.head, "WaitingForCapacity")
        time.sleep(1.1)  # of pods of one second nobody knows which is first
        self.waiting = self.submit(self.own, 3)
        self.cluster.wait_code(self.waiting, "WaitingForCapacity")
        eventually(lambda: "Behind" in self.condition(), 20, lambda: f"who is ahead, in {self.condition()}")

    def condition(self) -> str:
        return self.cluster.wait_code(self.waiting, "WaitingForCapacity")

    def submit(self, namespace: str, executors: int) -> SparkApplication:
        application = sized(Size(executors=executors), namespace)
        application.work_seconds = 300
        return self.cluster.submit(application)

    def token(self, name: str, *namespaces: str) -> str:
        """Of a ServiceAccount that may list the pods of these namespaces."""
        token = self.plane.service_account_token(self.own, name)
        for namespace in namespaces:
            base = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
            self.plane.api.post(f"{base}/roles", {"metadata": {"name": name}, "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]})
            self.plane.api.post(f"{base}/rolebindings", {
                "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": self.own}]})
        return token


@pytest.fixture
def tenants(make_plane: Callable[..., RealPlane], tmp_path: Path, rig_name: str) -> Iterator[Tenants]:
    plane = make_plane(audit=True)
    plane.use_chart(Rights.render("--set", "config.api.enabled=true,config.api.showAllNamespaces=false"))
    found = Tenants(plane, tmp_path)
    yield found
    found.cluster.close()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_who_sees_whom(tenants: Tenants) -> None:
    api, own, other = tenants.api, tenants.own, tenants.other
    names = (tenants.head.driver_name, tenants.running.driver_name, other)

    def text(path: str, **headers: str) -> str:
        return api.get(f"/api/v1/{path}", **headers).text
    # Nobody in particular: sizes and places, no names.
    for path in ("gangs", "nodes", "nodes/node-1", "summary", "queues", "history"):
        answer = text(path)
        assert not [name for name in (*names, own, tenants.waiting.driver_name) if name in answer], answer
    assert api.get("/api/v1/gangs").json()["total"] == 3
    assert api.get(f"/api/v1/gangs/{own}/{tenants.waiting.driver_name}").status_code == 404
    # Who may list one's own pods.
    mine = bearer(tenants.token("mine", own))
    listed = api.get("/api/v1/gangs", **mine).json()["gangs"]
    assert [gang["driver"] for gang in listed if gang["namespace"] == own] == [tenants.waiting.driver_name]
    assert {gang["namespace"] for gang in listed} == {own, "(another)"}
    for path in ("gangs", "nodes/node-1", f"gangs/{own}/{tenants.waiting.driver_name}",
                 f"gangs/{own}/{tenants.waiting.driver_name}?format=text"):
        answer = text(path, **mine)
        assert not [name for name in names if name in answer], answer
    assert "a pod of another namespace" in text(f"gangs/{own}/{tenants.waiting.driver_name}?format=text", **mine)
    assert api.get(f"/api/v1/gangs/{other}/{tenants.head.driver_name}", **mine).status_code == 404
    assert api.get("/api/v1/config", **mine).status_code == 403
    # Who may list both, and who may list all.
    both = bearer(tenants.token("both", own, other))
    assert all(name in text("gangs", **both) for name in names)
    admin = bearer(tenants.plane.service_account_token("kube-system", "reader"))
    tenants.plane._bind_cluster_admin("kube-system", "reader")
    assert all(name in text("gangs", **admin) for name in names)
    assert api.get("/api/v1/config", **admin).status_code == 200
    # A token of nobody, and one that is no token.
    assert api.get("/api/v1/gangs", **bearer("nobody")).status_code == 401
    assert api.get("/api/v1/gangs", Authorization="Basic eDp5").json()["gangs"][0]["namespace"] == "(another)"
    assert not [name for name in ("nobody", mine["Authorization"][7:40]) if name in tenants.scheduler.output()]


def test_conditions_name_nobody_of_another_namespace(tenants: Tenants) -> None:
    condition = tenants.condition()
    assert tenants.other not in condition and "gang of another namespace" in condition, condition


def test_without_the_right_nobody_sees_names(make_plane: Callable[..., RealPlane], tmp_path: Path, rig_name: str) -> None:
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    api = ApiPort(cluster.start_scheduler("--leader-elect=false", "--config", str(config)))
    token = plane.service_account_token("default", "somebody")
    answer = api.get("/api/v1/gangs", **bearer(token))
    assert answer.status_code == 503 and "tokenreviews" in answer.json()["error"], answer.text
    assert api.get("/api/v1/gangs").status_code == 200
    cluster.close()
