"""What accounts add to push messages."""

from collections.abc import Callable

from quartet.kernel.db import Tx
from quartet.kernel.push.service import Push
from quartet.wind.push import store
from quartet.wind.push.types import PushInfo


class SessionSubscriptions:
    """Ends the push subscription of a browser together with its session."""

    def ended(self, tx: Tx, token_hash: str) -> None:
        store.remove_of_session(tx.conn, token_hash)

    def all_ended(self, tx: Tx, user_id: int, keep: str | None) -> None:
        store.remove_of_others(tx.conn, user_id, keep)

    def renewed(self, tx: Tx, user_id: int, old: str, new: str) -> None:
        store.move(tx.conn, user_id, old, new)


class PushChannels:
    """The ways in which alerts reach a user; `mail_ready` returns whether mails can be sent."""

    def __init__(self, push: Push, mail_ready: Callable[[], bool]) -> None:
        self._push = push
        self._mail_ready = mail_ready

    async def info(self, user: int) -> PushInfo:
        found = await self._push.info(user)
        return PushInfo(found.public_key, self._mail_ready(), found.subscriptions)
