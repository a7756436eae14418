"""One's own name, language and address."""

import msgspec

from quartet.kernel.auth import hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_waiting
from quartet.wind.accounts.brakes import Brakes
from quartet.wind.accounts.joining import AddressTaken, Joining
from quartet.wind.accounts.letters import Letters
from quartet.wind.accounts.service import Accounts, known
from quartet.wind.accounts.types import Entered, MailLink, Me, MeChange, User
from quartet.wind.accounts.words import tidy_name
from quartet.wind.mail.address import email_key, tidy_email


class Profile:
    def __init__(
        self, db: Database, accounts: Accounts, joining: Joining, letters: Letters, brakes: Brakes
    ) -> None:
        self._db, self._accounts, self._joining = db, accounts, joining
        self._letters, self._brakes = letters, brakes

    async def change(self, identity: Identity, wanted: MeChange) -> Me:
        """Another address counts once it is confirmed; without mail at once, unconfirmed."""
        user = known(await self._db.read(store.user, int(identity.subject)))
        plain = _plain(wanted)
        email = user.email if wanted.email is msgspec.UNSET else _address(user, wanted.email)
        moves = email != user.email
        asks = moves and email is not None and self._letters.ready
        if moves:
            await self._brakes.own(user.id)

        def work(tx: Tx) -> Me:
            if plain:
                store.change(tx.conn, user.id, **plain)
            if wanted.email is not msgspec.UNSET:
                store_waiting.remove_links(tx.conn, user.id)
            if moves and not asks and not store.set_email(tx.conn, user.id, email, confirmed=False):
                raise AppError(409, "email_taken")
            return self._accounts.shown(tx, user.id, identity.session)

        me = await self._db.write(work)
        if email is None or not asks:
            return me
        await self._letters.put(MailLink("email", email, user.id), me.language)
        return msgspec.structs.replace(me, pending_email=email)

    async def confirm_again(self, identity: Identity) -> None:
        """Another mail for the address that waits for one."""
        user_id = int(identity.subject)
        await self._brakes.own(user_id)
        me = await self._accounts.me(identity)
        email = me.pending_email or (None if me.email_confirmed else me.email)
        if email is None:
            raise AppError(409, "nothing_to_confirm")
        await self._letters.put(MailLink("email", email, user_id), me.language)

    async def confirm(self, connection: Connection, token: str) -> Entered | None:
        """Opens a link: somebody enters after a sign-up, nobody after another address."""
        await self._brakes.sign_up(connection)

        def work(tx: Tx) -> tuple[Entered | None, tuple[MailLink, User] | None]:
            link = store_waiting.take_link(tx.conn, hash_token(token), self._accounts.now)
            if link is not None and link.new is not None:
                user = self._joining.join(tx, link.new)
                if user is not None:
                    return self._accounts.enter(tx, connection, user), None
            elif link is not None and link.purpose == "email":
                return None, self._take_over(tx, link)
            raise AppError(400, "link_invalid")

        try:
            entered, moved = await self._db.write(work)
        except AddressTaken:
            raise AppError(400, "link_invalid") from None
        if moved is not None and self._letters.ready:
            await self._letters.put(moved[0], moved[1].language)
        return entered

    def _take_over(self, tx: Tx, link: MailLink) -> tuple[MailLink, User] | None:
        """The confirmed address; gives what its predecessor must be told."""
        user = store.locked(tx.conn, link.user_id or 0)
        if user is None or not store.set_email(tx.conn, user.id, link.email, confirmed=True):
            raise AppError(400, "link_invalid")
        store_waiting.remove_links(tx.conn, user.id)
        if user.email is None or not user.email_confirmed:
            return None
        if user.email_key == email_key(link.email):
            return None
        return MailLink("moved", user.email), user


def _plain(wanted: MeChange) -> dict[str, str]:
    values: dict[str, str] = {}
    if wanted.name is not msgspec.UNSET:
        values["name"] = tidy_name(wanted.name)
    if wanted.language is not msgspec.UNSET:
        values["language"] = wanted.language
    return values


def _address(user: User, wanted: str | None) -> str | None:
    if wanted is None and user.password_hash is not None:
        # One signs in with both.
        raise AppError(409, "email_needed")
    return None if wanted is None else tidy_email(wanted)
