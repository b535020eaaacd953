"""A tenant: a ServiceAccount that may do in its namespace what Kubernetes' ClusterRole `edit` grants."""
import itertools
from typing import Optional

from ..client.api import Api, ApiError, Json
from ..plane.real_plane import RealPlane

# What the ClusterRole `edit` is put together from; no controller does so on a plane without them.
EDIT_ROLES = ("system:aggregate-to-edit", "system:aggregate-to-view")
MARK = "tests/edit"  # no edit of a tenant leaves an object as it was
NAME = "tenant"


class Tenant:
    """Reads and writes pods and config maps of `namespace`, past all fault proxies.

    `wrote` holds (uid, resourceVersion) of each state that came about by a write of a tenant; what else
    changed an annotation of ours was the scheduler.
    """

    _edits = itertools.count(1)

    def __init__(self, plane: RealPlane, namespace: str, wrote: set[tuple[str, str]]) -> None:
        self.namespace = namespace
        self.refused = 0
        self._wrote = wrote
        kubeconfig = plane.token_kubeconfig(namespace, NAME)
        self.api = Api(kubeconfig)
        self.pods = f"/api/v1/namespaces/{namespace}/pods"
        bindings = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings"
        for role in EDIT_ROLES:
            plane.api.post(bindings, {
                "metadata": {"name": role.rsplit(":", 1)[1]},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": NAME}]})

    def annotate(self, path: str, annotations: dict[str, Optional[str]]) -> bool:
        """Sets annotations of a pod, or (None) removes them; False where the API server refused."""
        return self._edit(path, {"metadata": {"annotations": annotations}})

    def label(self, path: str, labels: dict[str, Optional[str]],
              annotations: Optional[dict[str, Optional[str]]] = None) -> bool:
        return self._edit(path, {"metadata": {"labels": labels, "annotations": annotations or {}}})

    def ungate(self, path: str) -> bool:
        return self._edit(path, {"metadata": {"annotations": {}}, "spec": {"schedulingGates": None}})

    def create(self, pod: Json) -> Optional[Json]:
        """The pod as the server has it, None where it was refused."""
        try:
            made = self.api.post(self.pods, pod)
        except ApiError as error:
            self._note(error)
            return None
        self._remember(made)
        return made

    def delete(self, path: str) -> None:
        try:
            self.api.delete(path)
        except ApiError as error:
            self._note(error)

    def _edit(self, path: str, body: Json) -> bool:
        body["metadata"].setdefault("annotations", {})[MARK] = str(next(self._edits))
        try:
            self._remember(self.api.patch(path, body))
        except ApiError as error:
            self._note(error)
            return False
        return True

    def _remember(self, pod: Json) -> None:
        self._wrote.add((pod["metadata"]["uid"], pod["metadata"]["resourceVersion"]))

    def _note(self, error: ApiError) -> None:
        """The pod is gone, or somebody was faster, or the server takes no such object. A right that `edit`
        has not must not be asked for: the tenants would be tamer than they seem."""
        assert error.status in (404, 409, 422), error
        self.refused += 1
