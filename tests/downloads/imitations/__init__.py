"""Imitations of hosters on loopback, built from their documentation."""
