from typing import Literal

import msgspec

# Refused requests, which the fail2ban filter counts.
Refusal = Literal["login_failed", "locked_out", "token_refused"]
# What signed-in users did.
Action = Literal[
    "account_created",
    "account_disabled",
    "account_enabled",
    "backup_downloaded",
    "deleted",
    "epoch_begun",
    "exported",
    "files_restored",
    "held_changes_released",
    "held_changes_undone",
    "imported",
    "invite_created",
    "link_created",
    "link_revoked",
    "link_used",
    "messenger_added",
    "passkey_added",
    "password_changed",
    "recovery_code_used",
    "recovery_codes_created",
    "reset_link_created",
    "restore_cancelled",
    "restore_requested",
    "role_changed",
    "server_key_rotated",
    "sessions_ended",
    "signed_in",
    "token_created",
]
AuditEvent = Literal[Refusal, Action]


class AuditEntry(msgspec.Struct, frozen=True):
    """`code` is the error code of a refused request; `user` is empty for anonymous ones."""

    at: int
    event: AuditEvent
    client: str
    user: str
    code: str
    path: str
    id: int = 0


class AuditPage(msgspec.Struct, frozen=True):
    """Newest first; `next` is the value of `before` for the next page."""

    entries: list[AuditEntry]
    next: int | None
