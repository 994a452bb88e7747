"""A small real HTTP server that takes datasets as a hub does: create, preupload, commit.

It keeps what was committed; without the right token it refuses.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

TOKEN = "hf_" + "t" * 34


@dataclass
class Hub:
    url: str = ""
    created: list[dict] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def answer(self, path: str, body: bytes) -> tuple[int, dict]:
        """Status and JSON of one request."""
        if path == "/api/repos/create":
            self.created.append(json.loads(body))
            return 200, {"url": f"{self.url}/datasets/me/labels", "id": "me/labels"}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if path.startswith("/api/datasets/me/labels/preupload/"):
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False}
                     for f in files]  # fmt: skip
            return 200, {"files": modes}
        if path.startswith("/api/datasets/me/labels/commit/"):
            for line in body.splitlines():
                entry = json.loads(line)
                if entry["key"] == "file":
                    value = entry["value"]
                    self.files[value["path"]] = base64.b64decode(value["content"])
            return 200, {
                "success": True,
                "commitOid": "0" * 40,
                "commitUrl": f"{self.url}/datasets/me/labels/commit/{'0' * 40}",
            }
        return 404, {"error": f"no such path {path}"}


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub on a free port of 127.0.0.1."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            self._reply()

        def _reply(self) -> None:
            if self.headers.get("transfer-encoding") == "chunked":
                body = b"".join(iter(self._chunk, b""))
            else:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
            path = self.path.partition("?")[0]
            hub.requests.append(f"{self.command} {path}")
            known = self.headers.get("authorization") == f"Bearer {TOKEN}"
            status, found = hub.answer(path, body) if known else (401, {"error": "who are you?"})
            data = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _chunk(self) -> bytes:
            data = self.rfile.read(int(self.rfile.readline(), 16))
            self.rfile.readline()
            return data

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
