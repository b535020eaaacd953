"""The raw binder by itself: how many Bindings a second a plane takes, by number of connections.

    /usr/bin/python3 -m macro.raw [--plane real] [--pods 2000] [--nodes 500] [--connections 4 8 16 32]   (in tests/bench)
"""
import argparse
import json
import os
from typing import Iterator

from support.client.json_type import Json

from . import objects
from .planes import BenchPlane, make_plane


def raw_run(plane: BenchPlane, pods: int, connections: int, idle_watches: int = 1) -> Json:
    """Creates so many lone pods and binds them."""
    namespace = plane.namespace()
    names = [f"{namespace}-{number:05d}" for number in range(pods)]
    created = plane.create(namespace, [objects.pod(name, objects.OURS) for name in names])
    bound = plane.raw_bind(namespace, names, connections, idle_watches)
    plane.clear(namespace)
    return {"connections": connections, "created_per_s": created.requests_per_second,
            "binds_per_s": bound.binds_per_second, "requests_per_s": bound.requests_per_second,
            "latency_us": bound.raw["latency_us"], "client_cpu_s": bound.raw["cpu_s"],
            "load1": os.getloadavg()[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plane", choices=("real", "embedded"), default="real")
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--idle-watches", type=int, default=1)
    parser.add_argument("--connections", type=int, nargs="+", default=[4, 8, 16, 32])
    arguments = parser.parse_args()
    for result in _runs(arguments):
        print(json.dumps(result), flush=True)


def _runs(arguments: argparse.Namespace) -> Iterator[Json]:
    plane = make_plane(arguments.plane, arguments.nodes)
    try:
        for connections in arguments.connections:
            yield raw_run(plane, arguments.pods, connections, arguments.idle_watches)
    finally:
        plane.stop()


if __name__ == "__main__":
    main()
