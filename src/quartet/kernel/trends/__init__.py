"""The values of figures over time, for charts: 15 minutes by second, 24 hours by minute and 30 days
by hour.

A service adds its figures with `kernel.trends.sources.append(Source("speed", …))`. They are kept in
memory and in one small file in the data folder.
"""

from quartet.kernel.trends.service import Source, TrendRecorder, rate_of

__all__ = ["Source", "TrendRecorder", "rate_of"]
