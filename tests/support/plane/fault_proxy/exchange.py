"""One request and its answer on their way through the proxy."""
import asyncio
import math
import time
from collections import deque
from typing import AsyncIterator, Optional

from .fault import ActiveFault
from .http1 import framed
from .streams import end

READ_AHEAD_BYTES = 256 * 1024
READ_AHEAD_LAGGING_BYTES = 256 * 1024 * 1024
SLICES_PER_SECOND = 20


class Ended(Exception):
    """The client's connection has been ended by a fault."""


class HalfOpen(Exception):
    """From now on nothing is passed on, and nobody is told."""


async def wait(fault: ActiveFault, seconds: float) -> None:
    """Until `seconds` have passed or the fault is released."""
    fault.waiting += 1
    try:
        await asyncio.wait_for(fault.released.wait(), None if math.isinf(seconds) else seconds)
    except asyncio.TimeoutError:
        pass
    finally:
        fault.waiting -= 1


async def paced(payload: bytes, bytes_per_second: int) -> AsyncIterator[bytes]:
    """The payload in small pieces, each when its time has come."""
    step = max(1, bytes_per_second // SLICES_PER_SECOND)
    for start in range(0, len(payload), step):
        piece = payload[start:start + step]
        await asyncio.sleep(len(piece) / bytes_per_second)
        yield piece


class Exchange:
    """Carries an answer to the client under the faults that strike it, also those that come later."""

    def __init__(self, method: str, target: str, faults: list[ActiveFault],
                 client: asyncio.StreamWriter) -> None:
        self.method = method
        self.target = target
        self.started = time.time()
        self.status = 0
        self.faults = [fault for fault in faults if fault.fault.action in ("cut", "throttle", "lag")]
        self.struck = [fault.fault.action for fault in faults]
        self._client = client
        self._chunks = 0
        self._from = {id(fault): 0 for fault in self.faults}
        self._arrived: deque[tuple[float, bytes]] = deque()
        self._waiting_bytes = 0
        self._changed = asyncio.Event()
        self._is_half_open = False

    def strike(self, fault: ActiveFault) -> None:
        """A fault that comes while the answer is streaming."""
        self.struck.append(fault.fault.action)
        if fault.fault.action == "half_open":
            self._is_half_open = True
        elif fault.fault.action == "cut" and fault.fault.chunks == 0:
            end(self._client, fault.fault.abrupt)
        else:
            self._from[id(fault)] = self._chunks
            self.faults.append(fault)
        self._changed.set()

    async def relay(self, source: AsyncIterator[bytes], is_chunked: bool) -> None:
        """Reads ahead of what is sent, so that a lag delays each piece and does not slow them down."""
        reading = asyncio.ensure_future(self._read(source))
        try:
            while True:
                self._changed.clear()
                if self._is_half_open:
                    raise HalfOpen
                if self._arrived:
                    await self._send(*self._arrived.popleft(), is_chunked)
                elif reading.done():
                    return reading.result()
                else:
                    await self._changed.wait()
        finally:
            reading.cancel()

    async def _read(self, source: AsyncIterator[bytes]) -> None:
        try:
            async for payload in source:
                self._arrived.append((time.monotonic(), payload))
                self._waiting_bytes += len(payload)
                self._changed.set()
                while self._waiting_bytes > self._read_ahead():
                    await asyncio.sleep(0.01)
        finally:
            self._changed.set()

    def _read_ahead(self) -> int:
        is_lagging = any(fault.fault.action == "lag" for fault in self.faults)
        return READ_AHEAD_LAGGING_BYTES if is_lagging else READ_AHEAD_BYTES

    async def _send(self, arrival: float, payload: bytes, is_chunked: bool) -> None:
        for fault in self.faults:
            if fault.fault.action == "lag" and not fault.released.is_set():
                await wait(fault, arrival + fault.fault.seconds - time.monotonic())
        if self._is_half_open:
            raise HalfOpen
        self._chunks += 1
        self._waiting_bytes -= len(payload)
        data = framed(payload) if is_chunked else payload
        cut = self._cut()
        if cut is not None and payload:
            self._client.write(data[:len(data) - len(payload) // 2 - 3])
            await self._client.drain()
            end(self._client, cut.fault.abrupt)
            raise Ended
        rate = self._rate()
        if rate is None:
            self._client.write(data)
            await self._client.drain()
            return
        async for piece in paced(data, rate):
            self._client.write(piece)
            await self._client.drain()

    def _cut(self) -> Optional[ActiveFault]:
        return next((fault for fault in self.faults if fault.fault.action == "cut" and
                     not fault.released.is_set() and
                     self._chunks - self._from[id(fault)] >= fault.fault.chunks), None)

    def _rate(self) -> Optional[int]:
        rates = [fault.fault.bytes_per_second for fault in self.faults
                 if fault.fault.action == "throttle" and not fault.released.is_set()]
        return min(rates, default=None)
