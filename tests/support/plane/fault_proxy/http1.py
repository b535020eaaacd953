"""As much of HTTP/1.1 as a proxy needs: heads, and where bodies end."""
import asyncio
from dataclasses import dataclass
from typing import AsyncIterator, Optional

READ_BYTES = 65536
CHUNK_BYTES_MAX = 512 * 1024 * 1024


@dataclass(frozen=True)
class Head:
    """The first line's words and the raw bytes of a request or an answer."""

    words: list[str]
    headers: dict[str, str]  # by lower-case name
    raw: bytes

    @property
    def is_chunked(self) -> bool:
        return "chunked" in self.headers.get("transfer-encoding", "").lower()

    @property
    def length(self) -> Optional[int]:
        text = self.headers.get("content-length")
        return int(text) if text is not None else None

    @property
    def status(self) -> int:
        return int(self.words[1])


async def read_head(reader: asyncio.StreamReader) -> Optional[Head]:
    """None when the peer has closed before the first byte."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise
    lines = raw.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return Head(lines[0].split(" "), headers, raw)


async def chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The payloads of a chunked body; the last one is empty."""
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        if size > CHUNK_BYTES_MAX:
            raise ValueError(f"a chunk of {size} bytes")
        payload = await reader.readexactly(size)
        if size > 0:
            await reader.readexactly(2)
            yield payload
            continue
        while await reader.readuntil(b"\r\n") != b"\r\n":
            pass  # trailers
        yield b""
        return


async def pieces(reader: asyncio.StreamReader, length: Optional[int]) -> AsyncIterator[bytes]:
    """A body of `length` bytes, or (None) until the peer closes, as it comes."""
    left = length
    while left is None or left > 0:
        piece = await reader.read(READ_BYTES if left is None else min(READ_BYTES, left))
        if not piece:
            if left is not None:
                raise asyncio.IncompleteReadError(b"", left)
            return
        if left is not None:
            left -= len(piece)
        yield piece


def framed(payload: bytes) -> bytes:
    """A payload as a chunk."""
    return b"%x\r\n%b\r\n" % (len(payload), payload)
