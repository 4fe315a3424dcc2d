"""The page served on the loopback, to its own address alone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot_explore.worker import END, Desk, Question

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"
MOST_BYTES = 64 * 1024
"""Most bytes of a question."""
LOOK = 0.25
"""Seconds between two looks whether the page is still there."""
MISSING = (
    "the page needs the packages starlette and uvicorn: pip install 'unknot[explore]'; --out page.html needs none"
)
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}' 'unsafe-inline'; connect-src 'self'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def application(start: dict[str, Any], token: str, port: int, desk: Desk) -> Starlette:
    """The page and its questions below a token; all else is refused.

    Parameters
    ----------
    start : dict
        What the page shows first.
    token : str
        First part of every path.
    port : int
        Where the page is served; requests for other hosts and from other origins are refused.
    desk : Desk
        Answers the questions.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import HTMLResponse, PlainTextResponse, StreamingResponse
        from starlette.routing import Route
    except ImportError:
        raise UnknotError(MISSING) from None
    from unknot_explore.page import page

    hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    def refused(request: Request) -> Response | None:
        origin = request.headers.get("origin")
        if request.headers.get("host") not in hosts or (origin and origin.removeprefix("http://") not in hosts):
            return PlainTextResponse("Unknot answers its own page alone.\n", 403)
        if not secrets.compare_digest(request.path_params["token"].encode(), token.encode()):
            return PlainTextResponse(
                "The token in the address is wrong; take the address that unknot printed.\n", 403
            )
        return None

    async def show(request: Request) -> Response:
        if (no := refused(request)) is not None:
            return no
        nonce = secrets.token_urlsafe(12)
        headers = {"Content-Security-Policy": POLICY.format(nonce=nonce), "Referrer-Policy": "no-referrer"}
        return HTMLResponse(page(start, nonce), headers=headers | {"Cache-Control": "no-store"})

    async def ask(request: Request) -> Response:
        if (no := refused(request)) is not None:
            return no
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BYTES:
                return PlainTextResponse("The question is too long.\n", 413)
        try:
            asked = json.loads(body)
            question, design, given = str(asked["question"]), dict(asked["design"]), dict(asked.get("given") or {})
            require_harmless(design)
        except UnknotError as error:
            return PlainTextResponse(json.dumps({"error": str(error)}) + "\n")
        except (ValueError, KeyError, TypeError, RecursionError):
            return PlainTextResponse("A question is JSON with the keys question and design.\n", 400)
        return StreamingResponse(_lines(request, desk, (question, design, given)), media_type="application/x-ndjson")

    return Starlette(routes=[Route("/{token}/", show), Route("/{token}/ask", ask, methods=["POST"])])


def require_harmless(design: dict[str, Any]) -> None:
    """Refuse texts of a page that would run a file of Python."""
    from unknot.routing.own import is_code

    for key in ("network", "routing", "switching", "traffic"):
        text = str(design.get(key, ""))
        if is_code(text) or ".py" in text:
            raise UnknotError(f"{key}: the page runs no files of Python; `unknot check` does")


async def _lines(request: Request, desk: Desk, question: Question) -> AsyncIterator[str]:
    """Parts of an answer, a line of JSON each; when the page goes away the question is cancelled."""
    cancelled, parts, loop = threading.Event(), asyncio.Queue[dict[str, Any]](), asyncio.get_running_loop()

    def tell(part: dict[str, Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(parts.put_nowait, part)

    threading.Thread(target=desk.ask, args=(question, tell, cancelled), daemon=True).start()
    try:
        while True:
            try:
                part = await asyncio.wait_for(parts.get(), LOOK)
            except TimeoutError:
                if await request.is_disconnected():
                    return
                continue
            yield json.dumps(part) + "\n"
            if part == END or "error" in part:
                return
    finally:
        cancelled.set()


def serve(start: dict[str, Any], port: int = 0, *, browser: bool = True) -> None:
    """Serve the page until Ctrl-C, and open it.

    Parameters
    ----------
    start : dict
        What the page shows first.
    port : int
        Port; 0: a free one.
    browser : bool
        Whether to open the page.

    Raises
    ------
    UnknotError
        If a package is missing, or the port is taken.
    """
    try:
        import uvicorn
    except ImportError:
        raise UnknotError(MISSING) from None
    from unknot.cli.commands.activity import silence
    from unknot.cli.commands.printing import notify

    taken = _bound(port)
    port, token, desk = taken.getsockname()[1], secrets.token_urlsafe(16), Desk()
    address = f"http://{HOST}:{port}/{token}/"
    app = application(start, token, port, desk)

    class Server(uvicorn.Server):
        """The server without handlers of signals: Ctrl-C has its owner already."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    server = Server(uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1))
    print(address, flush=True)
    notify("the page answers as long as this command runs; Ctrl-C ends it")
    threading.Thread(target=desk.warm, daemon=True).start()
    if browser:
        threading.Timer(0.5, _opened, (address,)).start()
    try:
        with silence(), contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[taken])
    finally:
        desk.close()


def _bound(port: int) -> socket.socket:
    """A socket of the port."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen()  # whoever comes before the server is up waits, and is not refused
    except (OSError, OverflowError) as error:
        taken.close()
        why = getattr(error, "strerror", None) or "ports are 0 to 65535"
        raise UnknotError(f"port {port} of {HOST} cannot be had: {why}; --port 0 takes a free one") from None
    return taken


def _opened(address: str) -> None:
    import webbrowser

    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)
