"""Moves links between packages within a transaction."""

from collections.abc import Collection, Sequence

from quartet.downloads.events import Changed
from quartet.downloads.grabber import store
from quartet.downloads.grabber.types import CollectedLink
from quartet.downloads.input_cleanup import password_list
from quartet.kernel.db import Tx


def move_links(tx: Tx, links: Sequence[CollectedLink], package_id: int) -> None:
    """Append links to a package, and remove the packages they leave empty."""
    store.move(tx.conn, [each.id for each in links], package_id)
    drop_empty(tx, {each.package_id for each in links} - {package_id}, package_id)
    tx.emit(Changed("downloads"))


def drop_empty(tx: Tx, package_ids: Collection[int], target: int | None = None) -> None:
    """Delete packages that have no links; the package with their links gets their passwords."""
    gone = store.empty(tx.conn, package_ids)
    if target is not None:
        known = [store.passwords(tx.conn, id) for id in (target, *gone)]
        store.set_passwords(tx.conn, target, password_list([one for all in known for one in all]))
    store.delete_packages(tx.conn, gone)
