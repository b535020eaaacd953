"""What the fault proxy can do to a request, and how the requests it is done to are chosen."""
import asyncio
import re
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any, Optional

ACTIONS = ("delay", "hold", "reset", "half_open", "answer", "repeat",  # one exchange
           "cut", "throttle", "lag",  # the answer as it streams; also of exchanges already running
           "slow_reader")  # the request's body


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    action       delay        `seconds` pass before it goes on
                 hold         it waits until the fault is released
                 reset        the client gets an RST (`abrupt`) or a FIN
                 half_open    all bytes of both sides are swallowed from now on, and no FIN is sent
                 answer       the client gets `status`, `headers` and `body` from the proxy
                 repeat       the server gets the request twice, the client the first answer
                 cut          as reset, but in the middle of the answer's chunk number `chunks`, counted
                              from now (0: at once, without waiting for a chunk)
                 throttle     the answer reaches the client at `bytes_per_second`
                 lag          each chunk reaches the client `seconds` late; for ever: until released
                 slow_reader  the request's body is read at `bytes_per_second`
    applied      for delay, hold, reset, half_open, answer: the server has got the request and has
                 answered it first
    method, path regular expressions: of the whole method; found anywhere in path and query. Streams of
                 bytes (see Proxy) have the method BYTES and an empty path
    skip, count  the first `skip` matches are left alone, then `count` are hit (None: all)
    probability  that a match is hit, drawn from `seed`
    """

    action: str
    method: str = ""
    path: str = ""
    skip: int = 0
    count: Optional[int] = None
    probability: float = 1.0
    seed: int = 0
    applied: bool = False
    seconds: float = 0.0
    bytes_per_second: int = 0
    chunks: int = 1
    abrupt: bool = True
    status: int = 503
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ValueError(f"no such action: {self.action}")
        if self.action in ("throttle", "slow_reader") and self.bytes_per_second <= 0:
            raise ValueError(f"{self.action} needs bytes_per_second")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class ActiveFault:
    """A fault and what has become of it."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.matched = 0
        self.fired = 0
        self.waiting = 0  # exchanges that it holds up now
        self.released = asyncio.Event()
        self._random = Random(fault.seed)
        self._method = re.compile(fault.method)
        self._path = re.compile(fault.path)

    def hits(self, method: str, target: str) -> bool:
        """Whether it strikes this request; counts it."""
        fault = self.fault
        if self.released.is_set():
            return False
        if fault.method and not self._method.fullmatch(method) or not self._path.search(target):
            return False
        self.matched += 1
        if self.matched <= fault.skip or fault.count is not None and self.fired >= fault.count:
            return False
        if fault.probability < 1 and self._random.random() >= fault.probability:
            return False
        self.fired += 1
        return True
