"""Download manager: from a pasted link to an unpacked folder."""
