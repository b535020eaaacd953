"""The Lease that a contender waits for, so that it has read everything when the clock starts."""
from .planes import BenchPlane

NAMESPACE = "kube-system"
NAME = "bench"
_PATH = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
_EPOCH = "gang-scheduler/epoch"
_SETTLED = "gang-scheduler/settled"


class Lease:
    """Held by the bench until it hands it over."""

    def __init__(self, plane: BenchPlane) -> None:
        self._api = plane.rig.api
        self._api.delete(f"{_PATH}/{NAME}")
        self._api.post(_PATH, {"metadata": {"name": NAME, "annotations": {_EPOCH: "1"}},
                               "spec": {"holderIdentity": "the bench", "leaseDurationSeconds": 3600}})

    def hand_over(self) -> None:
        """As a leader that ends in order: client-go's way (no holder, a second to go), and our word that no write
        is under way, which kube-scheduler does not read."""
        self._api.patch(f"{_PATH}/{NAME}", {
            "metadata": {"annotations": {_SETTLED: "1"}},
            "spec": {"holderIdentity": None, "leaseDurationSeconds": 1}})
