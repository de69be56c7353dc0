"""A FastAPI server on 127.0.0.1, which runs a model on threads, and the clients that call it (packages.py)."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import torch
from support.models import strings
from torch import Tensor

CLIENTS = 16
START_SECONDS = 60.0


def check(forms: Mapping[str, Callable[..., Tensor]], batches: list[list[str]], num_requests: int) -> list[str]:
    """Sends requests for all forms from CLIENTS threads; returns what went wrong."""
    try:
        import fastapi
        import httpx
        import uvicorn
    except ImportError as error:
        return [f"skipped: {error}"]

    app = fastapi.FastAPI()

    @app.post("/{form}")
    def run(form: str, lines: list[str]) -> list[float]:  # not async: FastAPI calls it on a thread of its pool
        with torch.no_grad():
            return forms[form](strings(lines)).tolist()

    with torch.no_grad():
        wanted = {form: [run_form(strings(b)) for b in batches] for form, run_form in forms.items()}
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            if time.monotonic() > deadline or not thread.is_alive():
                return ["the server has not started"]
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]

        def client(number: int) -> str:
            names = list(forms)
            # Without the proxies of the environment.
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as session:
                for i in range(number, num_requests, CLIENTS):
                    form, batch = names[i // CLIENTS % len(names)], i % len(batches)
                    answer = session.post(f"/{form}", json=batches[batch])
                    if answer.status_code != 200:
                        return f"{form}: status {answer.status_code}"
                    if not torch.allclose(torch.tensor(answer.json()), wanted[form][batch], rtol=1e-4, atol=1e-4):
                        return f"{form}: another result than without the server"
            return ""

        with ThreadPoolExecutor(CLIENTS) as pool:
            return [error for error in pool.map(client, range(CLIENTS)) if error]
    finally:
        server.should_exit = True
        thread.join()
