"""Imported by the process that forks each server of `killed`, and by nothing else."""

from quartet.downloads.app import SERVICE
from tests.forked import prepare_to_fork

prepare_to_fork(SERVICE, "quartet.downloads.hosters.sdk", "tests.downloads.killed")
