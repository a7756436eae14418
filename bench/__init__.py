"""Measured claims: each file runs ours beside a peer and prints the ratio and the bar."""
