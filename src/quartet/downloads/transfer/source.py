"""Where a file comes from, what is known of it, and how to ask for a stretch of it."""

import re
from urllib.parse import urljoin, urlsplit

from quartet.downloads.transfer.answers import Accepted, Asked
from quartet.downloads.transfer.control import Identity
from quartet.downloads.transfer.curl import Handle, Request
from quartet.downloads.transfer.hops import (
    MOST_REDIRECTS,
    Gate,
    first_cookies,
    headers_for,
    too_many,
)
from quartet.downloads.transfer.names import name_hint
from quartet.downloads.transfer.segments import Segment, Segments
from quartet.downloads.transfer.transfer import Transfer
from quartet.downloads.transfer.types import Job

_OVERLAP = 64 * 1024
_PAGE_NAME = re.compile(r"\.x?html?$", re.IGNORECASE)


class Source:
    def __init__(self, job: Job, gate: Gate, ca_file: str | None) -> None:
        self._job = job
        self._gate = gate
        self._ca_file = ca_file
        self._url = job.url
        self._cookies = first_cookies(job.cookies, job.url)
        self._if_range = True
        self.ranged = True
        self.known: Identity | None = None
        self.proven = False  # an answer of this session agreed with what is known
        self.name: str | None = None

    def start_anew(self, *, ranged: bool) -> None:
        self.ranged = ranged
        self.known = None
        self.proven = False
        self.go_back()

    def ask(self, segment: Segment, segments: Segments) -> tuple[Request, Asked]:
        start = segment.position
        if self.known and self.known.strong_etag is None and segment.doubted:
            start -= segments.behind(segment, _OVERLAP)
        page_expected = bool(_PAGE_NAME.search(urlsplit(self._job.url).path))
        asked = Asked(start, self.ranged, self.known, page_expected)
        end = segment.end if self.known else None
        return self._request(self._url, start if self.ranged else None, end), asked

    def follow(self, transfer: Transfer, handle: Handle) -> Request:
        """The same question at the address a redirect names."""
        # libcurl does not say it when the body of the redirect was cut off.
        url = handle.redirect_url or urljoin(transfer.request.url, transfer.head.fields["location"])
        if transfer.hops >= MOST_REDIRECTS:
            raise too_many(self._job.url)
        self._gate.check(url)
        self._cookies = handle.cookies
        return self._request(url, transfer.request.start, transfer.request.end)

    def learn(self, transfer: Transfer, answer: Accepted) -> None:
        """What the first answer says; the others are asked at the address that gave it."""
        head = transfer.head
        self.proven = True
        self._url = transfer.request.url
        self.name = self.name or name_hint(
            head.get("content-disposition"), self._url, self._job.url
        )
        if answer.ranges and answer.size is not None and self.known is None:
            self.known = Identity(answer.size, head.etag, head.modified)

    def go_back(self) -> bool:
        """To the first address, when the one it led to may have expired."""
        moved = self._url != self._job.url
        self._url = self._job.url
        self._cookies = first_cookies(self._job.cookies, self._job.url)
        return moved

    def drop_condition(self) -> bool:
        """Some servers do no ranges under a condition; True when one was set until now."""
        had, self._if_range = self._condition is not None, False
        return had

    @property
    def _condition(self) -> str | None:
        if self.known is None or self.proven or not self._if_range:
            return None
        return self.known.strong_etag or (None if self.known.etag else self.known.modified)

    def _request(self, url: str, start: int | None, end: int | None) -> Request:
        job = self._job
        headers = headers_for(job.headers, job.url, url)
        if self._condition and start is not None:
            headers["If-Range"] = self._condition
        return Request(
            url=url,
            start=start,
            end=end,
            headers=headers,
            cookies=self._cookies,
            user_agent=job.user_agent,
            proxy=job.proxy,
            connect_timeout=job.patience.connect,
            ca_file=self._ca_file,
        )
