"""Texts for search engines: which pages they may read, and a list of them."""

from collections.abc import Iterable
from html import escape

# Pages of a person and of the admin; everything they show is behind a login.
_PRIVATE = ("api/", "admin", "account", "spots", "gear", "settings", "reset", "unsubscribe")
# Search engines read no more than this from one sitemap.
MOST_PAGES = 50_000


def robots_text(site: str | None, base_path: str) -> str:
    """Return robots.txt; without a public address there is no sitemap."""
    base = f"{base_path.rstrip('/')}/"
    lines = ["User-agent: *", *(f"Disallow: {base}{path}" for path in _PRIVATE)]
    if site:
        lines.append(f"Sitemap: {site}/sitemap.xml")
    return "\n".join(lines) + "\n"


def sitemap(site: str, slugs: Iterable[str]) -> str:
    """List the pages of stations, the only ones that search engines may show."""
    pages = [f"{site}/station/{slug}" for slug in slugs]
    rows = "".join(f"<url><loc>{escape(page)}</loc></url>\n" for page in pages[:MOST_PAGES])
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )
