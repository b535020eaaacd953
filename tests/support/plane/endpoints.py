"""Where a Service's pods listen, as the endpoint controllers of kube-controller-manager would write it."""
from typing import Sequence

from ..client.api import Api


def write_endpoints(api: Api, namespace: str, service: str, pod: str, address: str, port_name: str,
                    ports: Sequence[int]) -> list[str]:
    """The paths of the objects made. The API server's own proxy goes by Endpoints in 1.36, by EndpointSlices from 1.37 on."""
    endpoints = f"/api/v1/namespaces/{namespace}/endpoints"
    slices = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    target = {"kind": "Pod", "namespace": namespace, "name": pod}
    listening = [[{"name": port_name, "port": port, "protocol": "TCP"}] for port in ports]
    api.post(endpoints, {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": service}, "subsets": [
        {"ports": each, "addresses": [{"ip": address, "targetRef": target}]} for each in listening]})
    for number, each in enumerate(listening):
        api.post(slices, {
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "ports": each,
            "metadata": {"name": f"{service}-{number}", "labels": {"kubernetes.io/service-name": service}},
            "endpoints": [{"addresses": [address], "conditions": {"ready": True}, "targetRef": target}]})
    return [f"{endpoints}/{service}", *(f"{slices}/{service}-{number}" for number in range(len(listening)))]
