from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select, update

from quartet.media.rules.tables import rule_sets
from quartet.media.rules.types import NewRuleSet, Rules, RuleSet


def every(conn: Connection) -> list[RuleSet]:
    rows = conn.execute(select(rule_sets).order_by(rule_sets.c.name))
    return [_rule_set(row) for row in rows]


def find(conn: Connection, id: int) -> RuleSet | None:
    row = conn.execute(select(rule_sets).where(rule_sets.c.id == id)).one_or_none()
    return _rule_set(row) if row else None


def named(conn: Connection, name: str) -> int | None:
    return conn.execute(select(rule_sets.c.id).where(rule_sets.c.name == name)).scalar_one_or_none()


def add(conn: Connection, given: NewRuleSet) -> int:
    query = insert(rule_sets).values(name=given.name, rules=given.rules)
    id: int = conn.execute(query.returning(rule_sets.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, given: NewRuleSet) -> bool:
    query = update(rule_sets).where(rule_sets.c.id == id)
    return conn.execute(query.values(name=given.name, rules=given.rules)).rowcount > 0


def remove(conn: Connection, id: int) -> bool:
    return conn.execute(delete(rule_sets).where(rule_sets.c.id == id)).rowcount > 0


def _rule_set(row: Row[Any]) -> RuleSet:
    return RuleSet(row.id, row.name, msgspec.convert(row.rules, Rules))
