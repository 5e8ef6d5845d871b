from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import threading
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, Iterable, Iterator, Optional, Union
from urllib.parse import quote, urlencode

Record = Union[bytes, str, dict]

JOBS = "/v1/data-import/import-jobs/"
TIMEOUT_SECONDS = 40
UPLOAD_TIMEOUT_SECONDS = 600
# A token that expires within this time is renewed first.
RENEWED_BEFORE_END_SECONDS = 60
RETRY_SECONDS = 120
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 10
# 409: the first attempt, whose response was lost, is still being processed.
RETRYABLE_STATUSES = (409, 429, 502, 503, 504)
POLL_SECONDS = 1
# A part ends with the first line that exceeds this size. The service accepts four times as much.
PART_BYTES = 16 * 1024 * 1024
ENDED = ("COMPLETED", "CANCELLED", "EXPIRED")
# Pauses for these reasons end when a person resumes the job; the others end automatically.
WAIT_FOR_PERSON = ("asked", "canary", "too_many_failures", "key_revoked", "manifest_mismatch")
OBTAIN = "mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token payload } }"


class Refused(Exception):
    """The service rejected a request. `code` is stable; `errors` lists all faults of an invalid request."""

    def __init__(self, status: int, body: Any, retry_after: Optional[int] = None):
        body = body if isinstance(body, dict) else {}
        super().__init__(body.get("detail") or f"The service answered with status {status}.")
        self.status = status
        self.code: Optional[str] = body.get("code")
        self.errors: list = body.get("errors") or []
        self.request_id: Optional[str] = body.get("request_id")
        self.retry_after = retry_after
        self.body = body


class TokenRefused(Exception):
    """The service issued no token for the API key."""


class Unreachable(Exception):
    """The service cannot be reached."""


class AddressError(Exception):
    """The address leads elsewhere, so that retrying does not help."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, response, code, message, headers, target):
        raise AddressError(f"{request.full_url} redirects. The key is not sent there. Set the address of the service itself.")


class Client:
    """A client of one service. Renews tokens, retries temporary failures, and sends an Idempotency-Key with each POST of a supplier.

    One client may be used by several threads.
    """

    def __init__(self, url: str, key: str):
        self.url = url.rstrip("/")
        self._key = key
        self._token = ("", 0.0)
        self._lock = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirect)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Optional[dict] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Makes one call and returns the JSON of its response. Raises Refused, TokenRefused, AddressError or Unreachable."""
        headers = {}
        takes_key = method == "POST" and path.startswith("/v1/data-import/")
        if takes_key:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        target = path + (f"?{urlencode(query)}" if query else "")
        with self._send(method, target, headers, data, takes_key or method != "POST") as response:
            return _json(response.read())

    def lines(self, path: str, query: Optional[dict] = None) -> Iterator[dict]:
        """Yields the lines of a response in NDJSON as they arrive."""
        with self._send("GET", path + (f"?{urlencode(query)}" if query else ""), {}, None, True) as response:
            for line in response:
                if not line.endswith(b"\n"):
                    raise Unreachable("The response ended in the middle of a line. Read it again.")
                yield json.loads(line)

    def import_records(self, request: dict, records: Iterable[Record]) -> dict:
        """Creates an import job, uploads the records, starts the job, and waits until it has ended or is paused until a person decides.

        `records` are chunks of NDJSON (an open file), or one dict per record.
        """
        job_id = None
        for number, part in enumerate(_parts(records), 1):
            job_id = job_id or self.call("POST", JOBS, request)["job_id"]
            self._upload(job_id, number, part)
        if job_id is None:
            raise ValueError("There are no records.")
        self.call("POST", f"{JOBS}{job_id}/start/")
        return self.wait_for_job(job_id)

    def wait_for_job(self, job_id: str) -> dict:
        """Waits until a job has ended, or is paused until a person decides."""
        while True:
            job = self.call("GET", f"{JOBS}{quote(job_id, safe='')}/")
            if job["status"] in ENDED or (job["status"] == "PAUSED" and job["paused_because"] in WAIT_FOR_PERSON):
                return job
            time.sleep(POLL_SECONDS)

    def results(self, job_id: str, outcome: str) -> Iterator[dict]:
        """Yields the results of the lines of a job: outcome is succeeded, failed or unprocessed."""
        return self.lines(f"{JOBS}{quote(job_id, safe='')}/results/", {"outcome": outcome})

    def _upload(self, job_id: str, number: int, part: bytes) -> None:
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        path = f"{JOBS}{job_id}/parts/{number}/"
        body = gzip.compress(part, 6)
        with self._send("PUT", path, headers, body, True, UPLOAD_TIMEOUT_SECONDS) as response:
            stored = _json(response.read())
        if stored["sha256"] != hashlib.sha256(part).hexdigest():
            raise ValueError(f"Part {number} was changed on its way. Check whether a proxy changes request bodies.")

    def _send(self, method, path, headers, data, is_repeatable, timeout=TIMEOUT_SECONDS):
        """Sends a request until it is answered by something else than a temporary failure."""
        until = time.monotonic() + RETRY_SECONDS
        pause = FIRST_PAUSE_SECONDS
        is_rejected = False
        while True:
            try:
                authorization = {"Authorization": f"Token {self._current_token(is_rejected)}"}
                return self._open(method, path, {**headers, **authorization}, data, timeout)
            except Refused as refused:
                if refused.status == 401 and not is_rejected:
                    is_rejected = True
                    continue
                if refused.status not in RETRYABLE_STATUSES or time.monotonic() >= until:
                    raise
                time.sleep(max(pause, min(refused.retry_after or 0, RETRY_SECONDS)))
            except Unreachable:
                if not is_repeatable or time.monotonic() >= until:
                    raise
                time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _open(self, method, path, headers, data, timeout):
        request = urllib.request.Request(self.url + path, method=method, headers=headers, data=data)
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            seconds = error.headers.get("Retry-After", "")
            with error:
                raise Refused(error.code, _json(error.read()), int(seconds) if seconds.isdigit() else None) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise Unreachable(f"gangway cannot be reached at {self.url}: {reason}") from error

    def _current_token(self, is_rejected: bool) -> str:
        with self._lock:
            token, end = self._token
            if is_rejected or end - time.time() < RENEWED_BEFORE_END_SECONDS:
                self._token = self._obtain_token()
            return self._token[0]

    def _obtain_token(self) -> tuple[str, float]:
        data = json.dumps({"query": OBTAIN, "variables": {"key": self._key}}).encode()
        with self._open("POST", "/graphql/", {"Content-Type": "application/json"}, data, TIMEOUT_SECONDS) as response:
            body = _json(response.read()) or {}
        obtained = (body.get("data") or {}).get("obtainToken")
        if obtained is None:
            first = (body.get("errors") or [{}])[0]
            raise TokenRefused((first.get("extensions") or {}).get("errorDescription") or first.get("message") or self.url)
        return obtained["token"], obtained["payload"]["exp"]


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _parts(records: Iterable[Record]) -> Iterator[bytes]:
    """Splits NDJSON after line ends. The same records are always split in the same way."""
    chunks: list = []
    size = 0
    for record in records:
        chunk = record
        if isinstance(chunk, dict):
            chunk = json.dumps(chunk) + "\n"
        if isinstance(chunk, str):
            chunk = chunk.encode()
        chunks.append(chunk)
        size += len(chunk)
        if size >= PART_BYTES and chunk.endswith(b"\n"):
            yield b"".join(chunks)
            chunks, size = [], 0
    rest = b"".join(chunks)
    if rest.strip():
        yield rest
