"""The lane of answers: how long the verbs take through an API server's service proxy, on a full plane.

Figures: `asked.VERB`, of whole processes.
"""
import statistics
import traceback

import pytest

from macro import cold
from macro.asked import Asked
from macro.contenders import EXECUTORS
from macro.planes import embedded_plane

from .figures import Lane

VERBS = {"why": ["why", "gang-00003"], "gangs": ["gangs", "-A"], "gangs_json": ["gangs", "-A", "-o", "json"],
         "nodes": ["nodes"], "queues": ["queues"]}
QUESTIONS = 5  # of a verb, in one run


def asked_lane(runs: int, is_quick: bool = False) -> Lane:
    """`is_quick`: a size that only shows that everything works."""
    lane = Lane("asked")
    nodes, pods = (20, 500) if is_quick else (5_000, 150_000)
    plane = embedded_plane(nodes)
    try:
        cold.fill(plane, pods, slim=True)
        asked = Asked(plane, gangs=pods // 2 // (EXECUTORS + 1))
        try:
            for name, verb in VERBS.items():
                asked.seconds(verb)  # not counted: everything is loaded then
                lane.add(f"asked.{name}", "ms", [
                    1000 * statistics.median(asked.seconds(verb) for _ in range(QUESTIONS)) for _ in range(runs)])
        finally:
            asked.stop()
    except pytest.fail.Exception as missing:
        lane.missing.append(str(missing))
        lane.has_failed = True
    except Exception as error:  # the other lanes took minutes and are whole
        traceback.print_exc()
        lane.missing.append(str(error).splitlines()[0][:300])
        lane.has_failed = True
    finally:
        plane.stop()
    return lane
