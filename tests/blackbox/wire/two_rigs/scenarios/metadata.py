"""Names, labels, annotations, generated names: what every object has."""
from ..builders import config_map
from ..recorder import Recorder, scenario


@scenario
def names(rig: Recorder) -> None:
    for label, name in (("upper case", "Upper"), ("space", "a b"), ("slash", "a/b"), ("dots", "a.b"), ("a dot at the end", "a."),
                        ("long", "n" * 253), ("too long", "n" * 254), ("empty", ""), ("underscore", "a_b"), ("percent", "a%b"),
                        ("leading dash", "-a"), ("digits", "123"), ("two dots", "..")):
        rig.ask(label, "POST", rig.maps, {"metadata": {"name": name}})
    rig.ask("twice", "POST", rig.maps, config_map("a.b"))
    rig.ask("another namespace", "POST", rig.maps, {"metadata": {"name": "a", "namespace": "other"}})
    rig.ask("no metadata", "POST", rig.maps, {})
    rig.ask("a service name with dots", "POST", rig.path("services"), {
        "metadata": {"name": "a.b"}, "spec": {"ports": [{"port": 80}]}})
    rig.ask("a given version", "POST", rig.maps, {"metadata": {"name": "v", "resourceVersion": "5"}})
    rig.ask("a given uid", "POST", rig.maps, {"metadata": {"name": "uid", "uid": "mine"}})
    rig.ask("a given time", "POST", rig.maps, {"metadata": {
        "name": "time", "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-01T00:00:00Z",
        "generation": 7, "selfLink": "/x"}})


@scenario
def generated_names(rig: Recorder) -> None:
    rig.ask("generated", "POST", rig.maps, {"metadata": {"generateName": "generated-"}})
    rig.ask("both", "POST", rig.maps, {"metadata": {"name": "given", "generateName": "generated-"}})
    rig.ask("bad prefix", "POST", rig.maps, {"metadata": {"generateName": "Bad_generated-"}})
    long = rig.quietly("POST", rig.maps, {"metadata": {"generateName": "generated-" + "n" * 300}})
    rig.note("length of a long one", [long.status, len(long.body["metadata"].get("name", ""))])


@scenario
def labels_and_annotations(rig: Recorder) -> None:
    for label, labels in (("value too long", {"k": "v" * 64}), ("key too long", {"k" * 64: "v"}), ("space", {"k": "a b"}),
                          ("key with two slashes", {"a/b/c": "v"}), ("prefix upper case", {"Upper.com/k": "v"}),
                          ("prefix too long", {f"{'p' * 254}/k": "v"}), ("empty value", {"k": ""}), ("empty key", {"": "v"}),
                          ("value ends with a dash", {"k": "v-"}), ("empty prefix", {"/k": "v"}), ("two bad", {"a b": "c d"})):
        rig.ask(f"label: {label}", "POST", rig.maps, {"metadata": {"name": "a", "labels": labels}}, dryRun="All")
    for label, annotations in (("any value", {"k": "a b\n\u00e9\u4e16"}), ("bad key", {"a b": "v"}), ("upper case key", {"Upper/K": "v"}),
                               ("largest", {"k": "x" * (256 * 1024 - 1)}), ("too large", {"k": "x" * (256 * 1024)}),
                               ("too large in all", {"a": "x" * 200_000, "b": "x" * 100_000})):
        rig.ask(f"annotation: {label}", "POST", rig.maps, {"metadata": {"name": "a", "annotations": annotations}}, dryRun="All")
    rig.ask("a number", "POST", rig.maps, {"metadata": {"name": "a", "labels": {"k": 1}}})


@scenario
def dry_run_and_options(rig: Recorder) -> None:
    rig.ask("dry run", "POST", rig.maps, config_map("dry"), dryRun="All")
    rig.ask("nothing was made", "GET", f"{rig.maps}/dry")
    rig.ask("dry run that is none", "POST", rig.maps, config_map("dry"), dryRun="Some")
    rig.ask("unknown parameter", "POST", rig.maps, config_map("made"), nonsense="1")
    rig.ask("manager too long", "POST", rig.maps, config_map("b"), fieldManager="m" * 129)
    rig.ask("manager that does not print", "POST", rig.maps, config_map("b"), fieldManager="\u0007")
