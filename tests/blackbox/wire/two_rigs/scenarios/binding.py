"""Bindings in all variants: the reservation and the fence rest on them."""
from ..builders import binding, pod
from ..recorder import Recorder, scenario

UID = "00000000-0000-4000-8000-000000000000"


def bind(rig: Recorder, label: str, name: str, node: str = "node-a", **metadata: object) -> None:
    rig.ask(label, "POST", f"{rig.pods}/{name}/binding", binding(name, node, **metadata))


@scenario
def binding_and_what_it_does(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("plain"))
    bind(rig, "plain", "plain")
    rig.ask("the pod", "GET", f"{rig.pods}/plain")
    bind(rig, "assigned, same node", "plain")
    bind(rig, "assigned, another node", "plain", "node-b")
    bind(rig, "absent", "absent")
    rig.ask("no such namespace", "POST", f"{rig.path('pods', namespace='no-such-namespace')}/x/binding",
            binding("x", "node-a"))


@scenario
def binding_merges(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("a", annotations={"kept": "1", "changed": "1"}, labels={"kept": "1"}))
    bind(rig, "with annotations and labels", "a", annotations={"changed": "2", "new": "3"}, labels={"new": "3"})
    rig.ask("the pod", "GET", f"{rig.pods}/a")


@scenario
def binding_preconditions(rig: Recorder) -> None:
    made = rig.quietly("POST", rig.pods, pod("a"))
    bind(rig, "wrong uid", "a", uid=UID)
    rig.quietly("PATCH", f"{rig.pods}/a", {"metadata": {"labels": {"x": "y"}}}, "application/merge-patch+json")
    bind(rig, "old version", "a", resourceVersion=made.version)
    bind(rig, "version in no form", "a", resourceVersion="x")
    bind(rig, "old version, right uid", "a", uid=made.uid, resourceVersion=made.version)
    current = rig.quietly("GET", f"{rig.pods}/a")
    bind(rig, "right uid and version", "a", uid=made.uid, resourceVersion=current.version)
    bind(rig, "assigned, wrong uid", "a", uid=UID)
    bind(rig, "assigned, right uid, old version", "a", uid=made.uid, resourceVersion=made.version)


@scenario
def binding_of_gated_and_deleting(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("gated", {"schedulingGates": [{"name": "example.com/wait"}]}))
    bind(rig, "gated", "gated")
    rig.ask("the gated pod", "GET", f"{rig.pods}/gated")
    rig.quietly("POST", rig.pods, pod("deleting", finalizers=["example.com/stay"]))
    rig.quietly("DELETE", f"{rig.pods}/deleting")
    bind(rig, "deleting", "deleting")
    rig.quietly("PATCH", f"{rig.pods}/deleting", {"metadata": {"finalizers": None}}, "application/merge-patch+json")
    rig.quietly("POST", rig.pods, pod("dry"))
    rig.ask("dry run", "POST", f"{rig.pods}/dry/binding", binding("dry", "node-a"), dryRun="All")
    rig.ask("dry run has changed nothing", "GET", f"{rig.pods}/dry")


@scenario
def binding_bodies(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("a"))
    path = f"{rig.pods}/a/binding"
    whole = binding("a", "node-a")
    for label, body in (
            ("no target", {"metadata": {"name": "a"}}), ("empty", {}),
            ("target without a name", {**whole, "target": {"kind": "Node"}}),
            ("target of another kind", {**whole, "target": {"kind": "Pod", "name": "n"}}),
            ("target without a kind", {"metadata": {"name": "a"}, "target": {"name": "node-a"}}),
            ("another name", binding("b", "node-a")), ("another namespace", binding("a", "n", namespace="other")),
            ("a pod", pod("a")), ("another version", {**whole, "apiVersion": "v2"}), ("a list", []),
            ("a node name that is none", binding("a", "No/Node"))):
        rig.ask(label, "POST", path, body)
    rig.ask("GET", "GET", path)
    rig.ask("PUT", "PUT", path, whole)
    rig.ask("DELETE", "DELETE", path)


@scenario
def bindings_of_the_namespace(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("a"))
    rig.ask("the collection", "POST", rig.path("bindings"), binding("a", "node-a"))


@scenario
def bindings_poison(rig: Recorder) -> None:
    """Annotations of a Binding are not checked: afterwards nobody can write the pod."""
    rig.quietly("POST", rig.pods, pod("key"))
    bind(rig, "an annotation key that is none", "key", annotations={"not a key": "x"})
    rig.ask("status of the first", "PATCH", f"{rig.pods}/key/status", {"status": {"phase": "Running"}},
            "application/merge-patch+json")
    rig.quietly("POST", rig.pods, pod("size"))
    bind(rig, "annotations too large", "size", annotations={"large": "x" * 300_000})
    rig.ask("status of the second", "PATCH", f"{rig.pods}/size/status", {"status": {"phase": "Running"}},
            "application/merge-patch+json")
