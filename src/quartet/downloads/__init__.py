"""Download manager: from pasted links to extracted files."""
