"""The demo: a small server with sample files, and links to them."""
