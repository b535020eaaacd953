"""Who has `view` sees the page, where the chart is told so. kube-controller-manager adds the rule to the ClusterRole."""
from typing import Callable

import pytest

from support.client.api import Api, ApiError, Json
from support.plane.chart import NAMESPACE, Rights, find
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

CLUSTER_ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
ROLE = "gang-system-gang-scheduler-viewer"
SERVICES = f"/api/v1/namespaces/{NAMESPACE}/services"
PAGE = f"{SERVICES}/http:gang-scheduler:api/proxy/"
API_ON = ("--set", "config.api.enabled=true")


def status(api: Api, method: str, path: str) -> int:
    try:
        return api.request(method, path).status_code
    except ApiError as error:
        return error.status


def bind_view(plane: RealPlane, user: str, namespace: str = "") -> Api:
    """The user, who has `view` in this namespace, or everywhere."""
    space, kind = (f"/namespaces/{namespace}", "RoleBinding") if namespace else ("", "ClusterRoleBinding")
    plane.api.post(f"/apis/rbac.authorization.k8s.io/v1{space}/{kind.lower()}s", {
        "metadata": {"name": f"{user}-view"}, "subjects": [{"kind": "User", "name": user}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}})
    return Api(plane.write_kubeconfig(user, client=plane.client_certificate(user, "people")))


def view(plane: RealPlane) -> list[Json]:
    """The rules of `view` about this Service."""
    return [rule for rule in plane.api.get(f"{CLUSTER_ROLES}/view")["rules"] or [] if "services/proxy" in rule["resources"]]


@pytest.mark.bound(120)
def test_who_has_view_sees_the_page_where_it_is_wished(make_plane: Callable[..., RealPlane]) -> None:
    plane = make_plane(controllers=True)
    plain = Rights.render(*API_ON)
    plain.grant(plane.api)
    plane.api.post(SERVICES, find(plain.objects, "Service"))
    everywhere, here = bind_view(plane, "anna"), bind_view(plane, "bert", NAMESPACE)
    elsewhere = bind_view(plane, "carl", "default")
    for user, space in ((everywhere, NAMESPACE), (here, NAMESPACE), (elsewhere, "default")):
        # The rest of `view` has arrived, so that what is refused below is refused for good.
        eventually(lambda: status(user, "GET", f"/api/v1/namespaces/{space}/pods") == 200, 30, "the right to see pods")
        assert status(user, "GET", PAGE) == 403
    assert not view(plane)

    wished = find(Rights.render(*API_ON, "--set", "viewer.aggregateToView=true").objects, "ClusterRole", ROLE)
    plane.api.post(CLUSTER_ROLES, wished)
    eventually(lambda: view(plane) == wished["rules"], 30, "the rule in `view`")
    for user in (everywhere, here):
        # No scheduler is behind the Service: to ask for the page is allowed, and there is nobody who answers.
        eventually(lambda: status(user, "GET", PAGE) == 503, 30, "the right to see the page")
    assert status(elsewhere, "GET", PAGE) == 403
    for method, path in (("POST", PAGE), ("DELETE", PAGE), ("GET", PAGE.replace(":api", ":metrics")),
                         ("GET", PAGE.replace("http:", "https:")), ("GET", PAGE.replace("gang-scheduler", "other")),
                         ("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/http:gang-scheduler:10353/proxy/")):
        assert status(everywhere, method, path) == 403, (method, path)

    plane.api.delete(f"{CLUSTER_ROLES}/{ROLE}")
    eventually(lambda: not view(plane), 30, "`view` without the rule")
    eventually(lambda: status(everywhere, "GET", PAGE) == 403, 30, "the page to be refused again")
