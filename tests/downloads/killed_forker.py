"""Imported by the process that forks each server of `killed`, and by nothing else."""

from quartet.downloads.app import SERVICE
from tests.fork_setup import preload_service

preload_service(SERVICE, "quartet.downloads.hosters.sdk", "tests.downloads.killed")
