"""The demo: folders with sample names to try the service."""
