"""A language model's stand-in: a server on loopback with OpenAI's interface and given answers."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StandInModel(ThreadingHTTPServer):
    """Answers each chat with the next of its texts, and the last one from then on."""

    def __init__(self, answers: Sequence[str]):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.prompts: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.answers[min(len(self.prompts), len(self.answers)) - 1]


class _Handler(BaseHTTPRequestHandler):
    server: StandInModel

    def do_POST(self) -> None:
        chat = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        prompt = "\n".join(message["content"] for message in chat["messages"])
        message = {"role": "assistant", "content": self.server.answer(prompt)}
        self._send(
            {
                "id": "chat",
                "object": "chat.completion",
                "created": 0,
                "model": chat["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            }
        )

    def _send(self, completion: dict) -> None:
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Nothing: the tests read `prompts`."""


@contextlib.contextmanager
def stand_in_model(answers: Sequence[str]) -> Iterator[StandInModel]:
    """Serves while the block runs."""
    with StandInModel(answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
