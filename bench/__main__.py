"""`make bench`: every benchmark, one table; fails when a bar is missed."""

import sys

from bench import api, start, transfer
from bench.report import show

results = [*api.run(), *start.run(), *transfer.run()]
show(results)
sys.exit(not all(result.met for result in results))
