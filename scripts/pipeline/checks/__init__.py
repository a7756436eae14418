"""Checks of an installed `quartet`, run inside a system with the standard library only:
`PYTHONPATH=scripts python3 -m pipeline.checks.pairing .venv/bin/quartet`.
"""
