"""Ports for servers that the tests start, and may stop and start again."""
import random
import socket

# Below the range from which Linux takes the ports of outgoing connections (32768 and up): a server that
# was killed finds its port still free.
_FIRST, _LAST = 10000, 32000


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nobody listens on at this moment."""
    held: list[socket.socket] = []
    try:
        while len(held) < count:
            each = socket.socket()
            try:
                each.bind(("127.0.0.1", random.randint(_FIRST, _LAST)))
                held.append(each)
            except OSError:
                each.close()
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()
