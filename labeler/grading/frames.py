"""frames.py - the pool's protocol: JSON messages, each after its length in four bytes.

Both ends of a socket speak it: the caller asynchronously (server.py), server and workers
blocking (worker.py). A closed socket is the only way to say goodbye.
"""

import json
import socket
import struct
from typing import Any

Message = dict[str, Any]
HEADER = struct.Struct(">I")
MAX_FRAME = 1 << 20


def pack(message: Message) -> bytes:
    """One frame; any text survives it, lone surrogates too."""
    data = json.dumps(message).encode("ascii")
    return HEADER.pack(len(data)) + data


def unpack(data: bytes) -> Message:
    """The message of one frame's data."""
    message: Message = json.loads(data)
    return message


def receive(peer: socket.socket) -> Message | None:
    """The next message, or None once the peer is gone."""
    head = _exactly(peer, HEADER.size)
    data = _exactly(peer, HEADER.unpack(head)[0]) if head is not None else None
    return None if data is None else unpack(data)


def _exactly(peer: socket.socket, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        try:
            chunk = peer.recv(size - len(data))
        except ConnectionError:
            return None
        if not chunk:
            return None
        data += chunk
    return data
