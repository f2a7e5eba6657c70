"""The messages between opyard and an agent's process: objects of JSON over a socket.

A message is the number of its bytes, four of them, the least first, and these bytes, as
experiments/external/message_channel.h says.
"""

from __future__ import annotations

import json
import socket
from typing import Any

_HEADER_BYTES = 4


class Channel:
    """This side of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, message: dict[str, Any]) -> None:
        """Sends an object of what JSON can say; the numbers are finite."""
        self.send_text(json.dumps(message, allow_nan=False, separators=(",", ":")))

    def send_text(self, message: str) -> None:
        """Sends an object that is JSON already."""
        data = message.encode()
        self._connection.sendall(len(data).to_bytes(_HEADER_BYTES, "little") + data)

    def receive(self) -> dict[str, Any]:
        """Waits for an object.

        Raises:
            EOFError: The other side has ended.
        """
        size = int.from_bytes(self._receive_bytes(_HEADER_BYTES), "little")
        message: dict[str, Any] = json.loads(self._receive_bytes(size))
        return message

    def _receive_bytes(self, count: int) -> bytes:
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = self._connection.recv_into(view)
            if got == 0:
                raise EOFError("opyard has ended")
            view = view[got:]
        return bytes(data)
