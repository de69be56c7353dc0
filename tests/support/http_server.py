"""An HTTP server of files in memory, for tests of clients: it fails, stalls and truncates as it is told."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer:
    """Files by name. `faults[name]` are what becomes of the next answers to GET, one after the other.

    A fault is a status, or "drop" (no answer), "half" (half of what remains), "stall" (half, then nothing), or
    "slow" (half, and the rest after `pause` seconds).
    """

    def __init__(self, ranges: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[object]] = {}
        self.gets: Counter[str] = Counter()
        self.active = self.most_active = 0
        self.sent = 0
        self.delay, self.pause = 0.0, 0.0
        self.ranges, self.has_sizes, self.etags = ranges, True, True
        self.released = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                outer._answer(self, is_head=True)

            def do_GET(self) -> None:
                outer._answer(self, is_head=False)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # of clients that have gone
        threading.Thread(target=self._server.serve_forever, args=[0.01], daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler, is_head: bool) -> None:
        name = request.path.split("?")[0].lstrip("/")
        fault: object = None
        with self._lock:
            if not is_head:
                self.gets[name] += 1
                if self.faults.get(name):
                    fault = self.faults[name].pop(0)
            self.active += 1
            self.most_active = max(self.most_active, self.active)
        try:
            with contextlib.suppress(OSError):
                self._send(request, name, fault, is_head)
        finally:
            with self._lock:
                self.active -= 1

    def _send(self, request: BaseHTTPRequestHandler, name: str, fault: object, is_head: bool) -> None:
        time.sleep(self.delay)
        if name == "" or name.endswith("/"):
            body = "".join(f'<a href="{file}">{file}</a>\n' for file in self.files).encode()
            self._head(request, 200, {"Content-Type": "text/html", "Content-Length": str(len(body))})
            request.wfile.write(b"" if is_head else body)
            return
        if fault == "drop":
            request.close_connection = True
            request.connection.close()
            return
        raw = self.files.get(name)
        if raw is None or isinstance(fault, int):
            self._head(request, fault if isinstance(fault, int) else 404, {"Content-Length": "0"})
            return
        headers = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"}
        if self.etags:
            headers["ETag"] = f'"{hashlib.md5(raw).hexdigest()}"'
        status, part = 200, raw
        asked = request.headers.get("Range")
        if asked and self.ranges and not is_head:
            first, last = asked.removeprefix("bytes=").split("-")
            begin = int(first) if first else len(raw) - int(last)
            end = min(int(last) + 1, len(raw)) if last and first else len(raw)
            status, part = 206, raw[begin:end]
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(raw)}"
        if self.has_sizes:
            headers["Content-Length"] = str(len(part))
        else:
            request.close_connection = True
        self._head(request, status, headers)
        if is_head:
            return
        sent = part[: len(part) // 2] if fault in ("half", "stall") else part
        if fault == "slow":
            request.wfile.write(part[: len(part) // 2])
            self.released.wait(self.pause)
            request.wfile.write(part[len(part) // 2 :])
        else:
            request.wfile.write(sent)
        with self._lock:
            self.sent += len(sent)
        if fault == "stall":
            request.wfile.flush()
            self.released.wait(60)
        if sent is not part:
            request.close_connection = True
            request.connection.shutdown(socket.SHUT_WR)  # after what has been sent

    @staticmethod
    def _head(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
