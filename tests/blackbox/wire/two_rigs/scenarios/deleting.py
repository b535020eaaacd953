"""Deletes: grace, propagation, preconditions, finalizers, collections, evictions."""
from ..builders import binding, config_map, pod
from ..recorder import Recorder, scenario

UID = "00000000-0000-4000-8000-000000000000"


def options(**more: object) -> dict[str, object]:
    return {"kind": "DeleteOptions", "apiVersion": "v1", **more}


@scenario
def delete_of_config_maps(rig: Recorder) -> None:
    made = rig.quietly("POST", rig.maps, config_map("a"))
    rig.ask("wrong uid", "DELETE", f"{rig.maps}/a", options(preconditions={"uid": UID}))
    rig.ask("wrong version", "DELETE", f"{rig.maps}/a", options(preconditions={"resourceVersion": "1"}))
    rig.ask("dry run", "DELETE", f"{rig.maps}/a", options(dryRun=["All"]))
    rig.ask("right uid", "DELETE", f"{rig.maps}/a", options(preconditions={"uid": made.uid, "resourceVersion": made.version}))
    rig.ask("gone", "DELETE", f"{rig.maps}/a")
    rig.quietly("POST", rig.maps, config_map("b"))
    for label, body in (("no JSON", "{"), ("a pod", pod("x")), ("a policy that is none", options(propagationPolicy="Sideways")),
                        ("both policies", options(propagationPolicy="Orphan", orphanDependents=True)),
                        ("negative grace", options(gracePeriodSeconds=-1)), ("grace as text", options(gracePeriodSeconds="x")),
                        ("unknown field", options(unknown=1)), ("dry run that is none", options(dryRun=["Some"]))):
        rig.ask(label, "DELETE", f"{rig.maps}/b", body)
        rig.quietly("POST", rig.maps, config_map("b"))
    rig.ask("by parameters", "DELETE", f"{rig.maps}/b", gracePeriodSeconds="0", propagationPolicy="Background")
    rig.ask("absent kind", "DELETE", rig.path("chairs") + "/a")


@scenario
def delete_with_grace(rig: Recorder) -> None:
    for name in ("unbound", "bound", "zero", "long", "again", "finished"):
        rig.quietly("POST", rig.pods, pod(name))
        if name != "unbound":
            rig.quietly("POST", f"{rig.pods}/{name}/binding", binding(name, "node-a"))
    rig.ask("unbound", "DELETE", f"{rig.pods}/unbound")
    rig.ask("unbound is gone", "GET", f"{rig.pods}/unbound")
    rig.ask("bound", "DELETE", f"{rig.pods}/bound")
    rig.ask("bound stays", "GET", f"{rig.pods}/bound")
    rig.ask("zero", "DELETE", f"{rig.pods}/zero", options(gracePeriodSeconds=0))
    rig.ask("zero is gone", "GET", f"{rig.pods}/zero")
    rig.ask("long", "DELETE", f"{rig.pods}/long", options(gracePeriodSeconds=300))
    rig.ask("longer does not count", "DELETE", f"{rig.pods}/long", options(gracePeriodSeconds=600))
    rig.ask("shorter does", "DELETE", f"{rig.pods}/long", options(gracePeriodSeconds=5))
    rig.ask("again", "DELETE", f"{rig.pods}/again")
    rig.ask("the end", "DELETE", f"{rig.pods}/again", options(gracePeriodSeconds=0))
    rig.quietly("PATCH", f"{rig.pods}/finished/status", {"status": {"phase": "Succeeded"}}, "application/merge-patch+json")
    rig.ask("finished", "DELETE", f"{rig.pods}/finished")
    rig.ask("finished is gone", "GET", f"{rig.pods}/finished")
    rig.quietly("DELETE", f"{rig.pods}/long", options(gracePeriodSeconds=0))
    rig.quietly("DELETE", f"{rig.pods}/bound", options(gracePeriodSeconds=0))


@scenario
def finalizers(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, {**config_map("a"), "metadata": {"name": "a", "finalizers": ["example.com/stay"]}})
    path = f"{rig.maps}/a"
    rig.ask("marked", "DELETE", path)
    rig.ask("still there", "GET", path)
    rig.ask("marked again", "DELETE", path)
    rig.ask("no new finalizer", "PATCH", path, {"metadata": {"finalizers": ["example.com/stay", "example.com/more"]}},
            "application/merge-patch+json")
    rig.ask("other changes", "PATCH", path, {"data": {"k": "v"}}, "application/merge-patch+json")
    rig.ask("let go", "PATCH", path, {"metadata": {"finalizers": []}}, "application/merge-patch+json")
    rig.ask("gone", "GET", path)
    for label, finalizer in (("a bare name", "stay"), ("no name", ""), ("not a name", "Not a/name")):
        rig.ask(label, "POST", rig.maps, {**config_map("b"), "metadata": {"name": "b", "finalizers": [finalizer]}})


@scenario
def propagation(rig: Recorder) -> None:
    for policy in ("Orphan", "Foreground"):
        owner = rig.quietly("POST", rig.maps, config_map(f"owner-{policy.lower()}"))
        rig.quietly("POST", rig.maps, {**config_map("x"), "metadata": {"name": f"owned-{policy.lower()}", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": f"owner-{policy.lower()}", "uid": owner.uid,
             "blockOwnerDeletion": True}]}})
        rig.ask(policy, "DELETE", f"{rig.maps}/owner-{policy.lower()}", options(propagationPolicy=policy))
    for label, reference in (
            ("no uid", {"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}),
            ("no name", {"apiVersion": "v1", "kind": "ConfigMap", "uid": UID}),
            ("no kind", {"apiVersion": "v1", "name": "x", "uid": UID}),
            ("no version", {"kind": "ConfigMap", "name": "x", "uid": UID})):
        rig.ask(f"owner with {label}", "POST", rig.maps, {**config_map("b"), "metadata": {
            "name": "b", "ownerReferences": [reference]}})
    two = [{"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": UID[:-1] + name, "controller": True}
           for name in ("1", "2")]
    rig.ask("two controllers", "POST", rig.maps, {**config_map("b"), "metadata": {"name": "b", "ownerReferences": two}})


@scenario
def delete_collections(rig: Recorder) -> None:
    for name, labels in (("a", {"x": "1"}), ("b", {"x": "2"}), ("c", {"x": "1"})):
        rig.quietly("POST", rig.maps, config_map(name, labels))
    rig.ask("bad selector", "DELETE", rig.maps, labelSelector="x in 1")
    rig.ask("by label", "DELETE", rig.maps, labelSelector="x=1")
    rig.ask("by field", "DELETE", rig.maps, fieldSelector="metadata.name=b")
    rig.ask("nothing left", "DELETE", rig.maps)
    rig.ask("what is left", "GET", rig.maps)
    rig.ask("no such collection", "DELETE", rig.path("chairs"))
    for name in ("p", "q"):
        rig.quietly("POST", rig.pods, pod(name))
    rig.ask("pods", "DELETE", rig.pods, options(gracePeriodSeconds=0))


@scenario
def evictions(rig: Recorder) -> None:
    def evict(label: str, name: str, **more: object) -> None:
        rig.ask(label, "POST", f"{rig.pods}/{name}/eviction", {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **more})

    for name in ("a", "b", "c"):
        rig.quietly("POST", rig.pods, pod(name, labels={"app": name}))
        rig.quietly("POST", f"{rig.pods}/{name}/binding", binding(name, "node-a"))
    evict("absent", "absent")
    evict("dry run", "a", deleteOptions={"dryRun": ["All"]})
    evict("zero grace", "a", deleteOptions={"gracePeriodSeconds": 0})
    rig.ask("gone", "GET", f"{rig.pods}/a")
    evict("with grace", "b")
    rig.ask("terminating", "GET", f"{rig.pods}/b")
    evict("terminating again", "b")
    rig.ask("another name", "POST", f"{rig.pods}/c/eviction", {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "x"}})
    rig.ask("another version", "POST", f"{rig.pods}/c/eviction", {
        "apiVersion": "policy/v9", "kind": "Eviction", "metadata": {"name": "c"}})
    rig.ask("no eviction", "POST", f"{rig.pods}/c/eviction", pod("c"))
    rig.ask("GET", "GET", f"{rig.pods}/c/eviction")
    rig.quietly("DELETE", f"{rig.pods}/b", options(gracePeriodSeconds=0))
    rig.quietly("DELETE", f"{rig.pods}/c", options(gracePeriodSeconds=0))


@scenario
def namespaces(rig: Recorder) -> None:
    root = "/api/v1/namespaces"
    for label, name in (("upper case", "Upper"), ("dots", "a.b"), ("too long", "n" * 64), ("empty", "")):
        rig.ask(label, "POST", root, {"metadata": {"name": name}})
    rig.ask("twice", "POST", root, {"metadata": {"name": rig.namespace}})
    rig.ask("GET", "GET", f"{root}/{rig.namespace}")
    rig.ask("absent", "GET", f"{root}/absent-namespace")
    rig.ask("create in an absent one", "POST", rig.path("configmaps", namespace="absent-namespace"), config_map("a"))
    rig.ask("list in an absent one", "GET", rig.path("configmaps", namespace="absent-namespace"))
    rig.ask("DELETE the default one", "DELETE", f"{root}/kube-system")
    rig.ask("collection", "DELETE", root)
