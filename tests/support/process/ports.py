"""Ports for servers that the tests start, and may stop and start again."""
import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

# Below the range from which Linux takes the ports of outgoing connections (32768 and up): a server that
# was killed finds its port still free.
_FIRST, _LAST = 10000, 32000
_TAKEN = (Path(tempfile.gettempdir()) / f"gang-scheduler-test-ports-{os.getuid()}").open("ab")
_given: set[int] = set()


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nobody listens on at this moment, each given once: a server takes a second
    until it listens, and another run of tests may be choosing meanwhile."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.randint(_FIRST, _LAST)
        if port not in _given and _is_ours(port) and _is_free(port):
            _given.add(port)
            ports.append(port)
    return ports


def _is_ours(port: int) -> bool:
    """A lock on that byte of a file, for as long as this process lives."""
    try:
        fcntl.lockf(_TAKEN, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
