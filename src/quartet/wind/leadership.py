"""Name of the lock for work that only one process does at a time."""

WORK = "work"
