"""E-mail and password: signing up and in, changing it, and coming back without it."""

from quartet.kernel.auth import Passwords, check_password_rules, hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_waiting
from quartet.wind.accounts.brakes import Brakes
from quartet.wind.accounts.joining import AddressTaken, Joining
from quartet.wind.accounts.letters import Letters
from quartet.wind.accounts.service import Accounts, known
from quartet.wind.accounts.types import (
    Entered,
    MailLink,
    NewUser,
    PasswordChange,
    PasswordSignIn,
    PasswordSignUp,
    Reset,
)
from quartet.wind.accounts.words import tidy_name
from quartet.wind.languages import Language
from quartet.wind.mail.address import email_key, tidy_email


class PasswordDoor:
    def __init__(
        self, db: Database, accounts: Accounts, joining: Joining, letters: Letters, brakes: Brakes
    ) -> None:
        self._db, self._accounts, self._joining = db, accounts, joining
        self._letters, self._brakes = letters, brakes
        self._passwords = Passwords()

    @property
    def confirms(self) -> bool:
        """Whether a new account waits for a mail to be answered."""
        return self._letters.ready

    async def sign_up(
        self, connection: Connection, wanted: PasswordSignUp, language: Language
    ) -> Entered | None:
        """Nobody enters when a mail must be answered first, or the address has an account."""
        await self._brakes.sign_up(connection)
        check_password_rules(wanted.password)
        name, email = tidy_name(wanted.name), tidy_email(wanted.email)
        invite = await self._joining.check(wanted.invite)
        hashed = await self._passwords.hash(wanted.password)
        new = NewUser(name, language, invite, email, self.confirms, hashed)
        if self.confirms:
            await self._letters.put(MailLink("sign_up", email, new=new), language)
            return None

        def work(tx: Tx) -> Entered | None:
            user = self._joining.join(tx, new)
            return self._accounts.enter(tx, connection, user) if user else None

        try:
            return await self._db.write(work)
        except AddressTaken:
            return None

    async def sign_in(
        self, connection: Connection, given: PasswordSignIn, mark: str = ""
    ) -> Entered:
        email = tidy_email(given.email)
        user = await self._db.read(store.by_email, email)
        await self._brakes.guess(connection, email, user, mark)
        stored = user.password_hash if user else None
        right = await self._passwords.verify(stored, given.password)
        if user is None or not right:
            raise AppError(401, "wrong_credentials")
        user_id = user.id

        def work(tx: Tx) -> Entered:
            now = store.locked(tx.conn, user_id)
            # Changed while it was checked.
            if now is None or now.password_hash != stored:
                raise AppError(401, "wrong_credentials")
            return self._accounts.enter(tx, connection, now)

        return await self._db.write(work)

    async def change(
        self, connection: Connection, identity: Identity, wanted: PasswordChange
    ) -> Entered:
        """Every other session ends, and this one gets another id."""
        user = known(await self._db.read(store.user, int(identity.subject)))
        if user.email is None:
            raise AppError(409, "email_needed")
        check_password_rules(wanted.password)
        if user.password_hash is not None:
            await self._brakes.own(user.id)
            if not await self._passwords.verify(user.password_hash, wanted.current or ""):
                raise AppError(403, "wrong_password")
        hashed = await self._passwords.hash(wanted.password)
        return await self._db.write(self._replace, connection, user.id, hashed)

    def _replace(self, tx: Tx, connection: Connection, user_id: int, hashed: str) -> Entered:
        user = known(store.locked(tx.conn, user_id))
        store.change(tx.conn, user_id, password_hash=hashed)
        store_waiting.remove_links(tx.conn, user_id, "reset")
        self._accounts.sessions.end_all(tx, str(user_id))
        return self._accounts.enter(tx, connection, user)

    async def forgot(self, connection: Connection, email: str) -> None:
        await self._brakes.sign_up(connection)
        await self._letters.put(MailLink("reset", tidy_email(email)), "en")

    async def reset(self, connection: Connection, wanted: Reset) -> Entered:
        """Who reads the mailbox owns the address."""
        await self._brakes.sign_up(connection)
        check_password_rules(wanted.password)
        hashed = await self._passwords.hash(wanted.password)

        def work(tx: Tx) -> Entered:
            now = self._accounts.now
            link = store_waiting.take_link(tx.conn, hash_token(wanted.token), now)
            owner = store.locked(tx.conn, link.user_id or 0) if link else None
            if link is None or link.purpose != "reset" or owner is None or owner.disabled:
                raise AppError(400, "link_invalid")
            if owner.email_key != email_key(link.email):
                raise AppError(400, "link_invalid")
            store.change(tx.conn, owner.id, email_confirmed=True)
            return self._replace(tx, connection, owner.id, hashed)

        return await self._db.write(work)
