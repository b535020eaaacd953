"""Lists: selectors, field selectors, pages, versions."""
from ..builders import config_map, pod
from ..recorder import Recorder, scenario

LABELS = {"a": {"app": "x", "tier": "front"}, "b": {"app": "x", "tier": "back"}, "c": {"app": "y"}, "d": {}}
SELECTORS = ("app=x", "app==x", "app!=x", "app", "!app", "app in (x,y)", "app notin (x)", "app=x,tier=back",
             "tier notin (front),app=x", "app in (x),!tier", "app=", "app=x,,tier=back", "app=x tier=back",
             "=x", "app in x", "app in ()", "app>1", "app=-x", "a b=c", "app=x,", ",", " app = x ",
             "example.com/app=x", "/app=x", f"{'k' * 64}=x", f"app={'v' * 64}")
POD_FIELDS = ("metadata.name=a", "metadata.name!=a", "metadata.namespace=default", "spec.nodeName=", "spec.nodeName!=",
              "spec.schedulerName=nobody", "status.phase=Pending", "status.phase!=Pending,metadata.name=b",
              "spec.restartPolicy==Never", "status.podIP=1.2.3.4", "spec.containers=x", "metadata.uid=x",
              "nonsense", "metadata.name", "=a", "metadata.name=a,", "metadata.name in (a)")


@scenario
def lists_by_label(rig: Recorder) -> None:
    for name, labels in LABELS.items():
        rig.quietly("POST", rig.maps, config_map(name, labels))
    for selector in SELECTORS:
        rig.ask(selector, "GET", rig.maps, labelSelector=selector)


@scenario
def lists_by_field(rig: Recorder) -> None:
    for name in ("a", "b"):
        rig.quietly("POST", rig.pods, pod(name))
    for selector in POD_FIELDS:
        rig.ask(selector, "GET", rig.pods, fieldSelector=selector)
    for kind, selector in (("configmaps", "metadata.name=none"), ("configmaps", "data.a=b"),
                           ("events", "involvedObject.name=a,type=Normal"), ("events", "reason!=x"),
                           ("secrets", "type=Opaque"), ("services", "spec.type=ClusterIP"),
                           ("services", "spec.clusterIP=None"), ("serviceaccounts", "metadata.name=x")):
        rig.ask(f"{kind} {selector}", "GET", rig.path(kind), fieldSelector=selector)
    rig.ask("nodes", "GET", "/api/v1/nodes", fieldSelector="metadata.name=none,spec.unschedulable=false")
    rig.ask("nodes by another field", "GET", "/api/v1/nodes", fieldSelector="spec.providerID=x")
    rig.ask("all namespaces", "GET", "/api/v1/pods", fieldSelector=f"metadata.namespace={rig.namespace}")


@scenario
def pages(rig: Recorder) -> None:
    for number in range(7):
        rig.quietly("POST", rig.maps, config_map(f"m{number}", {"odd": str(number % 2)}))
    token, number = "", 0
    while number == 0 or token:
        answer = rig.ask(f"page {number}", "GET", rig.maps, limit="3", **({"continue": token} if token else {}))
        token, number = answer.body["metadata"].get("continue", ""), number + 1
    first = rig.ask("selected page", "GET", rig.maps, limit="2", labelSelector="odd=1")
    token = first.body["metadata"]["continue"]
    rig.quietly("DELETE", f"{rig.maps}/m5")
    rig.quietly("POST", rig.maps, config_map("m9", {"odd": "1"}))
    rig.ask("the list does not change between pages", "GET", rig.maps, limit="2", labelSelector="odd=1",
            **{"continue": token})
    version = first.version
    rig.ask("a token and a version", "GET", rig.maps, limit="2", resourceVersion=version, **{"continue": token})
    rig.ask("a token and a match", "GET", rig.maps, limit="2", resourceVersionMatch="Exact", **{"continue": token})
    rig.ask("a token without a limit", "GET", rig.maps, **{"continue": token})
    for name, wrong in (("garbage", "garbage"), ("base64 of no token", "e30"), ("not base64", "***")):
        rig.ask(f"token: {name}", "GET", rig.maps, limit="2", **{"continue": wrong})
    for limit in ("0", "-1", "x", "100", "1e3", "99999999999999999999"):
        rig.ask(f"limit {limit}", "GET", rig.maps, limit=limit)
    rig.ask("names start before any", "GET", rig.maps, limit="1", fieldSelector="metadata.name=m3")


@scenario
def versions(rig: Recorder) -> None:
    old = rig.quietly("POST", rig.maps, config_map("a")).version
    rig.quietly("POST", rig.maps, config_map("b"))
    current = rig.quietly("GET", rig.maps).version
    for match in ("", "Exact", "NotOlderThan", "Nonsense"):
        for name, version in (("none", ""), ("zero", "0"), ("old", old), ("current", current)):
            for limit in ("", "1"):
                params = {key: value for key, value in (("resourceVersionMatch", match), ("limit", limit)) if value}
                rig.ask(f"{match or 'no match'}, {name}, limit {limit or 'none'}", "GET", rig.maps,
                        resourceVersion=version, **params)
    for version in ("x", "-1", "007", "1.5", "99999999999999999999999"):
        rig.ask(f"version {version}", "GET", rig.maps, resourceVersion=version)
        rig.ask(f"object at version {version}", "GET", f"{rig.maps}/a", resourceVersion=version)
    rig.ask("object at zero", "GET", f"{rig.maps}/a", resourceVersion="0")
    rig.ask("object at old", "GET", f"{rig.maps}/a", resourceVersion=old)
    rig.ask("sendInitialEvents on a list", "GET", rig.maps, sendInitialEvents="true")


@scenario
def lists_of_other_shapes(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a", {"x": "y"}, data={"k": "v"}))
    for version in ("v1", "v1beta1"):
        accept = f"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v={version}"
        rig.ask(f"one as metadata {version}", "GET", f"{rig.maps}/a", headers={"Accept": accept})
        accept = f"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v={version}"
        rig.ask(f"all as metadata {version}", "GET", rig.maps, headers={"Accept": accept})
    for name, accept in (("yaml", "application/yaml"), ("anything", "*/*"), ("nothing known", "text/csv"),
                         ("two", "text/csv, application/json;q=0.5"), ("any application", "application/*"),
                         ("unknown as", "application/json;as=Chair;g=meta.k8s.io;v=v1"),
                         ("cbor", "application/cbor"), ("protobuf or json",
                          "application/vnd.kubernetes.protobuf;q=0.1,application/json")):
        rig.ask(f"accepts {name}", "GET", f"{rig.maps}/a", headers={"Accept": accept})
    rig.ask("pretty", "GET", f"{rig.maps}/a", pretty="true")
