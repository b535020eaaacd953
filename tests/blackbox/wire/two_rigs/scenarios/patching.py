"""JSON patches, merge patches, strategic merge patches; of objects and of their status."""
from support.client.api import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

from ..builders import config_map, pod
from ..recorder import Recorder, scenario


@scenario
def json_patches(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a", {"x": "1"}, data={"k": "v", "a/b": "c"}))
    path = f"{rig.maps}/a"
    for label, operations in (
            ("add", [{"op": "add", "path": "/data/new", "value": "1"}]),
            ("replace", [{"op": "replace", "path": "/data/k", "value": "w"}]),
            ("remove", [{"op": "remove", "path": "/data/new"}]),
            ("test that holds", [{"op": "test", "path": "/data/k", "value": "w"},
                                 {"op": "add", "path": "/data/tested", "value": "1"}]),
            ("test that fails", [{"op": "test", "path": "/data/k", "value": "no"},
                                 {"op": "add", "path": "/data/tested", "value": "2"}]),
            ("copy", [{"op": "copy", "from": "/data/k", "path": "/data/copied"}]),
            ("move", [{"op": "move", "from": "/data/copied", "path": "/data/moved"}]),
            ("escaped", [{"op": "replace", "path": "/data/a~1b", "value": "d"}]),
            ("remove absent", [{"op": "remove", "path": "/data/absent"}]),
            ("replace absent", [{"op": "replace", "path": "/data/absent", "value": "1"}]),
            ("add into nothing", [{"op": "add", "path": "/metadata/annotations/x", "value": "1"}]),
            ("unknown operation", [{"op": "bend", "path": "/data/k"}]),
            ("no path", [{"op": "add", "value": "1"}]),
            ("not a list", {"op": "add", "path": "/data/k", "value": "1"}),
            ("a number where text belongs", [{"op": "add", "path": "/data/n", "value": 1}]),
            ("the name", [{"op": "replace", "path": "/metadata/name", "value": "b"}]),
            ("empty", []),
            ("an old version", [{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}])):
        rig.ask(label, "PATCH", path, operations, JSON_PATCH)
    rig.ask("no JSON", "PATCH", path, "[{", JSON_PATCH)
    rig.ask("absent object", "PATCH", f"{rig.maps}/absent", [], JSON_PATCH)


@scenario
def merge_patches(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a", {"x": "1"}, data={"k": "v"}))
    path = f"{rig.maps}/a"
    before = rig.quietly("GET", path)
    for label, patch in (
            ("add and remove", {"data": {"k": None, "new": "1"}}),
            ("nothing changes", {"data": {"new": "1"}}),
            ("labels", {"metadata": {"labels": {"y": "2", "x": None}}}),
            ("an old version", {"metadata": {"resourceVersion": before.version}, "data": {"k": "w"}}),
            ("a wrong uid", {"metadata": {"uid": "wrong"}}),
            ("a name", {"metadata": {"name": "b"}}), ("a namespace", {"metadata": {"namespace": "other"}}),
            ("another kind", {"kind": "Secret"}), ("another version", {"apiVersion": "v2"}),
            ("a number where text belongs", {"data": {"k": 1}}), ("a list where a map belongs", {"data": []}),
            ("an unknown field", {"unknown": 1}), ("empty", {}), ("a label that is none", {"metadata": {"labels": {"a b": "c"}}}),
            ("generateName", {"metadata": {"generateName": "x-"}}),
            ("creationTimestamp", {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}})):
        rig.ask(label, "PATCH", path, patch, MERGE_PATCH)
    for label, text in (("no JSON", "{"), ("a list", "[]"), ("null", "null"), ("text", '"x"'), ("nothing", "")):
        rig.ask(label, "PATCH", path, text, MERGE_PATCH)
    rig.ask("absent object", "PATCH", f"{rig.maps}/absent", {}, MERGE_PATCH)
    rig.ask("dry run", "PATCH", path, {"data": {"dry": "1"}}, MERGE_PATCH, dryRun="All")
    rig.ask("after dry run", "GET", path)


@scenario
def strategic_patches(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("a", labels={"x": "1"}, annotations={"k": "v"}))
    path = f"{rig.pods}/a"
    for label, patch in (
            ("annotations", {"metadata": {"annotations": {"new": "1", "k": None}}}),
            ("an image by the container's name", {"spec": {"containers": [{"name": "main", "image": "image:2"}]}}),
            ("another container", {"spec": {"containers": [{"name": "second", "image": "x"}]}}),
            ("a toleration", {"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}),
            ("replace", {"metadata": {"labels": {"$patch": "replace", "only": "1"}}}),
            ("delete from a list", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x"]}}),
            ("retainKeys", {"metadata": {"annotations": {"$retainKeys": ["new"], "new": "2"}}}),
            ("unknown directive", {"metadata": {"labels": {"$patch": "bend"}}}),
            ("list without its key", {"spec": {"containers": [{"image": "image:3"}]}}),
            ("an immutable field", {"spec": {"schedulerName": "other"}}),
            ("a finalizer", {"metadata": {"finalizers": ["example.com/stay"]}}),
            ("a finalizer goes", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/stay"]}})):
        rig.ask(label, "PATCH", path, patch, STRATEGIC_PATCH)


@scenario
def status_patches(rig: Recorder) -> None:
    made = rig.quietly("POST", rig.pods, pod("a"))
    path = f"{rig.pods}/a/status"
    condition = {"type": "PodScheduled", "status": "False", "reason": "Waiting", "message": "text [code]",
                 "lastTransitionTime": "2026-01-02T03:04:05Z"}
    for content_type in (STRATEGIC_PATCH, MERGE_PATCH):
        kind = "strategic" if content_type == STRATEGIC_PATCH else "merge"
        rig.ask(f"{kind}: a condition", "PATCH", path, {"status": {"conditions": [condition]}}, content_type)
        rig.ask(f"{kind}: again", "PATCH", path, {"status": {"conditions": [condition]}}, content_type)
        rig.ask(f"{kind}: with annotations", "PATCH", path, {
            "metadata": {"annotations": {f"from-{kind}": "1"}, "labels": {f"from-{kind}": "1"}},
            "status": {"conditions": [{**condition, "message": kind}]}}, content_type)
        rig.ask(f"{kind}: spec is left alone", "PATCH", path, {"spec": {"nodeName": "x", "schedulerName": "y"}},
                content_type)
        rig.ask(f"{kind}: old version", "PATCH", path, {
            "metadata": {"resourceVersion": made.version}, "status": {"phase": "Running"}}, content_type)
        rig.ask(f"{kind}: wrong uid", "PATCH", path, {"metadata": {"uid": "wrong"}}, content_type)
        rig.ask(f"{kind}: nominated node", "PATCH", path, {"status": {"nominatedNodeName": f"node-{kind}"}},
                content_type)
    rig.ask("another condition", "PATCH", path, {"status": {"conditions": [
        {"type": "Ready", "status": "True"}]}}, STRATEGIC_PATCH)
    three = [{"type": name, "status": "True"} for name in ("PodScheduled", "example.com/new", "Ready")]
    rig.ask("a new one between known ones", "PATCH", path, {"status": {"conditions": three}}, STRATEGIC_PATCH)
    rig.ask("a new one after a known one", "PATCH", path, {"status": {"conditions": [
        three[0], {"type": "example.com/newer", "status": "True"}]}}, STRATEGIC_PATCH)
    rig.ask("with an order", "PATCH", path, {"status": {
        "$setElementOrder/conditions": [{"type": "PodScheduled"}, {"type": "Ready"}, {"type": "example.com/last"}],
        "conditions": [{"type": "example.com/last", "status": "True"}]}}, STRATEGIC_PATCH)
    rig.ask("a condition without a type", "PATCH", path, {"status": {"conditions": [{"status": "True"}]}},
            STRATEGIC_PATCH)
    rig.ask("a phase that is none", "PATCH", path, {"status": {"phase": "Dancing"}}, MERGE_PATCH)
    rig.ask("GET status", "GET", path)
    whole = rig.quietly("GET", f"{rig.pods}/a").body
    whole["status"]["phase"] = "Running"
    whole["spec"]["schedulerName"] = "other"
    rig.ask("PUT status", "PUT", path, whole)
    rig.ask("absent pod", "PATCH", f"{rig.pods}/absent/status", {"status": {}}, MERGE_PATCH)
    rig.ask("absent subresource", "PATCH", f"{rig.pods}/a/nonsense", {}, MERGE_PATCH)
    rig.ask("status of what has none", "PATCH", f"{rig.maps}/a/status", {}, MERGE_PATCH)


@scenario
def updates(rig: Recorder) -> None:
    made = rig.quietly("POST", rig.maps, config_map("a", data={"k": "v"})).body
    path = f"{rig.maps}/a"
    rig.ask("whole", "PUT", path, {**made, "data": {"k": "w"}})
    rig.ask("old version", "PUT", path, {**made, "data": {"k": "x"}})
    rig.ask("without a version", "PUT", path, config_map("a", data={"k": "y"}))
    rig.ask("another name", "PUT", path, config_map("b"))
    rig.ask("another namespace", "PUT", path, {**config_map("a"), "metadata": {"name": "a", "namespace": "other"}})
    rig.ask("wrong uid", "PUT", path, {**config_map("a"), "metadata": {"name": "a", "uid": "wrong"}})
    rig.ask("no name", "PUT", path, {"metadata": {}})
    rig.ask("another kind", "PUT", path, {**config_map("a"), "kind": "Secret"})
    rig.ask("absent", "PUT", f"{rig.maps}/absent", config_map("absent"))
    rig.ask("the collection", "PUT", rig.maps, config_map("a"))
    rig.ask("dry run", "PUT", path, config_map("a", data={"dry": "1"}), dryRun="All")
    rig.ask("bad dry run", "PUT", path, config_map("a"), dryRun="Some")
    rig.ask("no body", "PUT", path)
    rig.quietly("POST", rig.maps, config_map("fixed", immutable=True, data={"k": "v"}))
    rig.ask("immutable data", "PATCH", f"{rig.maps}/fixed", {"data": {"k": "w"}}, MERGE_PATCH)
    rig.ask("immutable for ever", "PATCH", f"{rig.maps}/fixed", {"immutable": False}, MERGE_PATCH)


@scenario
def patch_content_types(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a"))
    for content_type in ("application/json", "text/plain", "", "application/merge-patch+json; charset=utf-8",
                         "application/strategic-merge-patch+yaml", "application/merge-patch"):
        rig.ask(content_type or "none", "PATCH", f"{rig.maps}/a", {}, content_type)
