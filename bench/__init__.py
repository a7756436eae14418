"""Benchmarks: each file compares Quartet with a peer or a limit and prints the result."""
