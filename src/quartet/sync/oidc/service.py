import logging
import re
import secrets
import time

from quartet.kernel.auth import Throttle, client_key, hash_token, new_token, secrets_match
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.sync.accounts import store as accounts_store
from quartet.sync.accounts.invitations import take_invitation
from quartet.sync.accounts.service import add_account
from quartet.sync.accounts.types import FIRST_ADMIN, RANKS, NewAccount, Role
from quartet.sync.login.service import Login
from quartet.sync.login.types import SessionEnded
from quartet.sync.oidc import store
from quartet.sync.oidc.provider import Provider
from quartet.sync.oidc.types import AccountChange, Answer, Attempt, Person, SignedIn, SignIn
from quartet.sync.settings import SyncSettings, oidc_roles

log = logging.getLogger("quartet.sync.oidc")

ATTEMPT_SECONDS = 600
# Then the person signs in again, so that the provider decides again who has access.
SESSION_SECONDS = 24 * 3600
VERIFIER_BYTES = 48
# Leaves room for a number at the end.
LONGEST_NAME = 90
_NOT_IN_NAMES = re.compile(r"[^a-z0-9@._+-]+")


class ProviderLogin:
    """Sign-in with an OpenID Connect provider, in addition to passwords."""

    def __init__(
        self,
        db: Database,
        settings: SyncSettings,
        provider: Provider,
        login: Login,
        throttle: Throttle,
    ) -> None:
        self._db = db
        self._enabled = settings.oidc_issuer is not None
        self._roles = oidc_roles(settings)
        self._provider = provider
        self._login = login
        self._throttle = throttle

    async def begin(
        self, connection: Connection, redirect_uri: str, given: SignIn
    ) -> tuple[str, str]:
        """Return the state for the cookie, and the page of the provider."""
        self._check_enabled()
        client = client_key(connection)
        await self._throttle.count_request(client)
        if given.invitation:
            await self._login.invitations.look(client, given.invitation)
        state, now = new_token(), int(time.time())
        attempt = Attempt(
            state_hash=hash_token(state),
            nonce=new_token(),
            verifier=secrets.token_urlsafe(VERIFIER_BYTES),
            redirect_uri=redirect_uri,
            # The pattern accepts a line break at the end, which must not get into a header.
            next=given.next.rstrip("\n"),
            invitation_hash=hash_token(given.invitation) if given.invitation else None,
            expires_at=now + ATTEMPT_SECONDS,
        )
        url = await self._provider.sign_in_url(attempt, state)
        await self._db.write(lambda tx: store.begin(tx.conn, attempt, now))
        return state, url

    async def finish(self, connection: Connection, answer: Answer, cookie: str) -> SignedIn:
        self._check_enabled()
        attempt = await self._attempt(answer.state, cookie)
        if answer.error or not answer.code:
            log.info("the provider refused the sign-in: %s", answer.error[:100])
            raise AppError(401, "oidc_denied")
        person = await self._provider.redeem(attempt, answer.code, answer.issuer)

        def work(tx: Tx) -> SignedIn:
            name, change = self._account(tx, person, attempt.invitation_hash)
            token = self._login.sessions.begin(tx, name, connection, SESSION_SECONDS)
            return SignedIn(Identity(name, "session"), token, attempt.next, change)

        try:
            signed_in = await self._db.write(work)
        except AppError as error:
            if error.code == "oidc_no_account":
                await self._db.write(lambda tx: self._sign_out(tx, person))
            raise
        await self._login.accounts.reload(signed_in.identity.subject)
        return signed_in

    def _sign_out(self, tx: Tx, person: Person) -> None:
        """End the sessions of a person who is in none of the groups any more."""
        known = accounts_store.find_identity(tx.conn, self._provider.issuer, person.subject)
        if known:
            self._login.sessions.end_all(tx, known.account)
            tx.emit(SessionEnded())
            log.info("account %s signed out: it is in no group with a role", known.account)

    async def sign_out_url(self, name: str, address: str) -> str | None:
        """Return the page that ends the session at the provider of a connected account."""
        if not self._enabled or not self._login.accounts.is_connected(name):
            return None
        try:
            return await self._provider.sign_out_url(address)
        except AppError:
            # Signing out here must work while the provider is unreachable.
            return None

    def _check_enabled(self) -> None:
        if not self._enabled:
            raise AppError(404, "oidc_disabled")

    async def _attempt(self, state: str, cookie: str) -> Attempt:
        """Take the attempt, which must have begun in the same browser."""
        found = await self._db.write(lambda tx: store.take(tx.conn, hash_token(state)))
        fresh = found is not None and found.expires_at > time.time()
        if found is None or not fresh or not secrets_match(cookie, state):
            raise AppError(401, "oidc_expired")
        return found

    def _account(
        self, tx: Tx, person: Person, invitation_hash: str | None
    ) -> tuple[str, AccountChange]:
        """Return the account of a person: connected before, invited, or created by a group."""
        issuer, conn = self._provider.issuer, tx.conn
        known = accounts_store.find_identity(conn, issuer, person.subject)
        if invitation_hash:
            name = take_invitation(tx, invitation_hash)
            if known and known.account != name:
                raise AppError(401, "oidc_connected", account=known.account)
            if not known:
                accounts_store.connect(conn, issuer, person.subject, name, follows_groups=False)
                log.info("account %s connected to the sign-in provider", name)
            return name, None
        if known and not known.follows_groups:
            return known.account, None
        role = self._role(person)
        if known:
            before = accounts_store.load_all(conn)[known.account].role
            accounts_store.change(conn, known.account, {"role": role})
            if before == "admin" and role != "admin":
                # Browsers of an admin get messages about everything until their sessions end.
                self._login.sessions.end_all(tx, known.account)
            return known.account, None if role == before else "role_changed"
        name = _free_name(person.name, {FIRST_ADMIN, *accounts_store.load_all(conn)})
        add_account(tx, NewAccount(name, role=role), accounts_store.NO_PASSWORD)
        accounts_store.connect(conn, issuer, person.subject, name, follows_groups=True)
        log.info("account %s created by a group of the sign-in provider: %s", name, role)
        return name, "account_created"

    def _role(self, person: Person) -> Role:
        """Return the highest role of the person's groups."""
        groups = {*person.groups, "*"}
        roles = [role for group, role in self._roles if group in groups]
        if not roles:
            raise AppError(401, "oidc_no_account")
        return max(roles, key=lambda role: RANKS[role])


def _free_name(wanted: str, taken: set[str]) -> str:
    """Return a name that no account has: accounts are never connected by their name."""
    plain = _NOT_IN_NAMES.sub("-", wanted.lower())[:LONGEST_NAME].lstrip("@._+-") or "person"
    numbered = (f"{plain}-{number}" for number in range(2, len(taken) + 3))
    return plain if plain not in taken else next(name for name in numbered if name not in taken)
