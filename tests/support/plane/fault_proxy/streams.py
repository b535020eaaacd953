"""Connections of the proxy: readers that tell at once when their peer has gone, and ways to end."""
import asyncio
import socket
import ssl
import struct
from typing import Awaitable, Callable, Optional

BUFFER_BYTES = 1024 * 1024
CONNECT_SECONDS = 10


class Reader(asyncio.StreamReader):
    """A StreamReader whose end can be awaited while nobody reads."""

    def __init__(self) -> None:
        super().__init__(limit=BUFFER_BYTES)
        self.closed = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.closed.set()

    def set_exception(self, exception: BaseException) -> None:
        super().set_exception(exception)  # type: ignore[arg-type]
        self.closed.set()


Serve = Callable[[Reader, asyncio.StreamWriter], Awaitable[None]]


async def listen(port: int, serve: Serve, tls: Optional[ssl.SSLContext]) -> asyncio.AbstractServer:
    loop = asyncio.get_running_loop()

    def protocol() -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(Reader(), serve, loop=loop)  # type: ignore[arg-type]

    return await loop.create_server(protocol, "127.0.0.1", port, ssl=tls, backlog=1024)


async def connect(host: str, port: int,
                  tls: Optional[ssl.SSLContext]) -> tuple[Reader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = Reader()
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await asyncio.wait_for(loop.create_connection(
        lambda: protocol, host, port, ssl=tls, server_hostname=host if tls else None), CONNECT_SECONDS)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


def end(writer: asyncio.StreamWriter, abrupt: bool) -> None:
    """Closes with an RST, which throws away what the peer has not read yet, or with a FIN."""
    if abrupt:
        raw = writer.get_extra_info("socket")
        if raw is not None and raw.fileno() >= 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()
