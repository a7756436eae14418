"""The file on one server: what is known about it, and how to request a range of it."""

import hashlib
from urllib.parse import urljoin

from quartet.downloads.transfer.checkpoint import Identity
from quartet.downloads.transfer.curl import CurlRequest, Handle, TrustFiles
from quartet.downloads.transfer.names import name_hint
from quartet.downloads.transfer.pages import is_page_name
from quartet.downloads.transfer.redirects import (
    MOST_REDIRECTS,
    RedirectPolicy,
    first_cookies,
    headers_for,
    login_for,
    may_have_secrets,
    redirect_cookies,
    too_many_redirects,
)
from quartet.downloads.transfer.responses import (
    AcceptedResponse,
    ExpectedResponse,
    leads_to_container,
)
from quartet.downloads.transfer.retries import Retries
from quartet.downloads.transfer.segments import Segment, Segments
from quartet.downloads.transfer.transfer import Transfer
from quartet.downloads.transfer.types import Job

OVERLAP = 64 * 1024


class RemoteFile:
    def __init__(self, job: Job, url: str, redirects: RedirectPolicy, trust: TrustFiles) -> None:
        self._job = job
        self._redirects = redirects
        self._trust = trust
        self._first_url = self._url = url
        # Secrets belong to the server of the first address.
        self._own_cookies = job.cookies if may_have_secrets(job.url, url) else {}
        self._cookies = first_cookies(self._own_cookies, url)
        self._if_range = True
        self.retries = Retries(job.timeouts)
        # The most requests at the same time.
        self.allowed = 1
        # What the requests that have ended brought, and the last measured speed of a request.
        self.received = 0
        self.speed = 0.0
        self.ranged = True
        self.known: Identity | None = None
        self.proven = False  # a response of this session matched what is known
        self.name: str | None = None

    def reset(self, *, ranged: bool) -> None:
        self.ranged = ranged
        self.known = None
        self.proven = False
        self.allowed = 1
        self.retries.reset()
        self.return_to_first_url()

    @property
    def is_ftp(self) -> bool:
        return self._first_url.lower().startswith(("ftp://", "sftp://"))

    @property
    def key(self) -> str:
        """Return what identifies the address in a checkpoint; empty for the first one."""
        if self._first_url == self._job.url:
            return ""
        return hashlib.sha256(self._first_url.encode()).hexdigest()[:16]

    def check(self) -> None:
        self._redirects.check(self._first_url)

    def comparison_of(
        self, sample: Segment, known: Identity
    ) -> tuple[CurlRequest, ExpectedResponse]:
        """Return a request for bytes that exist, which shows whether the server has the file."""
        expected = ExpectedResponse(
            sample.start, known=Identity(known.size), page_expected=is_page_name(self._first_url)
        )
        return self._request(self._url, sample.start, sample.end), expected

    def request_for(
        self, segment: Segment, segments: Segments
    ) -> tuple[CurlRequest, ExpectedResponse]:
        start = segment.position
        if self.known and self.known.strong_etag is None and segment.doubted:
            start -= segments.bytes_before(segment, OVERLAP)
        expected = ExpectedResponse(
            start,
            self.ranged,
            self.known,
            page_expected=is_page_name(self._first_url),
            opens_containers=self._job.opens_containers,
        )
        end = segment.end if self.known else None
        return self._request(self._url, start if self.ranged else None, end), expected

    def follow(self, transfer: Transfer, handle: Handle) -> CurlRequest:
        """Return the same request for the redirect's target."""
        # libcurl leaves it empty if the body of the redirect was cut off.
        url = handle.redirect_url or urljoin(transfer.request.url, transfer.head.fields["location"])
        if transfer.hops >= MOST_REDIRECTS:
            raise too_many_redirects(self._first_url)
        if self._job.opens_containers and url.lower().startswith("magnet:"):
            raise leads_to_container()
        self._redirects.check_target(url)
        self._cookies = redirect_cookies(handle.cookies, self._own_cookies, self._first_url, url)
        return self._request(url, transfer.request.start, transfer.request.end)

    def learn(self, transfer: Transfer, response: AcceptedResponse) -> None:
        """Store what the first response says; further requests use the address that sent it."""
        head = transfer.head
        self.proven = True
        self._url = transfer.request.url
        self.name = self.name or name_hint(
            head.get("content-disposition"), self._url, self._first_url
        )
        if response.ranges and response.size is not None and self.known is None:
            self.known = Identity(response.size, head.etag, head.modified)

    def return_to_first_url(self) -> bool:
        """Return to the first address, in case the redirect's target has expired."""
        moved = self._url != self._first_url
        self._url = self._first_url
        self._cookies = first_cookies(self._own_cookies, self._first_url)
        return moved

    def drop_condition(self) -> bool:
        """Stop sending If-Range, which some servers answer without ranges; return whether it was
        sent.
        """
        had, self._if_range = self._condition is not None, False
        return had

    @property
    def _condition(self) -> str | None:
        if self.known is None or self.proven or not self._if_range:
            return None
        return self.known.strong_etag or (None if self.known.etag else self.known.modified)

    def _request(self, url: str, start: int | None, end: int | None) -> CurlRequest:
        job = self._job
        headers = headers_for(job.headers, job.own_headers, job.url, url)
        if self._condition and start is not None:
            headers["If-Range"] = self._condition
        return CurlRequest(
            url=url,
            start=start,
            end=end,
            headers=headers,
            cookies=self._cookies,
            user_agent=job.user_agent,
            proxy=job.proxy,
            connect_timeout=job.timeouts.connect,
            trust=self._trust,
            login=login_for(job.logins, url),
        )
