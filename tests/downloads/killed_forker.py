"""Imported only by the process that forks the servers of `killed`."""

from quartet.downloads.app import SERVICE
from tests.fork_setup import preload_service

preload_service(SERVICE, "quartet.downloads.hosters.sdk", "tests.downloads.killed")
