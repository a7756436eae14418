"""`make bench`: every benchmark, one table; fails when a bar is missed."""

import sys

from bench import api, downloads, media_names, start, wind_texture
from bench.report import show

results = [*api.run(), *start.run(), *downloads.run(), *media_names.run(), *wind_texture.run()]
show(results)
sys.exit(not all(result.met for result in results))
