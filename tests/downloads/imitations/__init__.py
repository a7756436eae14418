"""Hosters on loopback, as their documentation describes them."""
