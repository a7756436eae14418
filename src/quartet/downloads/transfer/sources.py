"""The addresses from which one file is fetched, several at the same time."""

import logging
from collections.abc import Callable

from quartet.downloads.transfer.checkpoint import Checkpoint, Identity
from quartet.downloads.transfer.curl import TrustFiles
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.transfer.remote_file import RemoteFile
from quartet.downloads.transfer.responses import TransferError
from quartet.downloads.transfer.segments import Segments
from quartet.downloads.transfer.types import Job

log = logging.getLogger("quartet.downloads.transfer")


class Sources:
    """The leading source says which file it is; all others have to send the same bytes."""

    def __init__(self, job: Job, redirects: RedirectPolicy, trust: TrustFiles) -> None:
        self._job = job
        urls = dict.fromkeys((job.url, *job.mirrors))
        self._usable = [RemoteFile(job, url, redirects, trust) for url in urls]
        self._failures: list[TransferError] = []
        self.lead = self._usable[0]

    @property
    def several(self) -> bool:
        return len(self._usable) > 1

    @property
    def failure(self) -> TransferError:
        """Return why the download failed, preferably an error that a retry may fix."""
        return next((each for each in self._failures if not each.final), self._failures[-1])

    def check(self) -> None:
        """Drop the addresses to which no request may go."""
        for source in list(self._usable):
            try:
                source.check()
            except TransferError as failure:
                if not self.drop(source, failure):
                    raise

    def drop(self, source: RemoteFile, failure: TransferError) -> bool:
        """Stop using an address; return whether another one is left."""
        if source in self._usable:
            self._usable.remove(source)
            self._failures.append(failure)
        if source is self.lead and self._usable:
            self._replace_lead()
        if self._job.mirrors:
            log.debug(
                "download %d: a source is dropped (%s), %d left",
                self._job.id,
                failure.problem.code,
                len(self._usable),
            )
        return bool(self._usable)

    def _replace_lead(self) -> None:
        """Continue with another source, which has sent the same bytes or must do so now."""
        known = self.lead.known
        self.lead = next((each for each in self._usable if each.proven), self._usable[0])
        if known and self.lead.known is None:
            self.lead.known = Identity(known.size)

    def reset(self, *, ranged: bool) -> None:
        for source in self._usable:
            source.reset(ranged=ranged)

    def restore(self, state: Checkpoint) -> None:
        same = state.source == self.lead.key
        self.lead.known = state.identity if same else Identity(state.identity.size)

    def checkpoint(self, segments: Segments) -> Checkpoint | None:
        if self.lead.known is None or segments.size is None:
            return None
        return Checkpoint(self.lead.known, segments.spans(), source=self.lead.key)

    def free(self, count: Callable[[RemoteFile], int], most: int) -> list[RemoteFile]:
        """Return the sources that may get another request, the least busy first.

        `most` requests are divided among the sources, but each of them gets at least one.
        """
        together = [each for each in self._usable if each is self.lead or self._may_help(each)]
        if sum(map(count, together)) >= max(most, len(together)):
            return []
        share = -(-most // len(together))
        free = [
            each
            for each in together
            if not each.retries.waiting and count(each) < min(share, each.allowed)
        ]
        return sorted(free, key=count)

    def _may_help(self, source: RemoteFile) -> bool:
        """Return whether another source may be used now: ranges need a known file, and HTTP."""
        lead = self.lead
        return lead.proven and lead.known is not None and not (source.is_ftp or lead.is_ftp)
