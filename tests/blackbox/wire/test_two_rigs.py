"""The same requests to both rigs: what the embedded server answers is what the real one answers.

Scenarios are in two_rigs/scenarios. What is left different, and why, is data in two_rigs/expected.py; a
difference that is expected and no longer there fails as one that is new.
"""
import json
import os
import uuid
from typing import TYPE_CHECKING, Any

import pytest

import two_rigs.scenarios  # noqa: F401  registers them
from support.plane.rig import Rig
from two_rigs.expected import explained
from two_rigs.normal import differences
from two_rigs.recorder import SCENARIOS, Recorder

if TYPE_CHECKING:
    from conftest import Rigs


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_answers(rigs: "Rigs", name: str) -> None:
    namespace = f"two-{name[:30].replace('_', '-')}-{uuid.uuid4().hex[:4]}"
    answers = [record(rigs.get(rig), namespace, name) for rig in ("embedded", "real")]
    found = {f"{label}: {path}": (embedded, real)
             for label, embedded, real in by_label(name, *answers)
             for path, embedded, real in differences(embedded, real)}
    unexpected, missing = explained(name, found)
    if os.environ.get("TWO_RIGS_DUMP"):
        with open(os.environ["TWO_RIGS_DUMP"], "a") as file:
            for key in unexpected:
                file.write(json.dumps([name, key, *found[key]], default=str) + "\n")
    text = "\n".join(f"{key}\n    embedded: {shown(found[key][0])}\n    real:     {shown(found[key][1])}"
                     for key in unexpected)
    assert not unexpected, f"{len(unexpected)} differences:\n{text}"
    assert not missing, f"expected to differ, and do not: {missing}"


def record(rig: Rig, namespace: str, name: str) -> dict[str, Any]:
    rig.api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    recorder = Recorder(rig.api, namespace)
    try:
        SCENARIOS[name](recorder)
    finally:
        rig.api.delete(f"/api/v1/namespaces/{namespace}")
    return recorder.records


def by_label(name: str, embedded: dict[str, Any], real: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """In the order of the scenario. Of discovery the embedded server serves a part."""
    labels = embedded if name in PARTIAL else {**embedded, **real}
    return [(label, embedded.get(label, "<not asked>"), real.get(label, "<not asked>")) for label in labels]


PARTIAL = ("resources_of_each_group", "roots", "aggregated_discovery")


def shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) < 400 else text[:400] + "..."
