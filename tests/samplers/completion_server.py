"""A small real HTTP server of /v1/completions, in the test's own event loop.

It answers with words derived from prompt and seed, keeps to max_tokens, and first gives the
replies of its script, whatever the request. Open it with `serving`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from labeler.model import digest


@dataclass
class Reply:
    """A scripted reply; status 0 closes the connection without one."""

    status: int
    body: str = "{}"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class CompletionServer:
    script: list[Reply] = field(default_factory=list)
    delay_s: float = 0.0
    url: str = ""
    bodies: list[dict] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busy: int = 0
    busiest: int = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
                self.headers.append(headers)
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                self.bodies.append(body)
                self.busy += 1
                self.busiest = max(self.busiest, self.busy)
                await asyncio.sleep(self.delay_s)
                self.busy -= 1
                reply = self.script.pop(0) if self.script else self.answer(head[0], body)
                if not reply.status:
                    break
                data = reply.body.encode()
                extra = "".join(f"{k}: {v}\r\n" for k, v in reply.headers.items())
                first = f"HTTP/1.1 {reply.status} X\r\ncontent-length: {len(data)}\r\n"
                writer.write(f"{first}{extra}\r\n".encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def answer(self, request_line: str, body: dict) -> Reply:
        if not request_line.startswith("POST /v1/completions "):
            return Reply(404, '{"error": {"message": "no such path"}}')
        prompt = body["prompt"]
        tokens = len(prompt) if isinstance(prompt, list) else len(prompt.split())
        luck = digest(json.dumps(prompt), str(body.get("seed")))
        words = f"Thus, by {luck}, the answer is é∑😀.".split(" ")
        kept = words[: body["max_tokens"]]
        return Reply(
            200,
            json.dumps(
                {
                    "choices": [
                        {
                            "text": " ".join(kept),
                            "finish_reason": "stop" if kept == words else "length",
                        }
                    ],
                    "usage": {"prompt_tokens": tokens, "completion_tokens": len(kept)},
                }
            ),
        )


@asynccontextmanager
async def serving(**settings: object) -> AsyncIterator[CompletionServer]:
    """A server on a free port of 127.0.0.1."""
    server = CompletionServer(**settings)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()
